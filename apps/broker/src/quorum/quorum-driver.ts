/**
 * Carries out what this node's replica of the metadata log asks for: on the disk, on the network, in time.
 *
 * Events are given to the replica one after another, and the effects of one are carried out in their order before the
 * next. The quorum state is on disk before anything that follows from it is done: while the disk has no room for it,
 * everything waits; if the disk refuses it otherwise, the node fails. What the node makes of its standing (leader, high
 * watermark, terms) is told to the owner from within these steps.
 */
import type { apis, RequestOf, ResponseInput } from '@seatlog/kafka-protocol';
import {
  type LeaderAndEpoch,
  type LeaderBefore,
  type LoadedSnapshot,
  type QuorumApiName,
  type QuorumDescription,
  type QuorumEffect,
  type QuorumEvent,
  QuorumReplica,
  type QuorumSettings,
  type QuorumState,
  type ReceivedRequest,
  type Respond,
  type SendRequest,
  type SnapshotEffect,
  type StandingEffect,
} from '@seatlog/metadata-quorum';
import {
  type Cancel,
  type Clock,
  FileSystemError,
  isOutOfSpace,
  type Random,
  type Timers,
} from '@seatlog/runtime';
import type { Logger } from '../logger.ts';
import { fetchedBatches } from './fetched-batches.ts';
import type { EncodedBatch, MetadataLog } from './metadata-log.ts';
import type { QuorumConnections } from './quorum-connections.ts';
import { type ReadyResponse, withRecords } from './quorum-records.ts';
import type { QuorumStateFile } from './quorum-state-file.ts';

/** How long everything waits before the quorum state is tried again on a full disk. */
const FULL_DISK_PAUSE_MS = 1000;

export interface QuorumDriverOwner {
  leaderChanged(leader: LeaderAndEpoch): void;
  /** Everything below the offset is committed. */
  highWatermarkMoved(offset: number): void;
  /** A snapshot came from the leader and stands for all before its end. */
  snapshotInstalled(snapshot: LoadedSnapshot): void;
  termBegan(epoch: number): void;
  termEnded(epoch: number): void;
  /** Why a batch of this node's was not written; if it led, its term ends. */
  appendFailed(error: Error): void;
  /** The node cannot go on. Nothing is told after it. */
  failed(error: unknown): void;
}

/** What other nodes ask of this one's part in the quorum. */
export type QuorumRequests = Pick<QuorumDriver, 'request' | 'describe'>;

export interface QuorumDriverOptions {
  readonly settings: QuorumSettings;
  readonly metadataLog: MetadataLog;
  readonly stateFile: QuorumStateFile;
  readonly connections: QuorumConnections;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: Logger;
}

type Effect = QuorumEffect<EncodedBatch>;

export class QuorumDriver {
  readonly #options: QuorumDriverOptions;
  readonly #owner: QuorumDriverOwner;
  readonly #storedState: QuorumState | null;
  #replica: QuorumReplica<EncodedBatch>;
  readonly #answers = new Map<number, (response: ReadyResponse['body']) => void>();
  #events: QuorumEvent<EncodedBatch>[] = [];
  #effects: Effect[] = [];
  #nextToken = 1;
  #isRunning = false;
  #isStarted = false;
  #isClosed = false;
  #cancelTick: Cancel | null = null;
  #tickDueAtMs = Number.POSITIVE_INFINITY;
  #cancelPause: Cancel | null = null;
  #isWaitingForRoom = false;
  /** How long this node stood still until its state was on disk. The replica's clock does not go on meanwhile. */
  #stalledMs = 0;
  #whenClosed: (() => void) | null = null;

  constructor(options: QuorumDriverOptions, owner: QuorumDriverOwner) {
    this.#options = options;
    this.#owner = owner;
    this.#storedState = options.stateFile.read();
    this.#replica = this.#replicaOfLog();
  }

  get leader(): LeaderAndEpoch {
    return this.#replica.leaderAndEpoch;
  }

  get highWatermark(): number {
    return this.#replica.highWatermark;
  }

  /** When the leader that this node followed before it led answered last; null if there was none. */
  get leaderBefore(): LeaderBefore | null {
    const before = this.#replica.leaderBefore;
    return before === null ? null : { ...before, lastHeardMs: before.lastHeardMs + this.#stalledMs };
  }

  get description(): QuorumDescription {
    return this.#replica.description;
  }

  start(): void {
    this.#options.metadataLog.prepare((error) => {
      if (this.#isClosed) return;
      if (error !== null) return this.#fail(error);
      // The log may have been begun anew: what was read of it before no longer holds.
      this.#replica = this.#replicaOfLog();
      this.#isStarted = true;
      this.#events.unshift({ type: 'started' });
      this.#run();
    });
  }

  give(event: QuorumEvent<EncodedBatch>): void {
    if (this.#isClosed) return;
    this.#events.push(event);
    this.#run();
  }

  /** A request of another node; `respond` is called once, unless this node stops before. */
  request<Name extends QuorumApiName>(
    api: Name,
    body: RequestOf<(typeof apis)[Name]>,
    respond: (response: ResponseInput<(typeof apis)[Name]>) => void,
  ): void {
    const token = this.#nextToken++;
    // The replica answers each request by its own API, so the answer fits; and a body fits the name it was given with.
    this.#answers.set(token, respond as (response: ReadyResponse['body']) => void);
    this.give({ type: 'request', token, ...({ api, body } as ReceivedRequest) });
  }

  describe(
    request: RequestOf<typeof apis.describeQuorum>,
    version: number,
  ): ResponseInput<typeof apis.describeQuorum> {
    return this.#replica.describeQuorum(request, version);
  }

  /** Hands leadership on, if this node has it, and ends. */
  stop(done: () => void): void {
    if (this.#isClosed || !this.#isStarted) {
      this.close();
      return done();
    }
    this.#whenClosed = done;
    this.give({ type: 'shutdown' });
  }

  /** Ends at once, as if the process had. */
  close(): void {
    this.#isClosed = true;
    this.#events = [];
    this.#effects = [];
    this.#answers.clear();
    this.#cancelTick?.();
    this.#cancelPause?.();
    this.#options.connections.close();
    const done = this.#whenClosed;
    this.#whenClosed = null;
    done?.();
  }

  /** A disk that syncs slowly shall not cost an election that others take part in, nor a leader that answers. */
  get #monotonic(): number {
    return this.#options.clock.monotonic() - this.#stalledMs;
  }

  #replicaOfLog(): QuorumReplica<EncodedBatch> {
    const { settings, metadataLog, random } = this.#options;
    return new QuorumReplica({ settings, log: metadataLog, storedState: this.#storedState, random });
  }

  #run(): void {
    if (this.#isRunning || !this.#isStarted || this.#isClosed || this.#cancelPause !== null) return;
    this.#isRunning = true;
    try {
      while (this.#carryOutAll()) {
        const event = this.#events.shift();
        if (event === undefined) break;
        const { clock } = this.#options;
        const moment = { now: clock.now(), monotonic: this.#monotonic };
        this.#effects.push(...this.#replica.step(event, moment));
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isRunning = false;
    }
    if (!this.#isClosed) this.#scheduleTick();
  }

  /** False if it has to wait with the rest of them. */
  #carryOutAll(): boolean {
    for (let effect = this.#effects[0]; effect !== undefined; effect = this.#effects[0]) {
      if (effect.type === 'persist-state' && !this.#hasPersisted(effect.state)) return false;
      this.#effects.shift();
      this.#carryOut(effect);
    }
    return !this.#isClosed;
  }

  #hasPersisted(state: QuorumState): boolean {
    const began = this.#monotonic;
    try {
      this.#options.stateFile.write(state);
      this.#stalledMs += this.#monotonic - began;
      this.#isWaitingForRoom = false;
      return true;
    } catch (error) {
      if (!(error instanceof FileSystemError) || !isOutOfSpace(error)) throw error;
      const { log, timers } = this.#options;
      if (!this.#isWaitingForRoom) {
        log.error('The quorum state cannot be written; this node waits for room on its disk', { error });
      }
      this.#isWaitingForRoom = true;
      this.#cancelPause = timers.schedule(FULL_DISK_PAUSE_MS, () => {
        this.#cancelPause = null;
        this.#run();
      });
      return false;
    }
  }

  #carryOut(effect: Effect): void {
    const { metadataLog, log } = this.#options;
    switch (effect.type) {
      case 'persist-state':
        return;
      case 'send':
        return this.#send(effect);
      case 'respond':
        return this.#respond(effect);
      case 'append':
        return metadataLog.append(effect.batches, (error) => this.#appended(error));
      case 'append-leader-change': {
        const { record, baseOffset, epoch } = effect;
        return metadataLog.appendLeaderChange(record, baseOffset, epoch, (error) => this.#appended(error));
      }
      case 'truncate':
        return metadataLog.truncateTo(effect.endOffset, (error) => this.#truncated(error));
      case 'append-refused':
        log.warn('A decision was not written: this node no longer leads the metadata quorum', {
          baseOffset: effect.batch.baseOffset,
          epoch: effect.batch.epoch,
        });
        return;
      case 'log':
        return log[effect.line.level](effect.line.message, effect.line.fields);
      case 'closed':
        return this.close();
      default:
        return this.#tell(effect);
    }
  }

  #tell(effect: SnapshotEffect | StandingEffect): void {
    const { metadataLog } = this.#options;
    switch (effect.type) {
      case 'begin-snapshot':
        return metadataLog.beginSnapshot(effect.id);
      case 'write-snapshot':
        return metadataLog.writeSnapshot(effect.position, effect.bytes);
      case 'discard-snapshot':
        return metadataLog.abandonSnapshot();
      case 'install-snapshot':
        return this.#installSnapshot(effect.id);
      case 'high-watermark':
        return this.#owner.highWatermarkMoved(effect.offset);
      case 'leader-changed':
        return this.#owner.leaderChanged(effect.leader);
      case 'term-began':
        return this.#owner.termBegan(effect.epoch);
      case 'term-ended':
        return this.#owner.termEnded(effect.epoch);
    }
  }

  #send(request: SendRequest): void {
    const { requestId } = request;
    this.#options.connections.send(request, (response, closed) => {
      if (response === null) return this.give({ type: 'request-failed', requestId, closed });
      const records =
        response.api === 'fetch' ? response.body.responses[0]?.partitions[0]?.records : undefined;
      const batches = fetchedBatches(records ?? new Uint8Array(0));
      this.give({ type: 'response', requestId, batches, ...response });
    });
  }

  #respond(effect: Respond): void {
    const answer = this.#answers.get(effect.token);
    this.#answers.delete(effect.token);
    answer?.(withRecords(effect, this.#options.metadataLog).body);
  }

  #appended(error: Error | null): void {
    if (error === null) return this.give({ type: 'log-changed' });
    if (this.#isClosed) return;
    if (this.#options.metadataLog.failure !== null) return this.#fail(error);
    this.#owner.appendFailed(error);
    this.give({ type: 'append-failed' });
  }

  /** A log that cannot be cut holds what others do not have: it cannot be gone on with. */
  #truncated(error: Error | null): void {
    if (error === null) this.give({ type: 'log-changed' });
    else this.#fail(error);
  }

  #installSnapshot(id: { readonly endOffset: number; readonly epoch: number }): void {
    const { metadataLog, log } = this.#options;
    metadataLog.completeSnapshot((error, snapshot) => {
      if (this.#isClosed) return;
      if (metadataLog.failure !== null) return this.#fail(metadataLog.failure);
      if (snapshot === null) {
        log.warn('A metadata snapshot of the leader cannot be used; it is fetched again', { ...id, error });
        return this.give({ type: 'snapshot-unfit', id });
      }
      log.info('Took a metadata snapshot over from the leader', { ...id });
      try {
        this.#owner.snapshotInstalled(snapshot);
      } catch (failure) {
        return this.#fail(failure);
      }
      this.give({ type: 'snapshot-installed', id });
    });
  }

  #scheduleTick(): void {
    const due = this.#replica.nextDueAtMs;
    if (due === this.#tickDueAtMs) return;
    this.#cancelTick?.();
    this.#cancelTick = null;
    this.#tickDueAtMs = due;
    if (due === Number.POSITIVE_INFINITY) return;
    const delay = Math.max(0, due - this.#monotonic);
    this.#cancelTick = this.#options.timers.schedule(delay, () => {
      this.#tickDueAtMs = Number.POSITIVE_INFINITY;
      this.give({ type: 'tick' });
    });
  }

  #fail(error: unknown): void {
    if (this.#isClosed) return;
    this.close();
    this.#owner.failed(error);
  }
}
