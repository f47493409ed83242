import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as header from './batch-header.ts';
import { BatchHeaders } from './batch-headers.ts';

/** A value, or the code that the read was refused with. */
function outcomeOf(read: () => number | boolean): unknown {
  try {
    return read();
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
}

/** 64-bit fields at random lie outside ±(2^53 − 1) nearly always: these lie around its edges and around zero. */
const int64 = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: -3n, max: 3n }),
  fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }),
  fc.bigInt({ min: -(2n ** 53n) - 3n, max: -(2n ** 53n) + 3n }),
  fc.bigInt({ min: 1_600_000_000_000n, max: 1_900_000_000_000n }),
);

const headerBytes = fc
  .tuple(
    fc.uint8Array({ minLength: header.RECORD_BATCH_OVERHEAD, maxLength: header.RECORD_BATCH_OVERHEAD }),
    fc.array(int64, { minLength: 3, maxLength: 3 }),
  )
  .map(([bytes, fields]) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const places = [header.BASE_OFFSET_AT, header.MAX_TIMESTAMP_AT, header.PRODUCER_ID_AT];
    for (const [field, at] of places.entries()) view.setBigInt64(at, fields[field] ?? 0n);
    return bytes;
  });

describe('batch headers of a stretch of bytes', () => {
  it('K1: tell what the functions over single headers tell, and refuse what they refuse', () => {
    fc.assert(
      fc.property(headerBytes, fc.nat(9), fc.nat(9), (batch, before, at) => {
        // The stretch is a view that begins inside of its buffer, and the batch begins inside of the stretch.
        const whole = new Uint8Array(before + at + batch.length);
        whole.set(batch, before + at);
        const bytes = whole.subarray(before);
        const headers = new BatchHeaders(bytes);
        expect({
          baseOffset: outcomeOf(() => headers.baseOffset(at)),
          sizeInBytes: headers.sizeInBytes(at),
          partitionLeaderEpoch: headers.partitionLeaderEpoch(at),
          magic: headers.magic(at),
          crc: headers.crc(at),
          lastOffsetDelta: headers.lastOffsetDelta(at),
          maxTimestamp: outcomeOf(() => headers.maxTimestamp(at)),
        }).toEqual({
          baseOffset: outcomeOf(() => header.batchBaseOffset(bytes, at)),
          sizeInBytes: header.batchSizeInBytes(bytes, at),
          partitionLeaderEpoch: header.batchPartitionLeaderEpoch(bytes, at),
          magic: header.batchMagic(bytes, at),
          crc: header.batchCrc(bytes, at),
          lastOffsetDelta: header.batchLastOffsetDelta(bytes, at),
          maxTimestamp: outcomeOf(() => header.batchMaxTimestamp(bytes, at)),
        });
        const producerId = new DataView(batch.buffer, batch.byteOffset).getBigInt64(header.PRODUCER_ID_AT);
        expect(headers.hasProducer(at)).toBe(producerId >= 0n);
      }),
    );
  });
});
