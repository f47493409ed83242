/**
 * A node's metadata over a disk in memory, for tests: runs of the node that follow each other on one disk, stopped in
 * order, killed, or cut off from power. Nothing happens by itself: `settle` ends turns and delivers what the disk owes.
 */
import { type LogDirectory, openLogDirectory } from '@seatlog/commit-log';
import {
  type ChangeOutcome,
  type ClusterImage,
  type CreatedTopic,
  type CreateTopicsContext,
  createTopics,
  METADATA_TOPIC,
} from '@seatlog/metadata-quorum';
import { ManualClock, ManualTurns, MemoryFileSystem, SeededRandom } from '@seatlog/runtime/testing';
import { controllerSchema } from '../../config/controller-schema.ts';
import { loadConfig } from '../../config/load.ts';
import { silentLogger } from '../../logger.ts';
import { type BrokerMetrics, createMetrics } from '../../metrics.ts';
import { MetadataNode } from '../metadata-node.ts';

const PATH = '/logs';
const METADATA_PATH = `${PATH}/${METADATA_TOPIC}-0`;

export interface Run {
  readonly node: MetadataNode;
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

export class MetadataWorld {
  readonly #files: MemoryFileSystem;
  readonly #random: SeededRandom;
  readonly #bytesBetweenSnapshots: number;
  #syncsHeld = false;
  #run: Run | null = null;

  constructor(seed = 1, options: { readonly bytesBetweenSnapshots?: number } = {}) {
    this.#random = new SeededRandom(seed);
    this.#files = new MemoryFileSystem({ random: this.#random, completions: 'held' });
    this.#bytesBetweenSnapshots = options.bytesBetweenSnapshots ?? 20_971_520;
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
    const node = new MetadataNode({
      directory,
      fileSystem,
      clock,
      random,
      log: silentLogger,
      metrics,
      schema,
      bytesBetweenSnapshots: this.#bytesBetweenSnapshots,
      fatal: (error) => fatal.push(error),
    });
    const context = { defaults: { numPartitions: 2, replicationFactor: 1 }, schema, random };
    const run: Run = {
      node,
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
    const outcomes: (Error | null)[] = [];
    const registration = {
      endpoints: [{ name: 'PLAINTEXT', host: 'localhost', port: 9092, securityProtocol: 0 }],
      rack: null,
      apply: (image: ClusterImage, previous: ClusterImage) => {
        run.applied.push({ image, previous });
        run.onApply(image);
      },
    };
    run.node.start(registration, (error) => outcomes.push(error));
    this.settle();
    if (outcomes.length !== 1) throw new Error(`the start ended ${outcomes.length} times`);
    if (outcomes[0] instanceof Error) throw outcomes[0];
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
    run.node.close();
    run.directory.close({ brokerEpoch: run.node.brokerEpoch }, (error) => {
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
  plant(name: string, contents: string): void {
    this.#files.tamper(`${METADATA_PATH}/${name}`, () => Buffer.from(contents));
  }
}
