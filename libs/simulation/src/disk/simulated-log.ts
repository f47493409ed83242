/**
 * A partition's log as a fast model, by the promises of commit-log: offsets are assigned at once, the end moves when a
 * write is done, truncation drops what is queued, batches stay the bytes they were.
 *
 * Underneath is a disk with faults. What is written lies in the page cache until it is synced; a process that dies loses
 * what was queued, a power cut may lose, tear or keep each unsynced batch by itself, and any batch may rot while nobody
 * looks. Recovery checks all checksums, or those that nothing vouches for, and keeps the log up to the first gap. In flush
 * mode a write is done when it is synced. A write or a sync that fails, and rot that is read, end it until it is opened
 * anew; while there is no room it takes nothing. Epochs and producers are those of commit-log itself.
 */
import {
  batchBaseOffset,
  batchesIn,
  batchLastOffsetDelta,
  batchProducerId,
  stampBaseOffset,
  stampLeaderEpoch,
} from '@seatlog/kafka-protocol';
import { LeaderEpochCache } from '@seatlog/commit-log/testing';
import type { EpochEndOffset, LogOutcome } from '@seatlog/replication';
import type { SeededRandom } from '@seatlog/runtime/testing';
import { AppendsUnderWay } from './appends-under-way.ts';
import type { BrokerLog, LeaderAppendVerdict } from './log-store.ts';
import type { DiskCondition } from './disk-condition.ts';
import { LogProducers } from './log-producers.ts';
import { bytesOf, keptBatches, placeIn } from './read-batches.ts';
import { isSound, type StoredBatch, storedBatch, withRot, withRotInRecords } from './stored-batch.ts';

export type Durability = 'page-cache' | 'flush';

/** Runs the action when the disk has done it, one after another; never, if the process is gone by then. */
export type DiskWrites = (label: string, action: () => void) => void;

interface QueuedBatch {
  readonly batch: StoredBatch;
  readonly generation: number;
}

export interface SimulatedLogOptions {
  readonly durability: Durability;
  readonly writes: DiskWrites;
  readonly condition: DiskCondition;
  /** A start looks only at what no checkpoint and no clean stop vouches for. */
  readonly trusts: boolean;
}

/** Why a log takes no more. */
interface Failure {
  readonly by: 'write' | 'sync' | 'rot';
  /** Where the rot begins. */
  readonly offset: number;
}

export class SimulatedLog implements BrokerLog {
  failed: () => void = () => {};
  readonly #options: SimulatedLogOptions;
  readonly #writes: DiskWrites;
  #failure: Failure | null = null;
  #batches: StoredBatch[] = [];
  #epochs = new LeaderEpochCache();
  readonly #producers = new LogProducers();
  #start = 0;
  #end = 0;
  #queuedEnd = 0;
  #syncedEnd = 0;
  /** A start trusts what is below. */
  #recoveryPoint = 0;
  #highWatermark = 0;
  #generation = 0;
  #queued: QueuedBatch[] = [];
  readonly #underWay = new AppendsUnderWay();

  constructor(options: SimulatedLogOptions) {
    this.#options = options;
    this.#writes = options.writes;
  }

  get failure(): Failure | null {
    return this.#failure;
  }

  get hasFoundRot(): boolean {
    return this.#failure?.by === 'rot';
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
    if (this.#failure === null) this.#epochs.assign(epoch, startOffset);
  }

  updateHighWatermark(offset: number): void {
    this.#highWatermark = Math.min(Math.max(offset, this.#start), this.#end);
  }

  /** The place of the batch that holds the offset, or of the first one behind it. */
  placeOf(offset: number): number {
    return placeIn(this.#batches, offset);
  }

  /** A leader's append of one batch: offset and epoch are stamped, and the producer's sequence is checked. */
  append(given: Uint8Array, leaderEpoch: number, done: (outcome: LogOutcome) => void): LeaderAppendVerdict {
    if (this.#failure !== null) return { kind: 'refused' };
    const hasProducer = batchProducerId(given) >= 0;
    const check = hasProducer ? this.#producers.check(given) : null;
    if (check?.outcome === 'refused') return { kind: 'out-of-order' };
    if (check?.outcome === 'duplicate') {
      const { firstOffset: baseOffset, lastOffset } = check;
      return { kind: this.#underWay.join(lastOffset, done) ? 'queued' : 'duplicate', baseOffset, lastOffset };
    }
    const bytes = new Uint8Array(given);
    const baseOffset = this.#queuedEnd;
    stampBaseOffset(bytes, 0, baseOffset);
    stampLeaderEpoch(bytes, 0, leaderEpoch);
    this.#queuedEnd = baseOffset + batchLastOffsetDelta(bytes) + 1;
    const staged = hasProducer ? this.#producers.stage(bytes) : null;
    const told = this.#underWay.begin(this.#queuedEnd - 1, done);
    this.#write([storedBatch(bytes)], (outcome) => {
      if (outcome === 'done' && staged !== null) this.#producers.commit(staged);
      told(outcome);
    });
    return { kind: 'queued', baseOffset, lastOffset: this.#queuedEnd - 1 };
  }

  /** A follower's append of whole batches as they are; they must continue the log. */
  appendAsFollower(records: Uint8Array, done: (outcome: LogOutcome) => void): void {
    const continues = batchBaseOffset(records) === this.#queuedEnd && this.#queuedEnd === this.#end;
    if (!continues || this.#failure !== null) {
      this.#writes('append refused', () => done(this.#outcome('retry')));
      return;
    }
    const batches = Array.from(batchesIn(records), storedBatch);
    this.#queuedEnd = (batches.at(-1)?.lastOffset ?? this.#end - 1) + 1;
    this.#write(batches, (outcome) => {
      if (outcome === 'done') for (const batch of batches) this.#producers.followed(batch);
      done(outcome);
    });
  }

  read(offset: number, upperBound: number, maxBytes: number): Uint8Array | null {
    const first = this.placeOf(offset);
    let end = first;
    let size = 0;
    for (; end < this.#batches.length; end++) {
      const batch = this.#batches[end] as StoredBatch;
      const { lastOffset, bytes, baseOffset } = batch;
      if (lastOffset >= upperBound || (size > 0 && size + bytes.length > maxBytes)) break;
      // What is good before the damage is given; the next read begins at the damage.
      if (this.#options.trusts && !isSound(batch)) {
        if (end > first) break;
        this.#fence({ by: 'rot', offset: baseOffset });
        return null;
      }
      size += bytes.length;
    }
    return bytesOf(this.#batches.slice(first, end));
  }

  distrust(): void {
    if (this.#failure?.by === 'rot')
      this.#recoveryPoint = Math.min(this.#recoveryPoint, this.#failure.offset);
  }

  probeRoom(done: (hasRoom: boolean) => void): void {
    this.#writes('look for room', () => done(!this.#options.condition.isFull));
  }

  raiseLogStart(offset: number): void {
    const start = Math.min(offset, this.#highWatermark);
    if (start <= this.#start) return;
    this.#start = start;
    for (const batch of this.#batches.splice(0, this.placeOf(start))) this.#producers.deleted(batch);
    this.#epochs.truncateFromStart(start);
    this.#syncedEnd = Math.max(this.#syncedEnd, start);
  }

  /** A batch that holds the offset goes as a whole. On disk when `done` is called. */
  truncateTo(offset: number, done: (outcome: LogOutcome) => void): void {
    this.#change('truncate', done, () => this.#cut(offset));
  }

  restartAt(offset: number, done: (outcome: LogOutcome) => void): void {
    this.#change('restart log', done, () => this.#restart(offset));
  }

  /** The kernel writes back what lies in the page cache. A sync that fails is never tried again. */
  writeBack(): void {
    if (this.#failure !== null || this.#syncedEnd >= this.#end) return;
    if (this.#options.condition.fails('sync')) this.#fence({ by: 'sync', offset: this.#syncedEnd });
    else this.#syncedEnd = this.#end;
  }

  checkpoint(): void {
    this.#recoveryPoint = this.#syncedEnd;
  }

  /** The process ends. What it had handed to the kernel and was not told of may be written, in order. */
  processDied(random: SeededRandom): void {
    let survivors = this.#queued.length === 0 ? 0 : random.below(this.#queued.length + 1);
    for (const { batch, generation } of this.#queued) {
      if (survivors-- <= 0 || generation !== this.#generation || batch.baseOffset !== this.#end) break;
      this.#batches.push(batch);
      this.#end = batch.lastOffset + 1;
    }
    // The kernel may have dropped what it could not write.
    if (this.#failure?.by === 'sync') this.powerCut(random);
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

  rotAt(baseOffset: number, random: SeededRandom): void {
    const place = this.placeOf(baseOffset);
    const batch = this.#batches[place];
    if (batch !== undefined) this.#batches[place] = withRotInRecords(batch, random.uint32());
  }

  /** The disk is another, or empty. */
  wipe(): void {
    this.#restart(0);
  }

  /** What a process finds when it starts: the log up to the first gap or damage. Everything that is found is synced. */
  recover(checkpointedHighWatermark: number, isClean: boolean): void {
    const trustedEnd = isClean ? Number.POSITIVE_INFINITY : this.#recoveryPoint;
    this.#batches.length = keptBatches(this.#batches, this.#start, this.#options.trusts ? trustedEnd : 0);
    this.#end = (this.#batches.at(-1)?.lastOffset ?? this.#start - 1) + 1;
    this.#failure = null;
    this.#dropQueued();
    this.#syncedEnd = this.#end;
    this.#recoveryPoint = Math.min(this.#recoveryPoint, this.#end);
    this.#recoverEpochs();
    this.#producers.rebuild(this.#batches, this.#end);
    this.updateHighWatermark(checkpointedHighWatermark);
  }

  producersProblem(): string | null {
    return this.#producers.problem(this.#batches, this.#end);
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
    const { condition, durability } = this.#options;
    this.#writes('write', () => {
      if (generation !== this.#generation || this.#failure !== null) done(this.#outcome('retry'));
      else if (condition.isFull) this.#undo(done);
      else if (condition.fails('write')) {
        this.#dropQueued();
        this.#fence({ by: 'write', offset: this.#end });
        done('failed');
      } else if (durability === 'flush' && condition.fails('sync')) {
        // What was written may be there at the next start.
        this.#fence({ by: 'sync', offset: this.#end });
        done('failed');
      } else {
        this.#queued.splice(0, queued.length);
        for (const batch of batches) this.#store(batch);
        if (durability === 'flush') this.#syncedEnd = this.#end;
        done('done');
      }
    });
  }

  /** There is no room: nothing of the write is left, nor of what came behind it. */
  #undo(done: (outcome: LogOutcome) => void): void {
    this.#dropQueued();
    this.failed();
    done('retry');
  }

  #change(label: string, done: (outcome: LogOutcome) => void, change: () => void): void {
    this.#dropQueued();
    this.#writes(label, () => {
      if (this.#failure === null && this.#options.condition.fails('write'))
        this.#fence({ by: 'write', offset: this.#end });
      if (this.#failure === null) change();
      done(this.#outcome('done'));
    });
  }

  #outcome(unlessFailed: LogOutcome): LogOutcome {
    return this.#failure === null ? unlessFailed : 'failed';
  }

  #fence(failure: Failure): void {
    if (this.#failure !== null) return;
    this.#failure = failure;
    this.failed();
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
      this.#producers.rebuild(this.#batches, this.#end);
    }
    this.#generation += 1;
    this.#queuedEnd = this.#end;
    this.#epochs.truncateFromEnd(offset);
    this.#syncedEnd = Math.min(this.#syncedEnd, this.#end);
    this.#recoveryPoint = Math.min(this.#recoveryPoint, this.#end);
    this.#highWatermark = Math.min(this.#highWatermark, this.#end);
  }

  #restart(offset: number): void {
    this.#dropQueued();
    this.#batches = [];
    this.#epochs.clear();
    this.#producers.restart(offset);
    this.#start = offset;
    this.#end = offset;
    this.#queuedEnd = offset;
    this.#syncedEnd = offset;
    this.#recoveryPoint = offset;
    this.#highWatermark = offset;
  }

  #dropQueued(): void {
    this.#generation += 1;
    this.#queued = [];
    this.#queuedEnd = this.#end;
    this.#producers.dropStaged();
    this.#underWay.forget();
  }
}
