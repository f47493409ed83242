import { reservationEvents } from '@seatlog/booking';
import { KafkaClientError, type Producer } from '@seatlog/kafka-client';
import { describe, expect, it } from 'vitest';
import { DeadLetterTopic } from './dead-letter-topic.ts';
import type { ReservationRecord } from './ports.ts';

interface Sent {
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: readonly (readonly [string, string | Uint8Array | null])[];
}

/** A producer that takes no more than so many bytes. */
function narrowProducer(limit: number, refusal: KafkaClientError) {
  const sent: Sent[] = [];
  const send = async (record: Sent) => {
    const size = (record.key?.length ?? 0) + (record.value?.length ?? 0);
    if (size + record.headers.length * 10 > limit) throw refusal;
    sent.push(record);
  };
  return { sent, producer: { send: send as unknown as Producer['send'] } };
}

const refusedAs = (code: string, retriable = false) =>
  new KafkaClientError(code, 'refused', { retriable, hint: '', outcome: 'not-written' });

function recordOf(keyBytes: Uint8Array, valueBytes: Uint8Array): ReservationRecord {
  return {
    topic: reservationEvents.name,
    partition: 2,
    offset: 7,
    timestamp: 0,
    key: 'seat',
    get value(): never {
      throw new Error('no JSON');
    },
    headers: [{ key: 'own', value: new Uint8Array(3) }],
    keyBytes,
    valueBytes,
  };
}

const cause = { code: 'DECODE_FAILED', message: 'no JSON', attempts: 1 };

describe('a dead letter', () => {
  it('T7: goes byte for byte, with its own headers and where it came from', async () => {
    const { sent, producer } = narrowProducer(1000, refusedAs('RECORD_TOO_LARGE'));
    const [key, value] = [new Uint8Array(4), new Uint8Array(500)];
    await new DeadLetterTopic(producer).publish(recordOf(key, value), cause);
    expect(sent).toEqual([expect.objectContaining({ key, value })]);
    const headers = new Map(sent[0]?.headers);
    expect([headers.has('own'), headers.get('dlq.offset'), headers.get('dlq.code')]).toEqual([
      true,
      '7',
      'DECODE_FAILED',
    ]);
  });

  it.each(['RECORD_TOO_LARGE', 'MESSAGE_TOO_LARGE'])(
    'T7: that is too large for its topic (%s) goes without its bytes, and does not stop the partition',
    async (code) => {
      const { sent, producer } = narrowProducer(1000, refusedAs(code));
      const key = new Uint8Array(4);
      await new DeadLetterTopic(producer).publish(recordOf(key, new Uint8Array(5000)), cause);
      expect(sent).toEqual([expect.objectContaining({ key, value: null })]);
      expect(new Map(sent[0]?.headers).get('dlq.left-out-bytes')).toBe('5004');
      await new DeadLetterTopic(producer).publish(recordOf(new Uint8Array(5000), key), cause);
      expect(sent[1]).toMatchObject({ key: null, value: null });
    },
  );

  it('T7: is told of any other refusal', async () => {
    const refusal = refusedAs('NOT_ENOUGH_REPLICAS', true);
    const topic = new DeadLetterTopic(narrowProducer(0, refusal).producer);
    await expect(topic.publish(recordOf(new Uint8Array(1), new Uint8Array(1)), cause)).rejects.toBe(refusal);
    expect(topic.isPassing(refusal)).toBe(true);
  });
});
