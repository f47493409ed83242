/**
 * This node's part in the metadata quorum: a voter or an observer, and the active controller while it leads.
 *
 * The way of a change: decision, records, log, sync, commit by the quorum; then the image moves, the replicas of this
 * broker are brought in line with it, listeners hear of it, and only then is the answer given. Steps after construction:
 * - `start` joins the quorum; the image follows what it commits;
 * - `attach` (brokers) brings the replicas in line with the image that stands then, and with each one after it;
 * - `stop` hands leadership on and ends; `abandon` ends at once. Both leave the log directory to its owner.
 */
import type { LogDirectory } from '@seatlog/commit-log';
import { ErrorCode } from '@seatlog/kafka-protocol';
import type {
  ChangeOutcome,
  ClusterImage,
  Decision,
  LeaderAndEpoch,
  LeaderBefore,
  QuorumDescription,
  QuorumSettings,
  RecordsToAppend,
} from '@seatlog/metadata-quorum';
import type { Clock, FileSystem, Network, Random, Timers } from '@seatlog/runtime';
import type { Logger } from '../logger.ts';
import type { ImageListener } from '../metadata/metadata-service.ts';
import { OccasionalLog } from '../network/occasional-log.ts';
import { CommittedMetadata } from './committed-metadata.ts';
import { ControllerTenure, notController } from './controller-tenure.ts';
import { MetadataLog } from './metadata-log.ts';
import type {
  ControllerTerm,
  MetadataQuorum,
  QuorumLeader,
  QuorumVoter,
  TermListener,
} from './metadata-quorum.ts';
import { QuorumConnections } from './quorum-connections.ts';
import { QuorumDriver, type QuorumDriverOwner, type QuorumRequests } from './quorum-driver.ts';
import { QuorumStateFile } from './quorum-state-file.ts';
import { type SnapshotPolicy, SnapshotSchedule } from './snapshot-schedule.ts';

export interface QuorumNodeOptions {
  readonly settings: QuorumSettings;
  readonly directory: LogDirectory;
  readonly fileSystem: FileSystem;
  readonly network: Network;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: Logger;
  /** `metadata.log.segment.bytes`. */
  readonly segmentBytes: number;
  readonly snapshots: SnapshotPolicy;
  /** The node cannot go on: its metadata log is lost to it, or an image could not be applied. Called once at most. */
  readonly fatal: (error: Error) => void;
}

export class QuorumNode implements MetadataQuorum {
  readonly #options: QuorumNodeOptions;
  readonly #metadataLog: MetadataLog;
  readonly #committed: CommittedMetadata;
  readonly #driver: QuorumDriver;
  readonly #snapshots: SnapshotSchedule;
  readonly #occasional: OccasionalLog;
  readonly #leaderListeners = new Set<(leader: QuorumLeader) => void>();
  readonly #termListeners = new Set<TermListener>();
  #leader: QuorumLeader = { id: -1, epoch: 0 };
  #term: ControllerTenure | null = null;
  /** Why the log refused a batch of the term that runs. */
  #refusal: Error | null = null;
  #isClosed = false;

  /** Opens the metadata log. Throws `MetadataError` or `LogError` if it cannot be read. */
  constructor(options: QuorumNodeOptions) {
    this.#options = options;
    const { settings, fileSystem, network, clock, timers, random, log } = options;
    const { nodeId, voters } = settings;
    this.#occasional = new OccasionalLog(clock, log);
    this.#metadataLog = new MetadataLog(options);
    this.#committed = new CommittedMetadata(this.#metadataLog);
    this.#snapshots = new SnapshotSchedule(options.snapshots, this.#committed, this.#metadataLog, options);
    const voterIds = voters.map(({ id }) => id);
    const stateFile = new QuorumStateFile(this.#metadataLog.path, voterIds, fileSystem, log);
    const connections = new QuorumConnections({ nodeId, voters, network, clock, timers, log });
    this.#driver = new QuorumDriver(
      { settings, metadataLog: this.#metadataLog, stateFile, connections, clock, timers, random, log },
      this.#driverOwner,
    );
  }

  get image(): ClusterImage {
    return this.#committed.image;
  }

  get controllerId(): number {
    return this.#leader.id;
  }

  get clusterId(): string {
    return this.#options.settings.clusterId;
  }

  get nodeId(): number {
    return this.#options.settings.nodeId;
  }

  get leader(): QuorumLeader {
    return this.#leader;
  }

  get voters(): readonly QuorumVoter[] {
    return this.#options.settings.voters;
  }

  get term(): ControllerTerm | null {
    return this.#term;
  }

  get highWatermark(): number {
    return this.#driver.highWatermark;
  }

  get leaderBefore(): LeaderBefore | null {
    return this.#driver.leaderBefore;
  }

  get description(): QuorumDescription {
    return this.#driver.description;
  }

  /** The requests of other nodes go here. */
  get requests(): QuorumRequests {
    return this.#driver;
  }

  start(): void {
    this.#driver.start();
  }

  /** For a broker, once its replicas are loaded. What `apply` throws fails the node. */
  attach(apply: ImageListener): void {
    this.#committed.attach(apply);
  }

  change<Answer>(
    decide: (image: ClusterImage) => Decision<Answer>,
    done: (outcome: ChangeOutcome<Answer>) => void,
  ): void {
    if (this.#term === null) done(notController());
    else this.#term.change(decide, done);
  }

  subscribe(listener: ImageListener): () => void {
    return this.#committed.subscribe(listener);
  }

  onLeader(listener: (leader: QuorumLeader) => void): () => void {
    this.#leaderListeners.add(listener);
    return () => this.#leaderListeners.delete(listener);
  }

  onTerm(listener: TermListener): () => void {
    this.#termListeners.add(listener);
    if (this.#term !== null) listener.termBegan(this.#term);
    return () => this.#termListeners.delete(listener);
  }

  stop(done: () => void): void {
    this.#driver.stop(() => {
      this.abandon();
      done();
    });
  }

  abandon(): void {
    this.#isClosed = true;
    this.#snapshots.close();
    this.#committed.close();
    this.#driver.close();
    this.#endTerm(ErrorCode.NOT_CONTROLLER, 'This node is stopping.');
    this.#leaderListeners.clear();
    this.#termListeners.clear();
  }

  readonly #driverOwner: QuorumDriverOwner = {
    leaderChanged: (leader) => this.#leaderChanged(leader),
    highWatermarkMoved: (offset) => this.#commit(offset),
    snapshotInstalled: (snapshot) => {
      this.#committed.replaceBy(snapshot);
    },
    termBegan: (epoch) => this.#beginTerm(epoch),
    termEnded: () => {
      const refusal = this.#refusal;
      this.#refusal = null;
      this.#endTermFor(refusal);
    },
    appendFailed: (error) => this.#appendFailed(error),
    failed: (error) => this.#fail(error),
  };

  #appendFailed(error: Error): void {
    const { log } = this.#options;
    if (this.#term === null) {
      this.#occasional.warn('A batch of the metadata log could not be written; it is asked for again', {
        error,
      });
      return;
    }
    log.error('The metadata log could not be written; what was decided is undone', { error });
    this.#refusal ??= error;
  }

  #leaderChanged({ leaderId, epoch }: LeaderAndEpoch): void {
    this.#leader = { id: leaderId, epoch };
    for (const listener of this.#leaderListeners) listener(this.#leader);
  }

  /** An image that could not be applied is no basis for an answer: what is thrown here fails the node. */
  #commit(offset: number): void {
    this.#metadataLog.committed(offset);
    this.#committed.advanceTo(offset);
    this.#term?.committed(offset - 1);
    this.#snapshots.committed();
  }

  #beginTerm(epoch: number): void {
    this.#refusal = null;
    const term = new ControllerTenure(this.image, epoch, (records) => this.#append(records));
    this.#term = term;
    for (const listener of this.#termListeners) listener.termBegan(term);
  }

  /** Where another voter can take over, whoever asked is to ask there; else it is told why its change is undone. */
  #endTermFor(refusal: Error | null): void {
    if (refusal === null || this.voters.length > 1) {
      this.#endTerm(ErrorCode.NOT_CONTROLLER, refusal?.message ?? notController().message);
    } else this.#endTerm(ErrorCode.KAFKA_STORAGE_ERROR, refusal.message);
  }

  #endTerm(errorCode: number, message: string): void {
    const term = this.#term;
    if (term === null) return;
    this.#term = null;
    term.end(this.image, errorCode, message);
    for (const listener of this.#termListeners) listener.termEnded(term);
  }

  #append(records: RecordsToAppend): void {
    try {
      this.#driver.give({ type: 'append', batch: this.#metadataLog.encode(records) });
    } catch (error) {
      // The decision stands in the term's image and cannot be in the log: the term is over.
      this.#options.log.error('Metadata records cannot be encoded; giving up leadership', { error });
      this.#driver.give({ type: 'resign' });
    }
  }

  #fail(error: unknown): void {
    if (this.#isClosed) return;
    const failure = error instanceof Error ? error : new Error(String(error));
    this.#endTermFor(failure);
    this.abandon();
    this.#options.fatal(failure);
  }
}
