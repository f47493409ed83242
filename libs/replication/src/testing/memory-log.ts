/**
 * A partition's log in memory, by the promises of commit-log: offsets are assigned at once, the end moves when a write is
 * done, truncation drops what is queued, batches stay the bytes they were.
 */
import {
  batchBaseOffset,
  batchesIn,
  batchLastOffset,
  batchPartitionLeaderEpoch,
} from '@seatlog/kafka-protocol';
import type { EpochEndOffset, ReplicaLog } from '../replica-log.ts';
import { sampleBatch, wordsOf } from './sample-batch.ts';

export interface StoredBatch {
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly leaderEpoch: number;
  readonly bytes: Uint8Array;
}

interface EpochStart {
  readonly epoch: number;
  readonly startOffset: number;
}

/** A batch with its offsets that is not in the log yet. */
export interface QueuedAppend {
  readonly bytes: Uint8Array;
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly generation: number;
}

export class MemoryLog implements ReplicaLog {
  #batches: StoredBatch[] = [];
  #epochs: EpochStart[] = [];
  #start = 0;
  #end = 0;
  #queuedEnd = 0;
  #highWatermark = 0;
  failure: object | null = null;
  /** Rises when what is queued is dropped. */
  #generation = 0;

  /** `'0@0,1@10'` and an end: a log of one batch for each epoch, its words `<epoch>:<offset>`. */
  static of(epochs: string, endOffset: number, highWatermark = 0): MemoryLog {
    const log = new MemoryLog();
    const starts = epochs
      .split(',')
      .filter((text) => text !== '')
      .map((text) => text.split('@').map(Number) as [number, number]);
    starts.forEach(([epoch, start], place) => {
      const next = starts[place + 1]?.[1] ?? endOffset;
      log.assignLeaderEpoch(epoch, start);
      for (let offset = start; offset < next; offset++) log.append([`${epoch}:${offset}`], epoch);
    });
    log.updateHighWatermark(highWatermark);
    return log;
  }

  get logStartOffset(): number {
    return this.#start;
  }

  get logEndOffset(): number {
    return this.#end;
  }

  get nextAppendOffset(): number {
    return this.#queuedEnd;
  }

  get highWatermark(): number {
    return this.#highWatermark;
  }

  get latestLeaderEpoch(): number {
    return this.#epochs.at(-1)?.epoch ?? -1;
  }

  /** Rises with every truncation. */
  get generation(): number {
    return this.#generation;
  }

  get batches(): readonly StoredBatch[] {
    return this.#batches;
  }

  /** As the file has it: version, count, then `epoch startOffset`. */
  get epochCheckpoint(): string {
    return ['0', this.#epochs.length, ...this.#epochs.map((it) => `${it.epoch} ${it.startOffset}`)].join(' ');
  }

  /** Epochs that begin after the offset, as `epoch@start`. */
  epochsFrom(offset: number): string {
    const later = this.#epochs.filter((entry) => entry.startOffset > offset);
    return later.map((entry) => `${entry.epoch}@${entry.startOffset}`).join(',');
  }

  endOffsetForEpoch(epoch: number): EpochEndOffset {
    if (epoch < 0 || epoch > this.latestLeaderEpoch) return { epoch: -1, endOffset: -1 };
    if (epoch === this.latestLeaderEpoch) return { epoch, endOffset: this.#end };
    const later = this.#epochs.find((entry) => entry.epoch > epoch);
    const own = this.#epochs.findLast((entry) => entry.epoch <= epoch);
    return { epoch: own?.epoch ?? epoch, endOffset: later?.startOffset ?? this.#end };
  }

  assignLeaderEpoch(epoch: number, startOffset: number): void {
    if (epoch === this.latestLeaderEpoch) return;
    this.#epochs = this.#epochs.filter((entry) => entry.epoch < epoch && entry.startOffset < startOffset);
    this.#epochs.push({ epoch, startOffset });
  }

  /** A leader's append, queued. */
  queue(words: readonly string[], leaderEpoch: number): QueuedAppend {
    const baseOffset = this.#queuedEnd;
    this.#queuedEnd += words.length;
    const bytes = sampleBatch(words, { baseOffset, leaderEpoch });
    return { bytes, baseOffset, lastOffset: this.#queuedEnd - 1, generation: this.#generation };
  }

  /** The queued append is written; false if it was dropped meanwhile. */
  write({ bytes, baseOffset, generation }: QueuedAppend): boolean {
    if (generation !== this.#generation || baseOffset !== this.#end) return false;
    this.#store(bytes);
    return true;
  }

  append(words: readonly string[], leaderEpoch: number): number {
    const queued = this.queue(words, leaderEpoch);
    this.write(queued);
    return queued.lastOffset;
  }

  /** A follower's append; false unless it continues the log. */
  appendAsFollower(records: Uint8Array): boolean {
    if (batchBaseOffset(records, 0) !== this.#queuedEnd || this.#queuedEnd !== this.#end) return false;
    for (const batch of batchesIn(records)) this.#store(batch.slice());
    this.#queuedEnd = this.#end;
    return true;
  }

  /** Whole batches from the offset on, below the bound; the first one even if it is larger than `maxBytes`. */
  read(offset: number, upperBound: number, maxBytes = Number.POSITIVE_INFINITY): Uint8Array {
    const given: Uint8Array[] = [];
    let size = 0;
    for (const batch of this.#batches) {
      if (batch.lastOffset < offset) continue;
      if (batch.lastOffset >= upperBound || (size > 0 && size + batch.bytes.length > maxBytes)) break;
      given.push(batch.bytes);
      size += batch.bytes.length;
    }
    return Buffer.concat(given);
  }

  words(from = this.#start, to = this.#end): string[] {
    return this.#batches
      .flatMap((batch) => wordsOf(batch.bytes).map((word, at) => ({ word, offset: batch.baseOffset + at })))
      .filter(({ offset }) => offset >= from && offset < to)
      .map(({ word }) => word);
  }

  updateHighWatermark(offset: number): void {
    this.#highWatermark = Math.min(Math.max(offset, this.#start), this.#end);
  }

  raiseLogStart(offset: number): void {
    this.#start = Math.max(this.#start, Math.min(offset, this.#highWatermark));
    this.#batches = this.#batches.filter((batch) => batch.lastOffset >= this.#start);
    const inForce = this.#epochs.findLast((entry) => entry.startOffset <= this.#start);
    const later = this.#epochs.filter((entry) => entry.startOffset > this.#start);
    this.#epochs =
      inForce === undefined ? later : [{ epoch: inForce.epoch, startOffset: this.#start }, ...later];
  }

  /** A batch that holds the offset goes as a whole. */
  truncateTo(offset: number): void {
    this.dropQueued();
    this.#batches = this.#batches.filter((batch) => batch.lastOffset < offset);
    if (offset < this.#end)
      this.#end = Math.max(this.#start, (this.#batches.at(-1)?.lastOffset ?? this.#start - 1) + 1);
    this.#queuedEnd = this.#end;
    this.#epochs = this.#epochs.filter((entry) => entry.startOffset < offset);
    this.#highWatermark = Math.min(this.#highWatermark, this.#end);
  }

  restartAt(offset: number): void {
    this.dropQueued();
    this.#batches = [];
    this.#epochs = [];
    this.#start = offset;
    this.#end = offset;
    this.#queuedEnd = offset;
    this.#highWatermark = offset;
  }

  /** The process ends, or the queue is given up: what was not written is gone. */
  dropQueued(): void {
    this.#generation += 1;
    this.#queuedEnd = this.#end;
  }

  #store(bytes: Uint8Array): void {
    const leaderEpoch = batchPartitionLeaderEpoch(bytes, 0);
    const baseOffset = batchBaseOffset(bytes, 0);
    if (leaderEpoch > this.latestLeaderEpoch) this.assignLeaderEpoch(leaderEpoch, baseOffset);
    this.#batches.push({ baseOffset, lastOffset: batchLastOffset(bytes, 0), leaderEpoch, bytes });
    this.#end = batchLastOffset(bytes, 0) + 1;
    this.#queuedEnd = Math.max(this.#queuedEnd, this.#end);
  }
}
