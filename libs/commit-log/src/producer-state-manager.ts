import {
  batchBaseSequence,
  batchIsControl,
  batchIsTransactional,
  batchLastOffset,
  batchLastOffsetDelta,
  batchLastSequence,
  batchMaxTimestamp,
  batchProducerEpoch,
  batchProducerId,
  type BatchHeaders,
} from '@seatlog/kafka-protocol';
import { LogError } from './log-error.ts';
import type { ProducerBatch, ProducerDescription, SequenceCheck } from './partition-log.ts';
import {
  firstSequenceOf,
  lastBatchOf,
  type ProducerStateEntry,
  sequenceAfter,
  withBatch,
  withTransactionEnd,
} from './producer-state-entry.ts';
import { ReplayedProducer } from './replayed-producer.ts';

/**
 * Producers of a partition: which batch each may send next, and which it sent before.
 *
 * State comes in two layers. What is appended and not yet written is staged, and counts for the checks of what comes
 * after it; once written it is committed, and only that goes into snapshots. When a write fails what was staged is
 * dropped, and the producers stand where the log ends.
 */
export class ProducerStateManager {
  #committed: Map<number, ProducerStateEntry>;
  readonly #staged = new Map<number, ProducerStateEntry>();
  /** What a scan of the log found and nobody has asked for yet; it counts for more than what is committed. */
  readonly #replayed = new Map<number, ReplayedProducer>();
  /** One of them: the next batch is mostly of the same. */
  #latestReplayed: ReplayedProducer | null = null;
  /** The offset up to which committed state takes account of the log. */
  #mapEndOffset: number;

  constructor(mapEndOffset: number, entries = new Map<number, ProducerStateEntry>()) {
    this.#mapEndOffset = mapEndOffset;
    this.#committed = entries;
  }

  get mapEndOffset(): number {
    return this.#mapEndOffset;
  }

  get entries(): Iterable<ProducerStateEntry> {
    return this.#entries().values();
  }

  /** First offset of the earliest open transaction; null without one. */
  get firstUnstableOffset(): number | null {
    let first: number | null = null;
    for (const { currentTransactionFirstOffset: offset } of this.#entries().values()) {
      if (offset >= 0 && (first === null || offset < first)) first = offset;
    }
    return first;
  }

  check(batch: ProducerBatch): SequenceCheck {
    const entry = this.#staged.get(batch.producerId) ?? this.#entries().get(batch.producerId);
    if (entry === undefined) return NEXT;
    if (batch.producerEpoch < entry.producerEpoch) return refused('INVALID_PRODUCER_EPOCH', batch, entry);
    if (batch.producerEpoch > entry.producerEpoch) {
      return batch.firstSequence === 0 ? NEXT : refused('OUT_OF_ORDER_SEQUENCE_NUMBER', batch, entry);
    }
    for (const earlier of entry.batches) {
      if (earlier.lastSequence !== batch.lastSequence || firstSequenceOf(earlier) !== batch.firstSequence)
        continue;
      const firstOffset = earlier.lastOffset - earlier.offsetDelta;
      return {
        outcome: 'duplicate',
        firstOffset,
        lastOffset: earlier.lastOffset,
        timestamp: earlier.timestamp,
      };
    }
    const last = lastBatchOf(entry);
    const expected = last === undefined ? 0 : sequenceAfter(last.lastSequence);
    return batch.firstSequence === expected ? NEXT : refused('OUT_OF_ORDER_SEQUENCE_NUMBER', batch, entry);
  }

  /** Takes a batch, offsets stamped, into the staged state; null when it has no producer. */
  stage(bytes: Uint8Array, position: number): ProducerStateEntry | null {
    const producerId = batchProducerId(bytes, position);
    if (producerId < 0) return null;
    const entry = entryAfter(
      this.#staged.get(producerId) ?? this.#entries().get(producerId),
      bytes,
      position,
    );
    this.#staged.set(producerId, entry);
    return entry;
  }

  /** What was staged is written. */
  commit(entry: ProducerStateEntry): void {
    this.#entries().set(entry.producerId, entry);
    if (this.#staged.get(entry.producerId) === entry) this.#staged.delete(entry.producerId);
  }

  /** The log is written up to here. */
  advanceTo(offset: number): void {
    this.#mapEndOffset = offset;
  }

  dropStaged(): void {
    this.#staged.clear();
  }

  /** Takes a batch as it stands in the log; what is accounted for already is passed over. */
  replay(bytes: Uint8Array, position: number, headers: BatchHeaders, lastOffset: number): void {
    if (lastOffset < this.#mapEndOffset || !headers.hasProducer(position)) return;
    if (headers.isOfTransaction(position)) {
      const producerId = headers.producerId(position);
      const entries = this.#entries();
      entries.set(producerId, entryAfter(entries.get(producerId), bytes, position));
    } else {
      const latest = this.#latestReplayed;
      const producer =
        latest?.isOf(headers, position) === true ? latest : this.#replayedOf(headers.producerId(position));
      producer.add(headers, position, lastOffset);
    }
    this.#mapEndOffset = lastOffset + 1;
  }

  /** Begins anew from a snapshot that was taken at the offset. */
  reset(mapEndOffset: number, entries: Map<number, ProducerStateEntry>): void {
    this.#staged.clear();
    this.#replayed.clear();
    this.#latestReplayed = null;
    this.#committed = entries;
    this.#mapEndOffset = mapEndOffset;
  }

  removeExpired(now: number, expirationMs: number): void {
    for (const [producerId, entry] of this.#entries()) {
      const inTransaction = entry.currentTransactionFirstOffset >= 0;
      if (!inTransaction && now - entry.lastTimestamp >= expirationMs) this.#committed.delete(producerId);
    }
  }

  describe(): ProducerDescription[] {
    return Array.from(this.#entries().values(), (entry) => ({
      producerId: entry.producerId,
      producerEpoch: entry.producerEpoch,
      lastSequence: lastBatchOf(entry)?.lastSequence ?? -1,
      lastOffset: lastBatchOf(entry)?.lastOffset ?? -1,
      lastTimestamp: entry.lastTimestamp,
      coordinatorEpoch: entry.coordinatorEpoch,
      currentTransactionFirstOffset: entry.currentTransactionFirstOffset,
    }));
  }

  #replayedOf(producerId: number): ReplayedProducer {
    let producer = this.#replayed.get(producerId);
    if (producer === undefined) {
      producer = new ReplayedProducer(producerId, this.#committed.get(producerId));
      this.#replayed.set(producerId, producer);
    }
    this.#latestReplayed = producer;
    return producer;
  }

  /** The committed state, with what a scan found in it. */
  #entries(): Map<number, ProducerStateEntry> {
    if (this.#replayed.size === 0) return this.#committed;
    for (const [producerId, producer] of this.#replayed) this.#committed.set(producerId, producer.entry());
    this.#replayed.clear();
    this.#latestReplayed = null;
    return this.#committed;
  }
}

const NEXT: SequenceCheck = { outcome: 'next' };

/** The producer's part of a batch's header. */
export function producerBatchOf(bytes: Uint8Array, position: number): ProducerBatch {
  return {
    producerId: batchProducerId(bytes, position),
    producerEpoch: batchProducerEpoch(bytes, position),
    firstSequence: batchBaseSequence(bytes, position),
    lastSequence: batchLastSequence(bytes, position),
  };
}

function entryAfter(
  entry: ProducerStateEntry | undefined,
  bytes: Uint8Array,
  position: number,
): ProducerStateEntry {
  const producerId = batchProducerId(bytes, position);
  const producerEpoch = batchProducerEpoch(bytes, position);
  const timestamp = batchMaxTimestamp(bytes, position);
  if (batchIsControl(bytes, position)) return withTransactionEnd(entry, producerId, producerEpoch, timestamp);
  const batch = {
    lastSequence: batchLastSequence(bytes, position),
    lastOffset: batchLastOffset(bytes, position),
    offsetDelta: batchLastOffsetDelta(bytes, position),
    timestamp,
  };
  return withBatch(entry, producerId, producerEpoch, batch, batchIsTransactional(bytes, position));
}

function refused(
  code: 'INVALID_PRODUCER_EPOCH' | 'OUT_OF_ORDER_SEQUENCE_NUMBER',
  batch: ProducerBatch,
  entry: ProducerStateEntry,
): SequenceCheck {
  const last = lastBatchOf(entry)?.lastSequence ?? -1;
  const message =
    code === 'INVALID_PRODUCER_EPOCH'
      ? `producer ${batch.producerId} has epoch ${entry.producerEpoch}, the batch has ${batch.producerEpoch}`
      : `producer ${batch.producerId} epoch ${batch.producerEpoch}: sequence ${batch.firstSequence} does not follow ${last}` +
        ` of epoch ${entry.producerEpoch}`;
  return { outcome: 'refused', error: new LogError(code, message) };
}
