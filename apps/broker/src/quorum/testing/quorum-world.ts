/**
 * The only voter of a quorum over a disk in memory, for tests: runs of the node that follow each other on one disk,
 * stopped in order, killed, or cut off from power. Nothing happens by itself: `settle` ends turns and delivers what the
 * disk owes, `pass` lets time go by. It registers a broker of its own by plain decisions.
 */
import { type LogDirectory, openLogDirectory } from '@seatlog/commit-log';
import {
  type ChangeOutcome,
  type ClusterImage,
  type CreatedTopic,
  type CreateTopicsContext,
  createTopics,
  DEFAULT_QUORUM_LIMITS,
  DEFAULT_QUORUM_TIMING,
  METADATA_TOPIC,
  bootstrapRecords,
  randomUuid,
  registerBroker,
  unfenceBroker,
} from '@seatlog/metadata-quorum';
import {
  ManualClock,
  ManualTurns,
  MemoryFileSystem,
  MemoryNetwork,
  SeededRandom,
} from '@seatlog/runtime/testing';
import { controllerSchema } from '../../config/controller-schema.ts';
import { loadConfig } from '../../config/load.ts';
import { silentLogger } from '../../logger.ts';
import { type BrokerMetrics, createMetrics } from '../../metrics.ts';
import { watchElections } from '../../metadata/unclean-elections.ts';
import { QuorumNode } from '../quorum-node.ts';
import type { SnapshotPolicy } from '../snapshot-schedule.ts';

const PATH = '/logs';
const METADATA_PATH = `${PATH}/${METADATA_TOPIC}-0`;

export interface Run {
  readonly node: QuorumNode;
  readonly clock: ManualClock;
  /** Of the broker that was registered; -1 before. */
  brokerEpoch: number;
  readonly directory: LogDirectory;
  readonly turns: ManualTurns;
  readonly metrics: BrokerMetrics;
  readonly context: CreateTopicsContext;
  /** The images that were applied, in order. */
  readonly applied: { readonly image: ClusterImage; readonly previous: ClusterImage }[];
  readonly fatal: Error[];
  onApply: (image: ClusterImage) => void;
  create(name: string, done: (outcome: ChangeOutcome<readonly CreatedTopic[]>) => void): void;
  /** Creates a topic with two partitions and waits for it. */
  createNow(name: string): void;
}

export class QuorumWorld {
  readonly #files: MemoryFileSystem;
  readonly #random: SeededRandom;
  readonly #snapshots: SnapshotPolicy;
  readonly #voters: readonly number[];
  #syncsHeld = false;
  #run: Run | null = null;

  constructor(
    seed = 1,
    options: {
      readonly bytesBetweenSnapshots?: number;
      readonly maxIntervalMs?: number;
      readonly voters?: readonly number[];
    } = {},
  ) {
    this.#random = new SeededRandom(seed);
    this.#files = new MemoryFileSystem({ random: this.#random, completions: 'held' });
    this.#voters = options.voters ?? [1];
    this.#snapshots = {
      maxBytes: options.bytesBetweenSnapshots ?? 20_971_520,
      maxIntervalMs: options.maxIntervalMs ?? 0,
    };
  }

  /** Opens the log directory and replays the metadata; the node does not lead yet. */
  open(): Run {
    const { config } = loadConfig({});
    const schema = controllerSchema(config);
    const clock = new ManualClock();
    const turns = new ManualTurns();
    const random = this.#random;
    const fileSystem = this.#files;
    const directory = openLogDirectory({
      path: PATH,
      clusterId: 'wlRg8jBZQhqo0Y-qbWmJZA',
      nodeId: 1,
      fileSystem,
      clock,
      timers: clock,
      turns,
      random,
    });
    const metrics = createMetrics();
    const fatal: Error[] = [];
    const node = new QuorumNode({
      settings: {
        nodeId: 1,
        directoryId: directory.directoryId,
        clusterId: directory.clusterId,
        voters: this.#voters.map((id) => ({ id, host: 'nowhere', port: id })),
        listenerName: 'CONTROLLER',
        timing: DEFAULT_QUORUM_TIMING,
        limits: DEFAULT_QUORUM_LIMITS,
      },
      directory,
      fileSystem,
      network: new MemoryNetwork(turns),
      clock,
      timers: clock,
      random,
      log: silentLogger,
      segmentBytes: 1_073_741_824,
      snapshots: this.#snapshots,
      fatal: (error) => fatal.push(error),
    });
    watchElections(node, silentLogger, metrics);
    const context = { defaults: { numPartitions: 2, replicationFactor: 1 }, schema, random };
    const run: Run = {
      node,
      clock,
      brokerEpoch: -1,
      directory,
      turns,
      metrics,
      context,
      applied: [],
      fatal,
      onApply: () => {},
      create: (name, done) => {
        const topics = [{ name, numPartitions: -1, replicationFactor: -1, assignments: [], configs: [] }];
        node.change((image) => createTopics(image, { topics, validateOnly: false }, context), done);
      },
      createNow: (name) => {
        const outcomes: ChangeOutcome<readonly CreatedTopic[]>[] = [];
        run.create(name, (outcome) => outcomes.push(outcome));
        this.settle();
        const [outcome] = outcomes;
        if (outcome?.kind === 'committed' && outcome.answer[0]?.errorCode === 0) return;
        throw new Error(`topic ${name} was not created: ${JSON.stringify(outcome)}`);
      },
    };
    this.#run = run;
    return run;
  }

  startOpened(run: Run): void {
    const { node, context } = run;
    node.start();
    this.settle();
    if (node.term === null) throw new Error('the only voter does not lead');
    const { schema, random } = context;
    const request = {
      brokerId: 1,
      incarnationId: randomUuid(random),
      endpoints: [{ name: 'PLAINTEXT', host: 'localhost', port: 9092, securityProtocol: 0 }],
      features: [],
      rack: null,
      logDirs: [run.directory.directoryId],
      previousBrokerEpoch: run.directory.previousBrokerEpoch ?? -1,
    };
    node.change(
      (image) => ({ records: bootstrapRecords(image), answer: null }),
      () => {},
    );
    node.change(
      (image) => registerBroker(image, request, { schema, sessionAlive: false }),
      (outcome) => {
        if (outcome.kind === 'committed') run.brokerEpoch = outcome.answer.brokerEpoch;
      },
    );
    this.settle();
    node.attach((image, previous) => {
      run.applied.push({ image, previous });
      run.onApply(image);
    });
    node.change(
      (image) => unfenceBroker(image, 1, run.brokerEpoch, schema),
      () => {},
    );
    this.settle();
    if (node.image.brokers.get(1)?.fenced !== false) throw new Error('the broker is not registered');
  }

  /** Opens the log directory and leads the quorum, without a broker. */
  lead(): Run {
    const run = this.open();
    run.node.start();
    this.settle();
    if (run.node.term === null) throw new Error('the only voter does not lead');
    return run;
  }

  start(): Run {
    const run = this.open();
    this.startOpened(run);
    return run;
  }

  /** Ends turns and delivers completions, at most so many, until nothing is left that may happen. */
  settle(steps: number = Number.POSITIVE_INFINITY): void {
    for (let step = 0; step < steps; step += 1) {
      this.#run?.turns.end();
      const next = this.#files.heldCompletions.findIndex(({ name }) => !this.#syncsHeld || name !== 'sync');
      if (next !== -1) this.#files.deliver(next);
      else if ((this.#run?.turns.pending ?? 0) === 0) return;
    }
  }

  /** Lets so much time go by, in small steps. */
  pass(milliseconds: number): void {
    for (let passed = 0; passed < milliseconds; passed += 50) {
      this.#run?.clock.advance(50);
      this.settle();
    }
  }

  /** The disk does not finish its syncs until the function given is called. */
  holdSyncs(): () => void {
    this.#syncsHeld = true;
    return () => {
      this.#syncsHeld = false;
    };
  }

  failSyncs(): void {
    this.#files.fault = ({ name }) => (name === 'sync' ? { code: 'EIO' } : undefined);
  }

  fillDisk(): { free(): void } {
    this.#files.fault = ({ name }) => (name === 'write' ? { code: 'ENOSPC', written: 0 } : undefined);
    return {
      free: () => {
        this.#files.fault = () => undefined;
      },
    };
  }

  stop(): void {
    const run = this.#run;
    if (run === null) throw new Error('nothing runs');
    let isStopped = false;
    run.node.stop(() => {
      isStopped = true;
    });
    this.settle();
    if (!isStopped) throw new Error('the node did not stop');
    run.directory.close({ brokerEpoch: run.brokerEpoch }, (error) => {
      if (error !== null) throw error;
    });
    this.settle();
    this.#run = null;
  }

  crash(): void {
    this.#files.crash({ kind: 'process' });
    this.#run = null;
  }

  powerCut(): void {
    this.#files.crash({ kind: 'power' });
    this.#run = null;
  }

  /** The power goes, and with it all that was not synced. */
  losePower(): void {
    this.#files.crash({ kind: 'power', unsynced: 'lost' });
    this.#run = null;
  }

  fileText(name: string): string {
    return Buffer.from(this.#files.readFile(`${METADATA_PATH}/${name}`)).toString('utf8');
  }

  /** How many changes the disk was asked for so far. */
  get diskChanges(): number {
    return this.#files.changes;
  }

  /** The machine goes off at the n-th change of the disk from now on: what is called then throws. */
  powerOffAfter(changes: number): void {
    this.#files.powerOffAfter(changes);
  }

  metadataFiles(): readonly string[] {
    return this.#files.readDirectory(METADATA_PATH).map(({ name }) => name);
  }

  metadataLog() {
    return this.#run?.directory.get(METADATA_TOPIC, 0);
  }

  /** Puts a file beside the metadata log, or in the place of one. */
  plant(name: string, contents: string | Uint8Array): void {
    this.#files.tamper(`${METADATA_PATH}/${name}`, () =>
      typeof contents === 'string' ? Buffer.from(contents) : contents,
    );
  }
}
