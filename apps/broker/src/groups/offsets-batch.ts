/** Records of one append as one batch, to be written as it is. */
import type { OffsetsRecord } from '@seatlog/group-coordinator';
import { RecordBatchWriter } from '@seatlog/kafka-protocol';

export function offsetsBatch(
  records: readonly OffsetsRecord[],
  timestamp: number,
  compression: number,
): Uint8Array {
  // Whether the batch is too large is for the topic's limit to say.
  const writer = new RecordBatchWriter({ maxBytes: Number.MAX_SAFE_INTEGER });
  for (const { key, value } of records) writer.append(timestamp, key, value);
  return writer.seal({ compression });
}
