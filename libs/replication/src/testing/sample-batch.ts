/** Record batches whose records are words, and the words of batches. */
import { batchesIn, decodeRecords, RecordBatchWriter } from '@seatlog/kafka-protocol';

const TIMESTAMP = 1_700_000_000_000;

export interface BatchPlace {
  readonly baseOffset?: number;
  readonly leaderEpoch?: number;
}

/** One batch of whole bytes of its own. */
export function sampleBatch(words: readonly string[], place: BatchPlace = {}): Uint8Array {
  const writer = new RecordBatchWriter();
  for (const word of words) writer.append(TIMESTAMP, null, word);
  return writer
    .seal({ baseOffset: place.baseOffset ?? 0, partitionLeaderEpoch: place.leaderEpoch ?? 0 })
    .slice();
}

export function wordsOf(bytes: Uint8Array): string[] {
  return [...batchesIn(bytes)].flatMap((batch) =>
    [...decodeRecords(batch)].map((record) => Buffer.from(record.value ?? []).toString()),
  );
}
