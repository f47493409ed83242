/**
 * A partition's log as a fast model, by the promises of commit-log: offsets are assigned at once, the end moves when a
 * write is done, truncation drops what is queued, batches stay the bytes they were.
 *
 * Underneath is a disk with faults. What is written lies in the page cache until it is synced; a process that dies loses
 * what was queued, a power cut may lose, tear or keep each unsynced batch by itself, and any batch may rot while nobody
 * looks. Recovery checks all checksums and keeps the log up to the first gap. In flush mode a write is done when it is
 * synced. Epochs and producers are those of commit-log itself.
 */
import {
  batchBaseOffset,
  BatchHeaders,
  batchesIn,
  batchLastOffsetDelta,
  batchProducerId,
  stampBaseOffset,
  stampLeaderEpoch,
} from '@seatlog/kafka-protocol';
import { LeaderEpochCache, producerBatchOf, ProducerStateManager } from '@seatlog/commit-log/testing';
import type { EpochEndOffset, LogOutcome } from '@seatlog/replication';
import type { SeededRandom } from '@seatlog/runtime/testing';
import type { BrokerLog, LeaderAppendVerdict } from './log-store.ts';
import { isSound, type StoredBatch, storedBatch, withRot } from './stored-batch.ts';

export type Durability = 'page-cache' | 'flush';

/** Runs the action when the disk has done it, one after another; never, if the process is gone by then. */
export type DiskWrites = (label: string, action: () => void) => void;

interface QueuedBatch {
  readonly batch: StoredBatch;
  readonly generation: number;
}

export class SimulatedLog implements BrokerLog {
  /** Disks of the simulation lose and tear; they do not refuse. */
  readonly failure = null;
  readonly #durability: Durability;
  readonly #writes: DiskWrites;
  #batches: StoredBatch[] = [];
  #epochs = new LeaderEpochCache();
  #producers = new ProducerStateManager(0);
  /** As of the log start: what deleted records said is remembered. */
  #producersAtStart = new ProducerStateManager(0);
  #start = 0;
  #end = 0;
  #queuedEnd = 0;
  #syncedEnd = 0;
  #highWatermark = 0;
  #generation = 0;
  #queued: QueuedBatch[] = [];

  constructor(durability: Durability, writes: DiskWrites) {
    this.#durability = durability;
    this.#writes = writes;
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
    return this.#epochs.latestEpoch;
  }

  /** Rises with everything that takes batches away from the end. */
  get generation(): number {
    return this.#generation;
  }

  get batches(): readonly StoredBatch[] {
    return this.#batches;
  }

  get epochs(): readonly { readonly epoch: number; readonly startOffset: number }[] {
    return this.#epochs.entries;
  }

  endOffsetForEpoch(epoch: number): EpochEndOffset {
    return this.#epochs.endOffsetFor(epoch, this.#end);
  }

  assignLeaderEpoch(epoch: number, startOffset: number): void {
    this.#epochs.assign(epoch, startOffset);
  }

  updateHighWatermark(offset: number): void {
    this.#highWatermark = Math.min(Math.max(offset, this.#start), this.#end);
  }

  /** The place of the batch that holds the offset, or of the first one behind it. */
  placeOf(offset: number): number {
    let low = 0;
    let high = this.#batches.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#batches[middle] as StoredBatch).lastOffset < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** A leader's append of one batch: offset and epoch are stamped, and the producer's sequence is checked. */
  append(given: Uint8Array, leaderEpoch: number, done: (outcome: LogOutcome) => void): LeaderAppendVerdict {
    const hasProducer = batchProducerId(given) >= 0;
    if (hasProducer) {
      const check = this.#producers.check(producerBatchOf(given, 0));
      if (check.outcome === 'duplicate') {
        return { kind: 'duplicate', baseOffset: check.firstOffset, lastOffset: check.lastOffset };
      }
      if (check.outcome === 'refused') return { kind: 'out-of-order' };
    }
    const bytes = new Uint8Array(given);
    const baseOffset = this.#queuedEnd;
    stampBaseOffset(bytes, 0, baseOffset);
    stampLeaderEpoch(bytes, 0, leaderEpoch);
    this.#queuedEnd = baseOffset + batchLastOffsetDelta(bytes) + 1;
    const staged = hasProducer ? this.#producers.stage(bytes, 0) : null;
    const batch = storedBatch(bytes);
    this.#write([batch], (outcome) => {
      if (outcome === 'done' && staged !== null) this.#producers.commit(staged);
      done(outcome);
    });
    return { kind: 'queued', baseOffset, lastOffset: this.#queuedEnd - 1 };
  }

  /** A follower's append of whole batches as they are; they must continue the log. */
  appendAsFollower(records: Uint8Array, done: (outcome: LogOutcome) => void): void {
    if (batchBaseOffset(records) !== this.#queuedEnd || this.#queuedEnd !== this.#end) {
      this.#writes('append refused', () => done('retry'));
      return;
    }
    const batches = Array.from(batchesIn(records), storedBatch);
    this.#queuedEnd = (batches.at(-1)?.lastOffset ?? this.#end - 1) + 1;
    this.#write(batches, (outcome) => {
      if (outcome === 'done') for (const batch of batches) replayInto(this.#producers, batch);
      done(outcome);
    });
  }

  /** Whole batches from the offset on, below the bound; the first one even if it is larger than `maxBytes`. */
  read(offset: number, upperBound: number, maxBytes: number): Uint8Array {
    const first = this.placeOf(offset);
    let end = first;
    let size = 0;
    for (; end < this.#batches.length; end++) {
      const { lastOffset, bytes } = this.#batches[end] as StoredBatch;
      if (lastOffset >= upperBound || (size > 0 && size + bytes.length > maxBytes)) break;
      size += bytes.length;
    }
    if (end - first === 1) return (this.#batches[first] as StoredBatch).bytes;
    const given = new Uint8Array(size);
    let at = 0;
    for (let place = first; place < end; place++) {
      const { bytes } = this.#batches[place] as StoredBatch;
      given.set(bytes, at);
      at += bytes.length;
    }
    return given;
  }

  raiseLogStart(offset: number): void {
    const start = Math.min(offset, this.#highWatermark);
    if (start <= this.#start) return;
    this.#start = start;
    for (const batch of this.#batches.splice(0, this.placeOf(start)))
      replayInto(this.#producersAtStart, batch);
    this.#epochs.truncateFromStart(start);
    this.#syncedEnd = Math.max(this.#syncedEnd, start);
  }

  /** A batch that holds the offset goes as a whole. On disk when `done` is called. */
  truncateTo(offset: number, done: (outcome: LogOutcome) => void): void {
    this.#dropQueued();
    this.#writes('truncate', () => {
      this.#cut(offset);
      done('done');
    });
  }

  restartAt(offset: number, done: (outcome: LogOutcome) => void): void {
    this.#dropQueued();
    this.#writes('restart log', () => {
      this.#restart(offset);
      done('done');
    });
  }

  /** The kernel writes back what lies in the page cache. */
  writeBack(): void {
    this.#syncedEnd = this.#end;
  }

  /** The process ends. What it had handed to the kernel and was not told of may be written, in order. */
  processDied(random: SeededRandom): void {
    let survivors = this.#queued.length === 0 ? 0 : random.below(this.#queued.length + 1);
    for (const { batch, generation } of this.#queued) {
      if (survivors-- <= 0 || generation !== this.#generation || batch.baseOffset !== this.#end) break;
      this.#batches.push(batch);
      this.#end = batch.lastOffset + 1;
    }
    this.#dropQueued();
  }

  /** The power goes: each unsynced batch is kept, lost or torn by itself. Comes after `processDied`. */
  powerCut(random: SeededRandom): void {
    const first = this.#batches.findIndex((batch) => batch.lastOffset >= this.#syncedEnd);
    if (first < 0) return;
    const kept = this.#batches.slice(0, first);
    for (const batch of this.#batches.slice(first)) {
      const fate = random.below(4);
      if (fate === 0) continue;
      kept.push(fate === 1 ? withRot(batch, random.uint32()) : batch);
    }
    this.#batches = kept;
  }

  /** A bit of some batch turns while the node is off; false if there is none. */
  rot(random: SeededRandom): boolean {
    const place = random.below(this.#batches.length);
    const batch = this.#batches[place];
    if (batch === undefined) return false;
    this.#batches[place] = withRot(batch, random.uint32());
    return true;
  }

  /** The disk is another, or empty. */
  wipe(): void {
    this.#restart(0);
  }

  /** What a process finds when it starts: the log up to the first gap or damage. Everything that is found is synced. */
  recover(checkpointedHighWatermark: number): void {
    let expected = this.#start;
    let sound = 0;
    for (const batch of this.#batches) {
      const isNext = sound === 0 ? batch.baseOffset <= expected : batch.baseOffset === expected;
      if (!isNext || !isSound(batch)) break;
      expected = batch.lastOffset + 1;
      sound += 1;
    }
    this.#batches.length = sound;
    this.#end = expected;
    this.#dropQueued();
    this.#syncedEnd = expected;
    this.#recoverEpochs();
    this.#producers = this.#replayedProducers();
    this.updateHighWatermark(checkpointedHighWatermark);
  }

  producersProblem(): string | null {
    const live = described(this.#producers);
    const replayed = described(this.#replayedProducers());
    return live === replayed ? null : `${live} and not ${replayed}`;
  }

  /** The producers' states as the batches alone give them. */
  #replayedProducers(): ProducerStateManager {
    const remembered = Array.from(
      this.#producersAtStart.entries,
      (entry) => [entry.producerId, entry] as const,
    );
    const producers = new ProducerStateManager(this.#producersAtStart.mapEndOffset, new Map(remembered));
    for (const batch of this.#batches) replayInto(producers, batch);
    producers.advanceTo(this.#end);
    return producers;
  }

  /** The epoch file is written before the batches of an epoch are; the batches tell what it lacks. */
  #recoverEpochs(): void {
    for (const { leaderEpoch, baseOffset } of this.#batches) {
      if (leaderEpoch > this.#epochs.latestEpoch) this.#epochs.assign(leaderEpoch, baseOffset);
    }
    this.#epochs.truncateFromEnd(this.#end);
    this.#epochs.truncateFromStart(this.#start);
  }

  #write(batches: readonly StoredBatch[], done: (outcome: LogOutcome) => void): void {
    const generation = this.#generation;
    const queued = batches.map((batch): QueuedBatch => ({ batch, generation }));
    this.#queued.push(...queued);
    this.#writes('write', () => {
      if (generation !== this.#generation) {
        done('retry');
        return;
      }
      this.#queued.splice(0, queued.length);
      for (const batch of batches) this.#store(batch);
      if (this.#durability === 'flush') this.#syncedEnd = this.#end;
      done('done');
    });
  }

  #store(batch: StoredBatch): void {
    if (batch.leaderEpoch > this.#epochs.latestEpoch)
      this.#epochs.assign(batch.leaderEpoch, batch.baseOffset);
    this.#batches.push(batch);
    this.#end = batch.lastOffset + 1;
  }

  #cut(offset: number): void {
    if (offset < this.#end) {
      let size = this.#batches.length;
      while (size > 0 && (this.#batches[size - 1] as StoredBatch).lastOffset >= offset) size -= 1;
      this.#batches.length = size;
      this.#end = Math.max(this.#start, (this.#batches[size - 1]?.lastOffset ?? this.#start - 1) + 1);
      this.#producers = this.#replayedProducers();
    }
    this.#generation += 1;
    this.#queuedEnd = this.#end;
    this.#epochs.truncateFromEnd(offset);
    this.#syncedEnd = Math.min(this.#syncedEnd, this.#end);
    this.#highWatermark = Math.min(this.#highWatermark, this.#end);
  }

  #restart(offset: number): void {
    this.#dropQueued();
    this.#batches = [];
    this.#epochs.clear();
    this.#producers = new ProducerStateManager(offset);
    this.#producersAtStart = new ProducerStateManager(offset);
    this.#start = offset;
    this.#end = offset;
    this.#queuedEnd = offset;
    this.#syncedEnd = offset;
    this.#highWatermark = offset;
  }

  #dropQueued(): void {
    this.#generation += 1;
    this.#queued = [];
    this.#queuedEnd = this.#end;
    this.#producers.dropStaged();
  }
}

function replayInto(producers: ProducerStateManager, { bytes, lastOffset }: StoredBatch): void {
  if (batchProducerId(bytes) >= 0) producers.replay(bytes, 0, new BatchHeaders(bytes), lastOffset);
}

function described(producers: ProducerStateManager): string {
  return JSON.stringify(producers.describe().sort((one, other) => one.producerId - other.producerId));
}
