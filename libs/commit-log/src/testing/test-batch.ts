import { computeBatchCrc, RECORD_BATCH_OVERHEAD } from '@seatlog/kafka-protocol';

export interface TestBatchOptions {
  /** Offsets that the batch takes. Default 1. */
  readonly count?: number;
  /** Bytes of the whole batch, header included. Default 100. */
  readonly size?: number;
  readonly timestamp?: number;
  readonly producerId?: number;
  readonly producerEpoch?: number;
  readonly sequence?: number;
  /** Fills the records, so that batches can be told apart. */
  readonly fill?: number;
  readonly baseOffset?: number;
  readonly leaderEpoch?: number;
  readonly attributes?: number;
}

/** A batch with a true header and CRC over records that nobody decodes. */
export function testBatch(options: TestBatchOptions = {}): Uint8Array {
  const { count = 1, size = 100, timestamp = 1_700_000_000_000, fill = 7 } = options;
  const bytes = new Uint8Array(Math.max(size, RECORD_BATCH_OVERHEAD)).fill(
    fill & 0xff,
    RECORD_BATCH_OVERHEAD,
  );
  const view = new DataView(bytes.buffer);
  view.setBigInt64(0, BigInt(options.baseOffset ?? 0));
  view.setInt32(8, bytes.length - 12);
  view.setInt32(12, options.leaderEpoch ?? -1);
  view.setInt8(16, 2);
  view.setInt16(21, options.attributes ?? 0);
  view.setInt32(23, count - 1);
  view.setBigInt64(27, BigInt(timestamp));
  view.setBigInt64(35, BigInt(timestamp));
  view.setBigInt64(43, BigInt(options.producerId ?? -1));
  view.setInt16(51, options.producerEpoch ?? -1);
  view.setInt32(53, options.sequence ?? -1);
  view.setInt32(57, count);
  view.setUint32(17, computeBatchCrc(bytes));
  return bytes;
}
