import {
  batchBaseOffset,
  batchLastOffset,
  batchMaxTimestamp,
  batchPartitionLeaderEpoch,
} from '@seatlog/kafka-protocol';
import type { LogConfig } from '../log-config.ts';
import type { LogError } from '../log-error.ts';
import type { PartitionLog } from '../partition-log.ts';
import { testBatch } from './test-batch.ts';

/** What is done to a log before the machine goes down. */
export type LogAction =
  | {
      readonly kind: 'append';
      readonly size: number;
      readonly count: number;
      readonly producer: number | null;
      readonly later: number;
      readonly nextEpoch: boolean;
    }
  | { readonly kind: 'endTurn' }
  | { readonly kind: 'deliver'; readonly place: number }
  | { readonly kind: 'flush' }
  | { readonly kind: 'roll' }
  | { readonly kind: 'truncate'; readonly back: number }
  | { readonly kind: 'deleteRecords'; readonly part: number }
  | { readonly kind: 'retain' }
  | { readonly kind: 'checkpoint' }
  | { readonly kind: 'restart' }
  | { readonly kind: 'wait'; readonly milliseconds: number };

interface ModelBatch {
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly bytes: Uint8Array;
  readonly producer: number | null;
  readonly lastSequence: number;
}

/**
 * What a log was told and what it promised: the reference that a log is held against after a crash. All batches that
 * were given offsets may be there, in order; those that were promised must be.
 */
export class CrashModel {
  readonly #config: LogConfig;
  #batches: ModelBatch[] = [];
  /** Survives the loss of the process. */
  #written = 0;
  /** Survives the loss of power. */
  #synced = 0;
  /** Where a truncation that is under way will end the log: nothing beyond is promised any more. */
  #cutAt = Number.POSITIVE_INFINITY;
  #epoch = 0;
  #time = 1_700_000_000_000;
  #fill = 1;

  constructor(config: LogConfig) {
    this.#config = config;
  }

  append(log: PartitionLog, action: Extract<LogAction, { kind: 'append' }>): void {
    if (action.nextEpoch) this.#epoch += 1;
    this.#time += action.later;
    this.#fill += 1;
    const sequence = this.#nextSequence(action.producer);
    const batch = testBatch({
      size: action.size,
      count: action.count,
      timestamp: this.#time,
      fill: this.#fill,
      ...(action.producer === null ? {} : { producerId: action.producer, producerEpoch: 0, sequence }),
    });
    const result = log.append(batch, this.#epoch, (error) => this.#completed(nextOffset, error));
    if (!result.accepted) {
      if (result.error.code === 'LOG_TRUNCATED' || result.error.code === 'LOG_FENCED') return;
      throw result.error;
    }
    const nextOffset = result.lastOffset + 1;
    this.#batches.push({
      baseOffset: result.firstOffset,
      nextOffset,
      bytes: batch.slice(),
      producer: action.producer,
      lastSequence: sequence + action.count - 1,
    });
  }

  flush(log: PartitionLog): void {
    log.writeQueued();
    const end = log.logEndOffset;
    log.flush((error) => {
      if (error === null) this.#synced = Math.max(this.#synced, Math.min(end, this.#end, this.#cutAt));
    });
  }

  truncate(log: PartitionLog, back: number): void {
    const offset = Math.max(log.logStartOffset, log.logEndOffset - back);
    const cut = this.#batches.find((batch) => batch.nextOffset > offset)?.baseOffset ?? offset;
    this.#written = Math.min(this.#written, cut);
    this.#synced = Math.min(this.#synced, cut);
    this.#cutAt = Math.min(this.#cutAt, cut);
    log.truncateTo(offset, (error) => {
      this.#cutAt = Number.POSITIVE_INFINITY;
      if (error === null) this.#cutFrom(cut);
    });
  }

  /** Throws unless the log is what it may be after such a crash. */
  verify(log: PartitionLog, crash: 'process' | 'power' | 'none'): void {
    const floor = crash === 'power' ? this.#synced : this.#written;
    if (log.logEndOffset < floor) throw new Error(`log ends at ${log.logEndOffset}, promised up to ${floor}`);
    const found = contentsOf(log);
    for (const batch of found) this.#verifyBatch(batch);
    verifyContiguous(log, found);
    verifyLookups(log, found);
    verifyEpochs(log, found);
    this.#verifyProducers(log, found);
  }

  /** A clean stop loses nothing and syncs everything. */
  restarted(log: PartitionLog): void {
    if (log.logEndOffset < this.#written)
      throw new Error(`a clean stop left ${log.logEndOffset} of ${this.#written}`);
    this.adopt(log);
  }

  /** From here on the log is what was found: the model goes on from it. */
  adopt(log: PartitionLog): void {
    this.#cutFrom(log.logEndOffset);
    this.#written = log.logEndOffset;
    this.#synced = log.logEndOffset;
    this.#epoch = Math.max(this.#epoch, log.latestLeaderEpoch);
  }

  get #end(): number {
    return this.#batches.at(-1)?.nextOffset ?? 0;
  }

  #completed(nextOffset: number, error: LogError | null): void {
    if (error === null) {
      const kept = Math.min(nextOffset, this.#cutAt);
      this.#written = Math.max(this.#written, kept);
      if (this.#config.flushMessages === 1) this.#synced = Math.max(this.#synced, kept);
    } else if (error.code === 'LOG_TRUNCATED' || error.code === 'LOG_OUT_OF_SPACE') {
      this.#cutFrom(this.#batches.find((batch) => batch.nextOffset >= nextOffset)?.baseOffset ?? nextOffset);
    }
  }

  #cutFrom(offset: number): void {
    this.#batches = this.#batches.filter((batch) => batch.nextOffset <= offset);
  }

  #nextSequence(producer: number | null): number {
    const last = this.#batches.findLast((batch) => batch.producer === producer);
    return producer === null ? -1 : (last?.lastSequence ?? -1) + 1;
  }

  #verifyBatch(bytes: Uint8Array): void {
    const baseOffset = batchBaseOffset(bytes);
    const expected = this.#batches.find((batch) => batch.baseOffset === baseOffset);
    if (expected === undefined || Buffer.compare(expected.bytes, bytes) !== 0) {
      throw new Error(`the batch at offset ${baseOffset} is not the one that was appended`);
    }
  }

  #verifyProducers(log: PartitionLog, found: readonly Uint8Array[]): void {
    const present = new Set(found.map((bytes) => batchBaseOffset(bytes)));
    const last = new Map<number, ModelBatch>();
    for (const batch of this.#batches) {
      if (batch.producer !== null && present.has(batch.baseOffset)) last.set(batch.producer, batch);
    }
    for (const [producer, batch] of last) {
      const state = log.producers.find((candidate) => candidate.producerId === producer);
      if (state?.lastSequence !== batch.lastSequence || state.lastOffset !== batch.nextOffset - 1) {
        throw new Error(
          `producer ${producer} should stand at ${batch.lastSequence}, is ${JSON.stringify(state)}`,
        );
      }
    }
  }
}

/** All batches of a log, by a read from its start. */
export function contentsOf(log: PartitionLog): Uint8Array[] {
  const batches: Uint8Array[] = [];
  let offset = log.logStartOffset;
  while (offset < log.logEndOffset) {
    const read = log.read(offset, { maxBytes: 1, upperBound: log.logEndOffset });
    const first = read.records[0];
    if (first === undefined) throw new Error(`nothing to read at offset ${offset}, before the end`);
    batches.push(first.slice());
    offset = read.nextOffset;
    read.release();
  }
  return batches;
}

function verifyContiguous(log: PartitionLog, found: readonly Uint8Array[]): void {
  let expected: number | null = null;
  for (const bytes of found) {
    const baseOffset = batchBaseOffset(bytes);
    if (expected === null ? baseOffset > log.logStartOffset : baseOffset !== expected) {
      throw new Error(`batch at offset ${baseOffset}, expected ${expected ?? log.logStartOffset}`);
    }
    expected = batchLastOffset(bytes) + 1;
  }
  if (expected !== null && expected !== log.logEndOffset)
    throw new Error(`the last batch ends at ${expected}`);
}

/** The indexes lead to the same batches as a full scan does. */
function verifyLookups(log: PartitionLog, found: readonly Uint8Array[]): void {
  for (const bytes of found) {
    for (const offset of [Math.max(batchBaseOffset(bytes), log.logStartOffset), batchLastOffset(bytes)]) {
      const read = log.read(offset, { maxBytes: 1, upperBound: log.logEndOffset });
      if (Buffer.compare(read.records[0] ?? new Uint8Array(0), bytes) !== 0) {
        throw new Error(`a read at offset ${offset} gives another batch than the scan`);
      }
      read.release();
    }
    const timestamp = batchMaxTimestamp(bytes);
    const first = found.find((candidate) => batchMaxTimestamp(candidate) >= timestamp);
    const looked = log.findByTimestamp(timestamp);
    if (looked?.baseOffset !== (first && batchBaseOffset(first))) {
      throw new Error(
        `time ${timestamp} leads to ${looked?.baseOffset}, the scan to ${first && batchBaseOffset(first)}`,
      );
    }
  }
  const latest = found.reduce((most, bytes) => Math.max(most, batchMaxTimestamp(bytes)), -1);
  if ((log.findMaxTimestamp()?.maxTimestamp ?? -1) !== latest)
    throw new Error('the greatest timestamp is another');
}

function verifyEpochs(log: PartitionLog, found: readonly Uint8Array[]): void {
  for (const bytes of found) {
    const at = Math.max(batchBaseOffset(bytes), log.logStartOffset);
    const inForce = log.leaderEpochs.findLast((entry) => entry.startOffset <= at)?.epoch;
    if (inForce !== batchPartitionLeaderEpoch(bytes)) {
      throw new Error(
        `epoch at offset ${at} is ${inForce}, the batch has ${batchPartitionLeaderEpoch(bytes)}`,
      );
    }
  }
}
