import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { toHex } from './testing/hex.ts';
import { refusal } from './testing/refusal.ts';
import { ZERO_UUID } from './uuid.ts';

describe('ByteWriter', () => {
  it.each([
    ['int8', 128],
    ['int8', -129],
    ['int16', 32_768],
    ['uint16', -1],
    ['uint16', 65_536],
    ['int32', 2 ** 31],
    ['uint32', -1],
    ['unsignedVarint', 2 ** 32],
    ['varint', 2 ** 31],
    ['int32', 0.5],
  ] as const)('refuses what %s cannot hold: %d', (type, value) => {
    expect(refusal(() => new ByteWriter()[type](value))).toBe('VALUE_OUT_OF_RANGE');
  });

  it('writes the same bytes from whatever capacity it grows', () => {
    const write = (capacity: number): string => {
      const writer = new ByteWriter(capacity);
      writer.int8(-1);
      writer.boolean(true);
      writer.int16(-2);
      writer.uint16(65_535);
      writer.int32(-3);
      writer.uint32(4_294_967_295);
      writer.int64(-4);
      writer.float64(0.5);
      writer.uuid('AAAAAAAAAAAAAAAAAAAAAQ');
      writer.string('seat');
      writer.int8(7);
      return toHex(writer.toBytes());
    };
    const expected = write(256);
    for (let capacity = 0; capacity < 80; capacity++) expect(write(capacity)).toBe(expected);
  });

  it('passes large ranges through without a copy, in order', () => {
    const large = new Uint8Array(4096).fill(7);
    const writer = new ByteWriter();
    writer.int32(1);
    writer.passThrough(large);
    writer.passThrough(large);
    writer.int8(2);
    const chunks = writer.toChunks();
    expect(chunks.map((chunk) => chunk.length)).toEqual([4, 4096, 4096, 1]);
    expect(chunks[1]).toBe(large);
    expect(writer.length).toBe(4 + 2 * 4096 + 1);
    expect(writer.toBytes().length).toBe(writer.length);
  });

  it('patches a length in front of ranges that were passed through', () => {
    const writer = new ByteWriter();
    writer.int32(0);
    writer.passThrough(new Uint8Array(5000));
    writer.patchInt32(0, writer.length - 4);
    expect(new ByteReader(writer.toBytes()).int32()).toBe(5000);
  });

  it('keeps ids as 22 characters and refuses other text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        const id = new ByteReader(bytes).uuid();
        const writer = new ByteWriter();
        writer.uuid(id);
        expect(id).toHaveLength(22);
        expect(toHex(writer.toBytes())).toBe(toHex(bytes));
      }),
    );
    expect(new ByteReader(new Uint8Array(16)).uuid()).toBe(ZERO_UUID);
    for (const text of ['', 'A'.repeat(21), 'A'.repeat(23), `${'A'.repeat(21)}=`, `${'A'.repeat(21)}+`]) {
      expect(refusal(() => new ByteWriter().uuid(text))).toBe('VALUE_OUT_OF_RANGE');
    }
  });
});
