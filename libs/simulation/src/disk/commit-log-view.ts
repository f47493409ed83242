/** A partition's log of commit-log, with the batches that are in it at hand. */
import { batchesIn } from '@seatlog/kafka-protocol';
import type { LogError, LogRead, PartitionLog } from '@seatlog/commit-log';
import type { EpochEndOffset } from '@seatlog/replication';
import type { BrokerLog, LeaderAppendVerdict, WriteDone } from './log-store.ts';
import { type StoredBatch, storedBatch } from './stored-batch.ts';

const ALL_BYTES = 64 * 1024 * 1024;

/** Runs the action as an event of its own; never, if the process is gone by then. */
export type Afterwards = (label: string, action: () => void) => void;

export class CommitLogView implements BrokerLog {
  failed: () => void = () => {};
  readonly #log: PartitionLog;
  readonly #afterwards: Afterwards;
  readonly #batches: StoredBatch[] = [];
  #readTo: number;
  #generation = 0;
  #isOver = false;

  /**
   * `known`: what the last process had. A start only takes away from its end, so that what is left is looked at without
   * reading it: that would come upon rot that nobody else has come upon.
   */
  constructor(log: PartitionLog, afterwards: Afterwards, known: readonly StoredBatch[]) {
    this.#log = log;
    this.#afterwards = afterwards;
    // Files that were about to be deleted may be there again, before what is known.
    const isAll = (known[0]?.baseOffset ?? 0) <= log.logStartOffset;
    const kept = isAll ? known.filter(({ lastOffset }) => lastOffset < log.logEndOffset) : [];
    this.#batches.push(...kept);
    this.#readTo = (kept.at(-1)?.lastOffset ?? log.logStartOffset - 1) + 1;
  }

  get logStartOffset(): number {
    return this.#log.logStartOffset;
  }

  get logEndOffset(): number {
    return this.#log.logEndOffset;
  }

  get nextAppendOffset(): number {
    return this.#log.nextAppendOffset;
  }

  get highWatermark(): number {
    return this.#log.highWatermark;
  }

  get latestLeaderEpoch(): number {
    return this.#log.latestLeaderEpoch;
  }

  get failure(): LogError | null {
    return this.#log.failure;
  }

  get hasFoundRot(): boolean {
    return this.#log.failure?.code === 'LOG_CORRUPT';
  }

  get epochs(): readonly { readonly epoch: number; readonly startOffset: number }[] {
    return this.#log.leaderEpochs;
  }

  get generation(): number {
    return this.#generation;
  }

  get batches(): readonly StoredBatch[] {
    this.#readToTheEnd();
    return this.#batches;
  }

  /** The process ends: what it has written can be looked at later, and is read no more. */
  end(): void {
    this.#readToTheEnd();
    this.#isOver = true;
  }

  endOffsetForEpoch(epoch: number): EpochEndOffset {
    return this.#log.endOffsetForEpoch(epoch);
  }

  placeOf(offset: number): number {
    const { batches } = this;
    const place = batches.findIndex(({ lastOffset }) => lastOffset >= offset);
    return place < 0 ? batches.length : place;
  }

  assignLeaderEpoch(epoch: number, startOffset: number): void {
    this.#log.assignLeaderEpoch(epoch, startOffset);
  }

  updateHighWatermark(offset: number): void {
    this.#log.updateHighWatermark(offset);
  }

  append(batch: Uint8Array, leaderEpoch: number, done: WriteDone): LeaderAppendVerdict {
    let isQueued = false;
    const result = this.#log.append(new Uint8Array(batch), leaderEpoch, (error) => {
      if (isQueued) this.#tell('appended', error, done);
    });
    if (!result.accepted) {
      const isOutOfOrder = result.error.code === 'OUT_OF_ORDER_SEQUENCE_NUMBER';
      return { kind: isOutOfOrder ? 'out-of-order' : 'refused' };
    }
    const { duplicate, firstOffset: baseOffset, lastOffset } = result;
    isQueued = !duplicate || lastOffset >= this.logEndOffset;
    return { kind: isQueued ? 'queued' : 'duplicate', baseOffset, lastOffset };
  }

  appendAsFollower(records: Uint8Array, done: WriteDone): void {
    const result = this.#log.appendAsFollower(new Uint8Array(records), (error) =>
      this.#tell('appended', error, done),
    );
    if (!result.accepted) this.#afterwards('append refused', () => done('retry'));
  }

  read(offset: number, upperBound: number, maxBytes: number): Uint8Array | null {
    let read: LogRead;
    try {
      read = this.#log.read(offset, { upperBound, maxBytes });
    } catch (error) {
      if (this.hasFoundRot) return null;
      throw error;
    }
    const given = new Uint8Array(read.sizeBytes);
    let at = 0;
    for (const bytes of read.records) {
      given.set(bytes, at);
      at += bytes.length;
    }
    read.release();
    return given;
  }

  distrust(): void {
    this.#log.distrust();
  }

  probeRoom(done: (hasRoom: boolean) => void): void {
    this.#log.probeRoom((error) => this.#afterwards('looked for room', () => done(error === null)));
  }

  raiseLogStart(offset: number): void {
    this.#log.deleteRecordsBefore(offset);
  }

  truncateTo(offset: number, done: WriteDone): void {
    this.#log.truncateTo(offset, (error) => this.#cut(error, done));
  }

  restartAt(offset: number, done: WriteDone): void {
    this.#log.truncateFullyAndStartAt(offset, (error) => this.#cut(error, done));
  }

  /** Compared where nothing was deleted: what deleted records said is remembered in snapshots alone. */
  producersProblem(): string | null {
    return null;
  }

  #cut(error: LogError | null, done: WriteDone): void {
    this.#generation += 1;
    // What is left is what it was: to read it again could come upon rot.
    while ((this.#batches.at(-1)?.lastOffset ?? -1) >= this.#log.logEndOffset) this.#batches.pop();
    this.#readTo = (this.#batches.at(-1)?.lastOffset ?? this.#log.logStartOffset - 1) + 1;
    this.#tell('cut', error, done);
  }

  #tell(label: string, error: LogError | null, done: WriteDone): void {
    this.#afterwards(label, () => {
      if (error === null) done('done');
      else done(this.#log.failure === null ? 'retry' : 'failed');
    });
  }

  #readToTheEnd(): void {
    const { logStartOffset, logEndOffset } = this.#log;
    if (this.#readTo < logStartOffset) this.#readTo = logStartOffset;
    while ((this.#batches[0]?.lastOffset ?? logStartOffset) < logStartOffset) this.#batches.shift();
    if (this.#readTo < logEndOffset && !this.#isOver) this.#readOn(logEndOffset);
  }

  #readOn(end: number): void {
    const read = this.#log.read(this.#readTo, { upperBound: end, maxBytes: ALL_BYTES });
    for (const bytes of read.records) {
      for (const batch of batchesIn(bytes)) this.#batches.push(storedBatch(new Uint8Array(batch)));
    }
    read.release();
    this.#readTo = end;
  }
}
