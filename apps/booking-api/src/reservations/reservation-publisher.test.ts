import { orderIdOf, reservationCreatedEvents, reservationEvents } from '@seatlog/booking';
import { KafkaClientError, type Producer, type WriteOutcome } from '@seatlog/kafka-client';
import { createLogger } from '@seatlog/observability';
import { describe, expect, it } from 'vitest';
import { KafkaReservationPublisher } from './reservation-publisher.ts';

const events = reservationCreatedEvents(
  {
    orderId: orderIdOf({ userId: 'ann', eventId: 'gala', idempotencyKey: 'k' }),
    eventId: 'gala',
    userId: 'ann',
    currency: 'EUR',
    seats: [1, 2].map((number) => ({ seatId: `gala:A-1-${number}`, epoch: 7, amount: 100 })),
  },
  { paymentReference: 'pay', lockedUntil: 2000, occurredAt: 1000 },
);

const failure = (outcome: WriteOutcome | undefined) =>
  new KafkaClientError('REQUEST_TIMEOUT', 'late', { retriable: true, hint: 'again', outcome });

/** A producer whose sends end as told, one after the other. */
function publisherOver(...results: readonly (Error | number)[]) {
  const sent: unknown[] = [];
  const send = async (record: { readonly topic: { readonly name: string } }) => {
    const result = results[sent.length] ?? 0;
    sent.push(record);
    if (result instanceof Error) throw result;
    return { topic: record.topic.name, partition: 1, offset: result, timestamp: 0 };
  };
  const logger = createLogger({ service: 'test', level: 'silent' });
  const producer = { send } as unknown as Pick<Producer, 'send'>;
  return { publisher: new KafkaReservationPublisher({ producer, keyKind: 'section', logger }), sent };
}

describe('publishing reservation events', () => {
  it('T1: one record for each seat, under the partition key', async () => {
    const { publisher, sent } = publisherOver(40, 41);
    expect(await publisher.publish(events)).toMatchObject({
      kind: 'written',
      records: [
        { partition: 1, offset: 40 },
        { partition: 1, offset: 41 },
      ],
    });
    expect(sent).toEqual(
      events.map((value) => ({ topic: reservationEvents, key: 'gala:A', value, timestamp: 1000 })),
    );
  });

  // T2: only if not a single record can be in the log may the seats be freed.
  const outcomes = [
    ['not-written', [failure('not-written'), failure('not-written')]],
    ['unknown', [failure('not-written'), failure('unknown')]],
    ['unknown', [40, failure('not-written')]],
    ['unknown', [failure('not-written'), 41]],
    ['unknown', [failure('unknown'), failure('unknown')]],
    ['unknown', [failure(undefined), failure('not-written')]],
    ['unknown', [new TypeError('unexpected'), failure('not-written')]],
  ] as const;
  it.each(outcomes)('T2, F63: %s for %j', async (kind, results) => {
    expect((await publisherOver(...results).publisher.publish(events)).kind).toBe(kind);
  });
});
