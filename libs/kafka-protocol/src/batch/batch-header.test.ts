import { describe, expect, it } from 'vitest';
import { hex, toHex } from '../testing/hex.ts';
import { refusal } from '../testing/refusal.ts';
import * as header from './batch-header.ts';
import { batchCrcMatches } from './batch-scan.ts';

/** Every field has a value of its own; two bytes of something else stand in front. */
const bytes = (): Uint8Array =>
  hex(`
    cafe
    0000000000000102        # base offset 258
    00000037                # batch length 55: 67 bytes in all
    00000009                # leader epoch
    02                      # magic
    e99b8dd8                # checksum
    0054                    # lz4 would be 3; here 4 zstd, transactional, delete horizon
    00000005                # last offset delta
    0000018bcfe56800        # base timestamp 1700000000000
    0000018bcfe56be8        # max timestamp 1700000001000
    0000000000000fa0        # producer id 4000
    0003                    # producer epoch
    7fffffff                # base sequence: the last there is
    00000006                # six records
    010203040506
  `);
const at = 2;

describe('batch header', () => {
  it('K1: is read in place, at any position', () => {
    const batch = bytes();
    expect({
      baseOffset: header.batchBaseOffset(batch, at),
      size: header.batchSizeInBytes(batch, at),
      leaderEpoch: header.batchPartitionLeaderEpoch(batch, at),
      magic: header.batchMagic(batch, at),
      crc: header.batchCrc(batch, at),
      attributes: header.batchAttributes(batch, at),
      lastOffsetDelta: header.batchLastOffsetDelta(batch, at),
      lastOffset: header.batchLastOffset(batch, at),
      baseTimestamp: header.batchBaseTimestamp(batch, at),
      maxTimestamp: header.batchMaxTimestamp(batch, at),
      producerId: header.batchProducerId(batch, at),
      producerEpoch: header.batchProducerEpoch(batch, at),
      baseSequence: header.batchBaseSequence(batch, at),
      recordCount: header.batchRecordCount(batch, at),
    }).toEqual({
      baseOffset: 258,
      size: 67,
      leaderEpoch: 9,
      magic: 2,
      crc: 0xe99b8dd8,
      attributes: 0x54,
      lastOffsetDelta: 5,
      lastOffset: 263,
      baseTimestamp: 1_700_000_000_000,
      maxTimestamp: 1_700_000_001_000,
      producerId: 4000,
      producerEpoch: 3,
      baseSequence: 0x7fffffff,
      recordCount: 6,
    });
  });

  it('takes the attributes apart', () => {
    const batch = bytes();
    expect(header.batchCompression(batch, at)).toBe(4);
    expect(header.batchIsTransactional(batch, at)).toBe(true);
    expect(header.batchIsControl(batch, at)).toBe(false);
    expect(header.batchHasLogAppendTime(batch, at)).toBe(false);
    expect(header.batchHasDeleteHorizon(batch, at)).toBe(true);
  });

  it('lets sequence numbers begin again after 2^31 − 1', () => {
    expect(header.batchLastSequence(bytes(), at)).toBe(4);
    const without = bytes();
    header.writeInt32(without, at + header.BASE_SEQUENCE_AT, -1);
    expect(header.batchLastSequence(without, at)).toBe(-1);
  });

  it('K1: stamping base offset and leader epoch leaves the checksum valid', () => {
    const batch = bytes();
    header.writeInt32(batch, at + header.CRC_AT, header.computeBatchCrc(batch, at));
    header.stampBaseOffset(batch, at, 2 ** 40 + 7);
    header.stampLeaderEpoch(batch, at, 12);
    expect(header.batchBaseOffset(batch, at)).toBe(2 ** 40 + 7);
    expect(header.batchPartitionLeaderEpoch(batch, at)).toBe(12);
    expect(batchCrcMatches(batch, at)).toBe(true);
    expect(toHex(batch.subarray(0, 2))).toBe('cafe');
  });

  it('stamping the append time sets bit, time and checksum', () => {
    const batch = bytes();
    header.stampLogAppendTime(batch, at, 1_800_000_000_000);
    expect(header.batchHasLogAppendTime(batch, at)).toBe(true);
    expect(header.batchMaxTimestamp(batch, at)).toBe(1_800_000_000_000);
    expect(header.batchBaseTimestamp(batch, at)).toBe(1_700_000_000_000);
    expect(batchCrcMatches(batch, at)).toBe(true);
  });

  it('refuses offsets that a number cannot hold', () => {
    const batch = bytes();
    expect(refusal(() => header.stampBaseOffset(batch, at, 2 ** 53))).toBe('VALUE_OUT_OF_RANGE');
    batch.fill(0x7f, at, at + 8);
    expect(refusal(() => header.batchBaseOffset(batch, at))).toBe('INT64_OUT_OF_RANGE');
  });
});
