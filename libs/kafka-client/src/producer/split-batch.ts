/** Cuts a batch that a broker finds too large in two. Pure. */
import { RecordBatchWriter, visitRecords } from '@seatlog/kafka-protocol';
import { ProducerBatch } from './producer-batch.ts';
import { advanceSequence } from './sequence-numbers.ts';

/**
 * Two halves with the records, senders, deadline and numbers of the whole, which is settled thereby. The numbers stay good:
 * a refused batch has used none of them up.
 */
export function splitBatch(batch: ProducerBatch): readonly [ProducerBatch, ProducerBatch] {
  const firstCount = Math.ceil(batch.recordCount / 2);
  const width = batch.ordinalWidth / 2;
  const half = (ordinal: number): ProducerBatch => {
    const writer = new RecordBatchWriter({
      maxBytes: Number.MAX_SAFE_INTEGER,
      initialBytes: batch.sizeInBytes,
    });
    return new ProducerBatch(writer, batch.createdAt, batch.deadline, { ordinal, ordinalWidth: width });
  };
  const halves = [half(batch.ordinal), half(batch.ordinal + width)] as const;
  let index = 0;
  visitRecords(batch.bytes(0), (record) => {
    const headers = record.headers();
    const into = index++ < firstCount ? halves[0] : halves[1];
    into.append(record.timestamp, record.key(), record.value(), headers.length === 0 ? undefined : headers);
  });
  tellHalves(batch, halves, firstCount);
  const { producerId, producerEpoch, baseSequence } = batch.numbers;
  if (batch.hasNumbers) {
    halves[0].number({ producerId, producerEpoch, baseSequence });
    halves[1].number({ producerId, producerEpoch, baseSequence: advanceSequence(baseSequence, firstCount) });
  }
  for (const part of halves) {
    part.attempts = batch.attempts;
    part.turn = batch.turn;
    part.maybeWritten = batch.maybeWritten;
    part.keepsNumbers = batch.keepsNumbers;
    part.hasSilentRecords = batch.hasSilentRecords;
  }
  return halves;
}

function tellHalves(
  batch: ProducerBatch,
  halves: readonly [ProducerBatch, ProducerBatch],
  firstCount: number,
): void {
  for (const delivery of batch.handOver()) {
    const end = delivery.at + delivery.count;
    if (delivery.at < firstCount) halves[0].tell(delivery.cut(0, firstCount));
    if (end > firstCount) halves[1].tell(delivery.cut(firstCount, batch.recordCount));
  }
}
