import type { BatchHeaders } from '@seatlog/kafka-protocol';
import {
  BATCHES_PER_PRODUCER,
  type ProducerBatchState,
  type ProducerStateEntry,
} from './producer-state-entry.ts';

const SEQUENCE_COUNT = 2 ** 31;
const TWO_POW_32 = 2 ** 32;
const FIELDS = 4;
const RING_LENGTH = FIELDS * BATCHES_PER_PRODUCER;

/**
 * A producer as a scan of the log finds it: the same as its entry, but changed in place, batch by batch. A log of many
 * small batches is scanned twice as fast for it. Only for batches that are neither transactional nor control.
 */
export class ReplayedProducer {
  readonly producerId: number;
  /** The halves of the id. */
  readonly #idHigh: number;
  readonly #idLow: number;
  #epoch: number;
  #coordinatorEpoch: number;
  #lastTimestamp: number;
  #openTransaction: number;
  /** A ring of the last batches, each FIELDS numbers: last sequence, last offset, offset delta, timestamp. */
  readonly #batches = new Float64Array(RING_LENGTH);
  /** Where the next one goes, and how many there are. */
  #next = 0;
  #count = 0;

  /** Goes on from what was known before. */
  constructor(producerId: number, entry: ProducerStateEntry | undefined) {
    this.producerId = producerId;
    this.#idHigh = Math.floor(producerId / TWO_POW_32);
    this.#idLow = producerId | 0;
    this.#epoch = entry?.producerEpoch ?? -1;
    this.#coordinatorEpoch = entry?.coordinatorEpoch ?? -1;
    this.#lastTimestamp = entry?.lastTimestamp ?? -1;
    this.#openTransaction = entry?.currentTransactionFirstOffset ?? -1;
    for (const batch of entry?.batches ?? []) {
      this.#put(batch.lastSequence, batch.lastOffset, batch.offsetDelta, batch.timestamp);
    }
  }

  /** Whether the batch is of this producer. */
  isOf(headers: BatchHeaders, position: number): boolean {
    return (
      headers.producerIdLow(position) === this.#idLow && headers.producerIdHigh(position) === this.#idHigh
    );
  }

  add(headers: BatchHeaders, position: number, lastOffset: number): void {
    const epoch = headers.producerEpoch(position);
    if (epoch !== this.#epoch) {
      this.#epoch = epoch;
      this.#count = 0;
    }
    const base = headers.baseSequence(position);
    const offsetDelta = headers.lastOffsetDelta(position);
    // Not by `%`, which of numbers beyond 31 bits takes longer than all the rest here.
    const sum = base + offsetDelta;
    const lastSequence = base < 0 ? -1 : sum < SEQUENCE_COUNT ? sum : sum - SEQUENCE_COUNT;
    this.#lastTimestamp = headers.maxTimestamp(position);
    this.#put(lastSequence, lastOffset, offsetDelta, this.#lastTimestamp);
  }

  entry(): ProducerStateEntry {
    return {
      producerId: this.producerId,
      producerEpoch: this.#epoch,
      batches: Array.from({ length: this.#count }, (_, index) => this.#batch(this.#count - index)),
      coordinatorEpoch: this.#coordinatorEpoch,
      lastTimestamp: this.#lastTimestamp,
      currentTransactionFirstOffset: this.#openTransaction,
    };
  }

  #put(lastSequence: number, lastOffset: number, offsetDelta: number, timestamp: number): void {
    const batches = this.#batches;
    const at = this.#next;
    batches[at] = lastSequence;
    batches[at + 1] = lastOffset;
    batches[at + 2] = offsetDelta;
    batches[at + 3] = timestamp;
    this.#next = at + FIELDS === RING_LENGTH ? 0 : at + FIELDS;
    if (this.#count < BATCHES_PER_PRODUCER) this.#count += 1;
  }

  /** The last one is 1 before the next. */
  #batch(beforeNext: number): ProducerBatchState {
    const at = (this.#next - beforeNext * FIELDS + RING_LENGTH) % RING_LENGTH;
    const [lastSequence = -1, lastOffset = -1, offsetDelta = 0, timestamp = -1] = this.#batches.subarray(
      at,
      at + FIELDS,
    );
    return { lastSequence, lastOffset, offsetDelta, timestamp };
  }
}
