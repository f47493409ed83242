/**
 * A leader at its work, for as long as it leads: serves the log to those who fetch, commits what a majority holds, and
 * tells the voters that it leads.
 *
 * A fetch with nothing to read waits until the log grows, the high watermark passes what its sender was told, or its time
 * is up. A replica has one fetch waiting at most; the next one releases it.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { HighWatermark } from './high-watermark.ts';
import type { LogChanges } from './log-changes.ts';
import { checkPosition, type LogPosition } from './log-position.ts';
import { fetchAnswer, partitionRefused, snapshotAnswer } from './quorum-answers.ts';
import type { QuorumContext } from './quorum-context.ts';
import type { LeaderAndEpoch, LogReadRequest } from './quorum-effects.ts';
import type { LogBatch } from './quorum-log.ts';
import { QuorumMembers } from './quorum-members.ts';
import { beginQuorumEpochRequest } from './quorum-requests.ts';
import type { SnapshotPartition } from './request-check.ts';
import { RequestRound } from './request-round.ts';

export interface LeaderFetch {
  readonly token: number;
  /** -1 for a consumer, which reads what is committed and never waits. */
  readonly replicaId: number;
  readonly directoryId: string;
  readonly position: LogPosition;
  readonly maxBytes: number;
  readonly maxWaitMs: number;
}

interface WaitingFetch extends LeaderFetch {
  readonly deadlineMs: number;
}

export interface LeadershipOptions<Batch extends LogBatch> {
  readonly context: QuorumContext<Batch>;
  readonly changes: LogChanges<Batch>;
  readonly highWatermark: HighWatermark<Batch>;
  readonly epoch: number;
  /** How many times the usual time it has until a majority fetches first. */
  readonly patience: number;
}

const CONSUMER = -1;

export class Leadership<Batch extends LogBatch> {
  readonly members: QuorumMembers<Batch>;
  readonly epoch: number;
  readonly #context: QuorumContext<Batch>;
  readonly #changes: LogChanges<Batch>;
  readonly #highWatermark: HighWatermark<Batch>;
  readonly #round: RequestRound<Batch>;
  readonly #waiting = new Map<number, WaitingFetch>();
  /** The offset of this epoch's first record. */
  readonly #startOffset: number;
  readonly #patience: number;
  #termBegan = false;

  constructor({ context, changes, highWatermark, epoch, patience }: LeadershipOptions<Batch>) {
    this.#context = context;
    this.#changes = changes;
    this.#highWatermark = highWatermark;
    this.epoch = epoch;
    this.#patience = patience;
    this.members = new QuorumMembers(context);
    this.#startOffset = context.log.nextAppendOffset;
    const { requestTimeoutMs } = context.settings.timing;
    this.#round = new RequestRound(context, context.otherVoterIds, requestTimeoutMs, (voterId) =>
      beginQuorumEpochRequest(context.settings, voterId, epoch),
    );
  }

  get nextDueAtMs(): number {
    const deadlines = [...this.#waiting.values()].map(({ deadlineMs }) => deadlineMs);
    return Math.min(this.#round.nextDueAtMs, this.abandonedAtMs, ...deadlines);
  }

  /** When too few voters have fetched for too long; Infinity where no other voter is needed. */
  get abandonedAtMs(): number {
    return this.members.abandonedAtMs(this.#termBegan ? 1 : this.#patience);
  }

  /** Its first record is committed. */
  get hasBegun(): boolean {
    return this.#termBegan;
  }

  /** The epoch's first record. */
  begin(grantingVoters: readonly number[]): void {
    this.#changes.appendLeaderChange(this.#startOffset, this.epoch, grantingVoters);
  }

  run(): void {
    this.#round.run();
    this.#answerWaiting();
  }

  append(batch: Batch): void {
    const { baseOffset, lastOffset, epoch } = batch;
    const fits = baseOffset === this.#context.log.nextAppendOffset && lastOffset >= baseOffset;
    if (fits && epoch === this.epoch) this.#changes.append([batch]);
    else this.#context.emit({ type: 'append-refused', batch });
  }

  /** Whether the request was this leader's. `acknowledged`: the voter knows now. */
  beginAnswered(requestId: number, acknowledged: boolean): boolean {
    const voterId = this.#round.take(requestId);
    if (voterId !== null && acknowledged) this.#round.settle(voterId);
    return voterId !== null;
  }

  logChanged(): void {
    this.#commit();
    this.#answerWaiting();
  }

  /** Every voter that fetches has all that is here, has heard that it is committed, and waits for more. */
  get hasToldAll(): boolean {
    const { log, otherVoterIds, monotonic, settings } = this.#context;
    if (log.logEndOffset < log.nextAppendOffset) return false;
    return otherVoterIds.every((id) => {
      const progress = this.members.progressOf(id);
      const isThere = progress !== null && progress.logEndOffset >= 0;
      if (!isThere || monotonic - progress.lastHeardMs > settings.timing.fetchTimeoutMs) return true;
      const waiting = this.#waiting.get(id);
      return waiting !== undefined && !this.#hasTidings(waiting);
    });
  }

  fetch(fetch: LeaderFetch): void {
    const { replicaId, position } = fetch;
    if (replicaId !== CONSUMER) this.#heard(replicaId, fetch.directoryId);
    const verdict = checkPosition(this.#context.log, position);
    if (verdict.kind === 'valid') {
      this.#report(replicaId, position.offset);
      this.#answerOrWait(fetch);
      return;
    }
    const found =
      verdict.kind === 'snapshot'
        ? { snapshotId: verdict.id }
        : { diverging: { epoch: verdict.epoch, endOffset: verdict.endOffset } };
    this.#respond(fetch, found, null);
  }

  fetchSnapshot(
    token: number,
    replicaId: number,
    maxBytes: number,
    { snapshotId: id, position, replicaDirectoryId }: SnapshotPartition,
  ): void {
    if (replicaId !== CONSUMER) this.#heard(replicaId, replicaDirectoryId);
    const latest = this.#context.log.latestSnapshot;
    const isHere = latest?.id.endOffset === id.endOffset && latest.id.epoch === id.epoch;
    if (latest === null || !isHere) return this.#refuseSnapshot(token, ErrorCode.SNAPSHOT_NOT_FOUND);
    if (position < 0 || position >= latest.sizeInBytes) {
      return this.#refuseSnapshot(token, ErrorCode.POSITION_OUT_OF_RANGE);
    }
    const { snapshotChunkBytes } = this.#context.settings.limits;
    const answer = { errorCode: 0, leader: this.#self, id, size: latest.sizeInBytes, position };
    const read = {
      from: 'snapshot',
      id,
      position,
      maxBytes: Math.max(1, Math.min(maxBytes, snapshotChunkBytes)),
    } as const;
    this.#context.emit({ type: 'respond', token, read, ...snapshotAnswer(answer) });
  }

  /** Leads no more. Whoever waits is told, and told of the next leader if one is known. */
  end(leader: LeaderAndEpoch): void {
    for (const { token } of this.#waiting.values()) {
      const answer = partitionRefused('fetch', ErrorCode.NOT_LEADER_OR_FOLLOWER, leader);
      this.#context.emit({ type: 'respond', token, read: null, ...answer });
    }
    this.#waiting.clear();
    if (this.#termBegan) this.#context.emit({ type: 'term-ended', epoch: this.epoch });
  }

  get #self(): LeaderAndEpoch {
    return { leaderId: this.#context.nodeId, epoch: this.epoch };
  }

  #heard(replicaId: number, directoryId: string): void {
    const { gaveWay } = this.members.heard(replicaId, directoryId);
    if (gaveWay !== null) this.#release(gaveWay);
    // One that fetches here knows who leads.
    this.#round.settle(replicaId);
  }

  #report(replicaId: number, offset: number): void {
    const { log, moment } = this.#context;
    this.members.progressOf(replicaId)?.fetched(offset, log.logEndOffset, moment);
    if (this.#commit()) this.#answerWaiting();
  }

  /** Only a record of this epoch commits those before it: an older one on a majority may still be overwritten. */
  #commit(): boolean {
    const end = this.members.majorityEnd;
    if (end <= this.#startOffset || !this.#highWatermark.raise(end)) return false;
    if (!this.#termBegan) {
      this.#termBegan = true;
      this.#context.emit({ type: 'term-began', epoch: this.epoch, offset: this.#highWatermark.offset });
    }
    return true;
  }

  #answerOrWait(fetch: LeaderFetch): void {
    this.#release(fetch.replicaId);
    const deadlineMs = this.#context.monotonic + Math.max(0, fetch.maxWaitMs);
    if (fetch.replicaId === CONSUMER || fetch.maxWaitMs <= 0 || this.#hasTidings(fetch)) this.#answer(fetch);
    else this.#waiting.set(fetch.replicaId, { ...fetch, deadlineMs });
  }

  #answerWaiting(): void {
    for (const waiting of this.#waiting.values()) {
      if (this.#hasTidings(waiting) || this.#context.monotonic >= waiting.deadlineMs) {
        this.#release(waiting.replicaId);
      }
    }
  }

  #release(replicaId: number): void {
    const waiting = this.#waiting.get(replicaId);
    if (waiting === undefined) return;
    this.#waiting.delete(replicaId);
    this.#answer(waiting);
  }

  #hasTidings({ replicaId, position }: LeaderFetch): boolean {
    const told = this.members.progressOf(replicaId)?.toldHighWatermark ?? -1;
    return this.#context.log.logEndOffset > position.offset || this.#highWatermark.offset > told;
  }

  #answer(fetch: LeaderFetch): void {
    const { log, settings } = this.#context;
    const { offset: fromOffset } = fetch.position;
    const toOffset = fetch.replicaId === CONSUMER ? this.#highWatermark.offset : log.logEndOffset;
    const maxBytes = Math.max(1, Math.min(fetch.maxBytes, settings.limits.fetchMaxBytes));
    const isEmpty = fromOffset >= toOffset || fromOffset < log.logStartOffset;
    this.#respond(fetch, {}, isEmpty ? null : { from: 'log', fromOffset, toOffset, maxBytes });
  }

  #respond(
    { token, replicaId }: LeaderFetch,
    found: Pick<Parameters<typeof fetchAnswer>[0], 'diverging' | 'snapshotId'>,
    read: LogReadRequest | null,
  ): void {
    const { offset: highWatermark } = this.#highWatermark;
    const { logStartOffset } = this.#context.log;
    const progress = this.members.progressOf(replicaId);
    // One whose log parts from this one takes no high watermark from the answer that says so.
    const isTold = found.diverging === undefined && found.snapshotId === undefined;
    if (progress !== null && isTold) progress.toldHighWatermark = highWatermark;
    const answer = { errorCode: 0, leader: this.#self, highWatermark, logStartOffset, ...found };
    this.#context.emit({ type: 'respond', token, read, ...fetchAnswer(answer) });
  }

  #refuseSnapshot(token: number, errorCode: number): void {
    const answer = partitionRefused('fetchSnapshot', errorCode, this.#self);
    this.#context.emit({ type: 'respond', token, read: null, ...answer });
  }
}
