import { describe, expect, it } from 'vitest';
import { ByteWriter } from '../byte-writer.ts';
import { MAX_TAGS_PER_STRUCT } from '../limits.ts';
import { hex, toHex } from '../testing/hex.ts';
import { refusal } from '../testing/refusal.ts';
import { array, bytes, int32, int8, string, struct } from './field.ts';
import { defineRecord } from './record-schema.ts';

const seat = defineRecord({
  name: 'Seat',
  versions: '0-3',
  flexible: '2+',
  fields: {
    row: int8('0+'),
    name: string('0+', { nullable: '1+' }),
    price: int32('1+', { default: -1 }),
    note: string('1+', { default: '', ignorable: true }),
    hall: struct('3+', { level: int8('3+', { default: 1 }) }, { tag: 1 }),
    labels: array('3+', 'string', { tag: 0 }),
    photo: bytes('1-2', { nullable: '1-2', default: null }),
  },
});

describe('a field in the versions that have it', () => {
  it('stands where the declaration puts it, in the form of the version', () => {
    expect(toHex(seat.encode({ row: 7, name: 'A' }, 0))).toBe('07 0001 41'.replaceAll(' ', ''));
    expect(toHex(seat.encode({ row: 7, name: null, price: 9 }, 1))).toBe(
      '07 ffff 00000009 0000 ffffffff'.replaceAll(' ', ''),
    );
    expect(toHex(seat.encode({ row: 7, name: null, note: 'n', photo: hex('beef') }, 2))).toBe(
      '07 00 ffffffff 02 6e 03 beef 00'.replaceAll(' ', ''),
    );
  });

  it('is refused as null where the version has none', () => {
    expect(refusal(() => seat.encode({ row: 7, name: null }, 0))).toBe('UNEXPECTED_NULL');
    expect(refusal(() => seat.decode(hex('07 ffff'), 0))).toBe('UNEXPECTED_NULL');
  });
});

describe('a field in the versions without it', () => {
  it('is read as its default', () => {
    expect(seat.decode(hex('07 0001 41'), 0)).toEqual({
      row: 7,
      name: 'A',
      price: -1,
      note: '',
      hall: { level: 1 },
      labels: [],
      photo: null,
    });
  });

  it('is refused when it is set and matters, by its path', () => {
    expect(refusal(() => seat.encode({ row: 7, name: 'A', price: 5 }, 0))).toBe('FIELD_NOT_IN_VERSION');
    expect(() => seat.encode({ row: 7, name: 'A', hall: { level: 2 } }, 2)).toThrow('Seat.hall');
    expect(refusal(() => seat.encode({ row: 7, name: 'A', labels: ['x'] }, 2))).toBe('FIELD_NOT_IN_VERSION');
    expect(refusal(() => seat.encode({ row: 7, name: 'A', photo: hex('00') }, 3))).toBe(
      'FIELD_NOT_IN_VERSION',
    );
  });

  it('is dropped when it is ignorable, and when it is its default', () => {
    const body = { row: 7, name: 'A', note: 'lost', price: -1, hall: { level: 1 }, labels: [], photo: null };
    expect(toHex(seat.encode(body, 0))).toBe('07000141');
  });

  it('has lists and structures of its own in every message', () => {
    const [one, other] = [seat.decode(hex('07 0001 41'), 0), seat.decode(hex('07 0001 41'), 0)];
    one.labels.push('mine');
    one.hall.level = 9;
    expect(other).toMatchObject({ labels: [], hall: { level: 1 } });
  });
});

describe('tagged fields', () => {
  const plain = '07 02 41 ffffffff 01'; // row, name, price, note

  it('are left out when they are their default', () => {
    expect(toHex(seat.encode({ row: 7, name: 'A', hall: {}, labels: [] }, 3))).toBe(
      toHex(hex(`${plain} 00`)),
    );
  });

  it('follow in rising order of their tags, each with its size', () => {
    const bytes = `${plain} 02  00 03 02 02 78  01 02 05 00`;
    expect(toHex(seat.encode({ row: 7, name: 'A', hall: { level: 5 }, labels: ['x'] }, 3))).toBe(
      toHex(hex(bytes)),
    );
    expect(seat.decode(hex(bytes), 3)).toMatchObject({ hall: { level: 5 }, labels: ['x'] });
  });

  it('are skipped when they are not known', () => {
    expect(seat.decode(hex(`${plain} 02  01 02 05 00  63 03 ffffff`), 3)).toMatchObject({
      hall: { level: 5 },
    });
  });

  it('F42: are refused when their content is shorter or longer than their size', () => {
    expect(refusal(() => seat.decode(hex(`${plain} 01  01 03 05 00 00`), 3))).toBe('TAG_SIZE_MISMATCH');
    expect(refusal(() => seat.decode(hex(`${plain} 01  01 01 05 00`), 3))).toBe('TRUNCATED');
    expect(refusal(() => seat.decode(hex(`${plain} 01  63 ffffffff07 00`), 3))).toBe('TRUNCATED');
  });

  it('F42: are refused in floods', () => {
    const flood = (count: number): Uint8Array => {
      const writer = new ByteWriter();
      writer.copy(hex(plain));
      writer.unsignedVarint(count);
      for (let i = 0; i < count; i++) {
        writer.unsignedVarint(100 + i);
        writer.unsignedVarint(0);
      }
      return writer.toBytes();
    };
    expect(seat.decode(flood(MAX_TAGS_PER_STRUCT), 3).row).toBe(7);
    expect(refusal(() => seat.decode(flood(MAX_TAGS_PER_STRUCT + 1), 3))).toBe('TOO_MANY_TAGS');
    expect(refusal(() => seat.decode(hex(`${plain} ffffffff0f`), 3))).toBe('TOO_MANY_TAGS');
  });
});

describe('structures that may be null', () => {
  const schema = defineRecord({
    name: 'Optional',
    versions: '0',
    fields: { inner: struct('0+', { value: int8('0+') }, { nullable: '0+', default: null }) },
  });

  it('are preceded by a byte that says so', () => {
    expect(toHex(schema.encode({}, 0))).toBe('ff');
    expect(toHex(schema.encode({ inner: { value: 4 } }, 0))).toBe('0104');
    expect(schema.decode(hex('ff'), 0)).toEqual({ inner: null });
    expect(schema.decode(hex('0104'), 0)).toEqual({ inner: { value: 4 } });
  });
});

describe('declarations', () => {
  it('need a highest version', () => {
    expect(() => defineRecord({ name: 'Endless', versions: '0+', fields: {} })).toThrow('highest version');
  });

  it('serve no version outside their range', () => {
    expect(refusal(() => seat.encode({ row: 1, name: 'A' }, 4))).toBe('UNSUPPORTED_VERSION');
    expect(refusal(() => seat.decode(hex('07'), -1))).toBe('UNSUPPORTED_VERSION');
  });

  it('refuse scalars that would be null', () => {
    expect(() =>
      defineRecord({ name: 'Odd', versions: '0', fields: { count: int32('0+', { nullable: '0+' }) } }),
    ).toThrow('int32 cannot be null');
  });
});
