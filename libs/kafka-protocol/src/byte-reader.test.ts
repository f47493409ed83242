import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { MAX_ELEMENTS_PER_MESSAGE, MAX_STRING_BYTES } from './limits.ts';
import { hex, toHex } from './testing/hex.ts';
import { refusal } from './testing/refusal.ts';

const read = <Value>(bytes: string, take: (reader: ByteReader) => Value): Value =>
  take(new ByteReader(hex(bytes)));

describe('varints', () => {
  it.each([
    ['00', 0],
    ['01', 1],
    ['7f', 127],
    ['8001', 128],
    ['ac02', 300],
    ['ffffffff0f', 0xffff_ffff],
  ])('unsigned %s is %i', (bytes, value) => {
    expect(read(bytes, (reader) => reader.unsignedVarint())).toBe(value);
    const writer = new ByteWriter();
    writer.unsignedVarint(value);
    expect(toHex(writer.toBytes())).toBe(bytes);
  });

  it.each([
    ['00', 0],
    ['01', -1],
    ['02', 1],
    ['03', -2],
    ['feffffff0f', 0x7fff_ffff],
    ['ffffffff0f', -0x8000_0000],
  ])('zigzag %s is %i', (bytes, value) => {
    expect(read(bytes, (reader) => reader.varint())).toBe(value);
    expect(read(bytes, (reader) => reader.varlong())).toBe(value);
  });

  it.each([
    ['feffffffffffff1f', 'largest', Number.MAX_SAFE_INTEGER],
    ['fdffffffffffff1f', 'smallest', -Number.MAX_SAFE_INTEGER],
  ])('zigzag 64 %s is the %s safe integer', (bytes, _which, value) => {
    expect(read(bytes, (reader) => reader.varlong())).toBe(value);
    const writer = new ByteWriter();
    writer.varlong(value);
    expect(toHex(writer.toBytes())).toBe(bytes);
  });

  it('come back as they were written', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        const writer = new ByteWriter();
        writer.varlong(value);
        writer.varint(value | 0);
        writer.unsignedVarint(value >>> 0);
        const reader = new ByteReader(writer.toBytes());
        expect([reader.varlong(), reader.varint(), reader.unsignedVarint()]).toEqual([
          value + 0,
          value | 0,
          value >>> 0,
        ]);
      }),
    );
  });

  it.each([
    ['ffffffff10', 'a 33rd bit'],
    ['808080808000', 'a sixth byte'],
    ['ffffffffff', 'a fifth byte that goes on'],
  ])('F42: 32 bits end with the fifth byte: %s has %s', (bytes) => {
    expect(refusal(() => read(bytes, (reader) => reader.unsignedVarint()))).toBe('VARINT_TOO_LONG');
  });

  it('F42: 64 bits end with the tenth byte', () => {
    expect(refusal(() => read('ffffffffffffffffff02', (reader) => reader.varlong()))).toBe('VARINT_TOO_LONG');
    expect(refusal(() => read('80808080808080808080 00', (reader) => reader.varlong()))).toBe(
      'VARINT_TOO_LONG',
    );
  });

  it('F42: a varint that is cut off is refused', () => {
    expect(refusal(() => read('80', (reader) => reader.unsignedVarint()))).toBe('TRUNCATED');
    expect(refusal(() => read('ffff', (reader) => reader.varlong()))).toBe('TRUNCATED');
  });
});

describe('64-bit integers', () => {
  it.each([
    ['001fffffffffffff', Number.MAX_SAFE_INTEGER],
    ['ffe0000000000001', -Number.MAX_SAFE_INTEGER],
    ['ffffffffffffffff', -1],
    ['0000000100000000', 2 ** 32],
  ])('%s is %i', (bytes, value) => {
    expect(read(bytes, (reader) => reader.int64())).toBe(value);
    const writer = new ByteWriter();
    writer.int64(value);
    expect(toHex(writer.toBytes())).toBe(bytes);
  });

  it.each(['0020000000000000', 'ffe0000000000000', '7fffffffffffffff', '8000000000000000'])(
    'are refused beyond 2^53 − 1, never rounded or clamped: %s',
    (bytes) => {
      expect(refusal(() => read(bytes, (reader) => reader.int64()))).toBe('INT64_OUT_OF_RANGE');
    },
  );

  it('are refused by the writer beyond 2^53 − 1 and with a fraction', () => {
    for (const value of [2 ** 53, -(2 ** 53), 1.5, Number.NaN]) {
      expect(refusal(() => new ByteWriter().int64(value))).toBe('VALUE_OUT_OF_RANGE');
    }
  });
});

describe('lengths', () => {
  it('F42: a string longer than the bytes that are left is refused', () => {
    expect(refusal(() => read('7fff 61', (reader) => reader.string()))).toBe('TRUNCATED');
    expect(refusal(() => read('ff7f 61', (reader) => reader.compactString()))).toBe('TRUNCATED');
  });

  it('F42: a string is never longer than its 16-bit length allows, in the compact form neither', () => {
    const writer = new ByteWriter();
    writer.unsignedVarint(MAX_STRING_BYTES + 2);
    writer.copy(new Uint8Array(MAX_STRING_BYTES + 1));
    expect(refusal(() => new ByteReader(writer.toBytes()).compactString())).toBe('COUNT_OUT_OF_BOUNDS');
  });

  it('F42: null is refused where none may be', () => {
    expect(refusal(() => read('ffff', (reader) => reader.string()))).toBe('UNEXPECTED_NULL');
    expect(refusal(() => read('00', (reader) => reader.compactString()))).toBe('UNEXPECTED_NULL');
    expect(read('ffff', (reader) => reader.nullableString())).toBeNull();
    expect(read('00', (reader) => reader.compactNullableString())).toBeNull();
  });

  it('F42: a negative length other than null is refused', () => {
    expect(refusal(() => read('fffe', (reader) => reader.nullableString()))).toBe('COUNT_OUT_OF_BOUNDS');
    expect(refusal(() => read('fffffffe', (reader) => reader.bytesLength()))).toBe('COUNT_OUT_OF_BOUNDS');
  });

  it('F42: a count is held against the bytes that are left before anything is made', () => {
    const reader = new ByteReader(new Uint8Array(100));
    expect(refusal(() => reader.checkElements(0x7fff_ffff, 4, false))).toBe('COUNT_OUT_OF_BOUNDS');
    expect(refusal(() => reader.checkElements(26, 4, false))).toBe('COUNT_OUT_OF_BOUNDS');
    reader.checkElements(25, 4, false);
  });

  it('F42: elements of one message are counted together, even those that take no bytes', () => {
    const reader = new ByteReader(new Uint8Array(0));
    reader.checkElements(MAX_ELEMENTS_PER_MESSAGE, 0, true);
    expect(refusal(() => reader.checkElements(1, 0, true))).toBe('TOO_MANY_ELEMENTS');
  });
});

describe('text', () => {
  it('comes back as it was written, short or long, ASCII or not', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100, size: 'max' }), (text) => {
        const writer = new ByteWriter(1);
        writer.string(text);
        writer.compactString(text);
        const reader = new ByteReader(writer.toBytes());
        expect([reader.string(), reader.compactString(), reader.remaining]).toEqual([text, text, 0]);
      }),
    );
  });

  it('is refused by the writer when its 16-bit length would overflow', () => {
    expect(refusal(() => new ByteWriter().string('x'.repeat(MAX_STRING_BYTES + 1)))).toBe(
      'VALUE_OUT_OF_RANGE',
    );
  });
});
