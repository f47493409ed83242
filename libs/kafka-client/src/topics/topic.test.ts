import { describe, expect, expectTypeOf, it } from 'vitest';
import type { ConsumedBatch } from '../consumer/types.ts';
import type { ProducerRecord } from '../producer/types.ts';
import { CodecError, bytes, defineTopic, json, nullable, string, type StandardSchema } from '../topics.ts';

interface Seat {
  readonly seatId: string;
}

const seatSchema: StandardSchema<Seat, Seat & { readonly taken: boolean }> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) =>
      typeof value === 'object' && value !== null && 'seatId' in value && typeof value.seatId === 'string'
        ? { value: { seatId: value.seatId, taken: false } }
        : { issues: [{ message: 'expected text', path: ['seatId'] }] },
  },
};

const seats = defineTopic({ name: 'seats', key: string, value: json(seatSchema) });
const raw = defineTopic({ name: 'raw', value: nullable(bytes) });
const utf8 = (text: string) => new TextEncoder().encode(text);

describe('typed topics', () => {
  it('gives the types of both directions', () => {
    type Outgoing = ProducerRecord<typeof seats>;
    expectTypeOf<Outgoing['key']>().toEqualTypeOf<string>();
    expectTypeOf<Outgoing['value']>().toEqualTypeOf<Seat>();
    type Batch = ConsumedBatch<typeof seats | typeof raw | 'plain'>;
    const read = (batch: Batch) => {
      if (batch.topic === 'seats') {
        expectTypeOf(batch.records[0]!.value).toEqualTypeOf<Seat & { readonly taken: boolean }>();
        expectTypeOf(batch.records[0]!.key).toEqualTypeOf<string>();
      }
      if (batch.topic === 'plain') expectTypeOf(batch.records[0]!.value).toEqualTypeOf<Uint8Array | null>();
    };
    expect(read).toBeTypeOf('function');
    expectTypeOf<ProducerRecord<typeof raw>['key']>().toEqualTypeOf<Uint8Array | null | undefined>();
    expectTypeOf<ProducerRecord['value']>().toEqualTypeOf<string | Uint8Array | null>();
  });

  it('writes the input form of a JSON schema and reads its output form', () => {
    const wire = seats.value.encode({ seatId: 'A-1' });
    expect(wire).toBe('{"seatId":"A-1"}');
    expect(seats.value.decode(utf8('{"seatId":"A-1"}'))).toEqual({ seatId: 'A-1', taken: false });
  });

  it('refuses what the schema refuses, naming the field', () => {
    expect(() => seats.value.decode(utf8('{"seatId":7}'))).toThrow(
      new CodecError('DECODE_FAILED', ['seatId: expected text']),
    );
    expect(() => seats.value.decode(utf8('{"seatId'))).toThrow('no JSON');
    expect(() => seats.value.decode(null)).toThrow('null where JSON was declared');
  });

  it('refuses text that is no UTF-8', () => {
    expect(() => string.decode(Uint8Array.of(0xff))).toThrow('no UTF-8');
  });

  it('lets null through only where it was declared', () => {
    expect(raw.value.decode(null)).toBeNull();
    expect(raw.value.encode(null)).toBeNull();
    expect(() => bytes.decode(null)).toThrow('null where bytes was declared');
  });
});
