/** What the log remembers of one batch of an idempotent producer. */
export interface ProducerBatchState {
  readonly lastSequence: number;
  readonly lastOffset: number;
  /** Last offset minus first; the same as last sequence minus first, with wrapping. */
  readonly offsetDelta: number;
  readonly timestamp: number;
}

/** One producer's state; never changed, only replaced, so that an append that fails leaves the old one in place. */
export interface ProducerStateEntry {
  readonly producerId: number;
  readonly producerEpoch: number;
  /** The last batches, oldest first: as many as a producer may have in flight. */
  readonly batches: readonly ProducerBatchState[];
  readonly coordinatorEpoch: number;
  readonly lastTimestamp: number;
  /** First offset of the open transaction, -1 for none. */
  readonly currentTransactionFirstOffset: number;
}

/** Kafka's clients keep at most five requests in flight per connection while idempotence is on. */
export const BATCHES_PER_PRODUCER = 5;

/** Sequences run from 0 to 2^31 - 1 and begin again at 0. */
const SEQUENCE_COUNT = 2 ** 31;

export function firstSequenceOf(batch: ProducerBatchState): number {
  return (batch.lastSequence - batch.offsetDelta + SEQUENCE_COUNT) % SEQUENCE_COUNT;
}

export function sequenceAfter(sequence: number): number {
  return (sequence + 1) % SEQUENCE_COUNT;
}

export function lastBatchOf(entry: ProducerStateEntry): ProducerBatchState | undefined {
  return entry.batches.at(-1);
}

/** The entry after one more batch of its producer; the first batch of a later epoch begins the list anew. */
export function withBatch(
  entry: ProducerStateEntry | undefined,
  producerId: number,
  producerEpoch: number,
  batch: ProducerBatchState,
  transactional: boolean,
): ProducerStateEntry {
  const sameEpoch = entry !== undefined && entry.producerEpoch === producerEpoch;
  const earlier = sameEpoch ? entry.batches.slice(1 - BATCHES_PER_PRODUCER) : [];
  const open = entry?.currentTransactionFirstOffset ?? -1;
  const firstOffset = batch.lastOffset - batch.offsetDelta;
  return {
    producerId,
    producerEpoch,
    batches: [...earlier, batch],
    coordinatorEpoch: entry?.coordinatorEpoch ?? -1,
    lastTimestamp: batch.timestamp,
    currentTransactionFirstOffset: transactional && open < 0 ? firstOffset : open,
  };
}

/** The entry after a control batch: it ends the producer's transaction and bears no sequence. */
export function withTransactionEnd(
  entry: ProducerStateEntry | undefined,
  producerId: number,
  producerEpoch: number,
  timestamp: number,
): ProducerStateEntry {
  const sameEpoch = entry !== undefined && entry.producerEpoch === producerEpoch;
  return {
    producerId,
    producerEpoch,
    batches: sameEpoch ? entry.batches : [],
    coordinatorEpoch: entry?.coordinatorEpoch ?? -1,
    lastTimestamp: timestamp,
    currentTransactionFirstOffset: -1,
  };
}
