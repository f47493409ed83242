import { type ReservationEvent, refundEvents, reservationEvents } from '@seatlog/booking';
import { createClient, type KafkaClient } from '@seatlog/kafka-client';
import { type BrokerServer, startBroker } from '@seatlog/local-stack';
import { createTicketingTopics } from '@seatlog/ticketing-setup';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { audit } from '../audit/audit.ts';
import type { AuditFacts, Logged } from '../audit/facts.ts';
import type { Rule } from '../audit/violation.ts';
import { factsOf, type Sale } from '../testing/sale.ts';
import { collectLags } from './lag-facts.ts';
import { collectLog } from './log-facts.ts';

const order = (buyer: number, seats: readonly number[]) =>
  ({ kind: 'buy', buyer, seats, barge: false, repeated: false }) as const;
/** Seat 1 goes from buyer 1 to buyer 2. */
const sale: Sale = {
  seatCount: 4,
  actions: [order(1, [1]), order(3, [2, 3]), { kind: 'cancel', order: 0 }, order(2, [1])],
  turns: [0],
};
const told = factsOf(sale);
const topics = [reservationEvents.name, refundEvents.name, `${reservationEvents.name}.dlq`];

describe('facts from a broker’s log', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'seatlog-test-'));
  let broker: BrokerServer;
  let client: KafkaClient;

  beforeAll(async () => {
    broker = await startBroker({ dataDirectory });
    client = createClient({ brokers: broker.address, clientId: 'test' });
  });
  afterAll(async () => {
    await client.close();
    await broker.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });
  beforeEach(() => createTicketingTopics(broker.address, 1));
  afterEach(() => client.admin().deleteTopics(topics));

  async function publish(events: readonly Logged<ReservationEvent>[]): Promise<void> {
    const producer = client.producer();
    for (const { partition, value } of events) {
      await producer.send({ topic: reservationEvents, key: value.seatId, value, partition });
    }
    for (const { value } of told.log.refundEvents) {
      await producer.send({ topic: refundEvents, key: value.seatId, value });
    }
    await producer.close();
  }

  async function factsWithLog(): Promise<AuditFacts> {
    return { ...told, log: await collectLog(client) };
  }

  const found = (facts: AuditFacts): readonly Rule[] => [
    ...new Set(audit(facts).violations.map(({ rule }) => rule)),
  ];
  const at = (type: ReservationEvent['type'], buyer: string): number =>
    told.log.reservationEvents.findIndex(({ value }) => value.type === type && value.userId === buyer);

  it('are those of a sound sale', async () => {
    await publish(told.log.reservationEvents);
    const facts = await factsWithLog();
    const byPlace = (a: Logged<unknown>, b: Logged<unknown>): number =>
      a.partition - b.partition || a.offset - b.offset;
    expect(facts.log.reservationEvents.toSorted(byPlace)).toEqual(
      told.log.reservationEvents.toSorted(byPlace),
    );
    expect(facts.log.refundEvents).toHaveLength(told.log.refundEvents.length);
    expect(facts.log.deadLetters).toEqual([]);
    expect(found(facts)).toEqual([]);
  });

  it('show an event that was lost', async () => {
    const lost = at('ReservationCreated', 'buyer-2');
    await publish(told.log.reservationEvents.toSpliced(lost, 1));
    expect(found(await factsWithLog())).toEqual(
      expect.arrayContaining(['accepted-not-in-log', 'row-without-event']),
    );
  });

  it('show events of a seat in another order than they were applied', async () => {
    const [given, sold] = [at('ReservationCancelled', 'buyer-1'), at('ReservationCreated', 'buyer-2')];
    const events = [...told.log.reservationEvents];
    const [first, second] = [events[given], events[sold]];
    if (first === undefined || second === undefined) throw new Error('the sale has both');
    await publish(events.with(given, second).with(sold, first));
    const reservations = told.database.reservations.map((row) =>
      row.userId === 'buyer-2' && row.source !== null
        ? { ...row, source: { partition: first.partition, offset: first.offset } }
        : row,
    );
    const facts = await factsWithLog();
    expect(found({ ...facts, database: { ...facts.database, reservations } })).toEqual(['order-swapped']);
  });

  it('tell what retention has deleted from what was lost', async () => {
    await publish(told.log.reservationEvents);
    const { partition } = told.log.reservationEvents[0] ?? { partition: 0 };
    await client.admin().deleteRecords([{ topic: reservationEvents.name, partition, offset: 1 }]);
    const facts = await factsWithLog();
    expect(facts.log.firstOffsets.get(partition)).toBe(1);
    expect(found(facts)).toEqual([]);
  });

  it('show dead letters, and records that no group has read', async () => {
    await publish(told.log.reservationEvents);
    const producer = client.producer();
    await producer.send({ topic: `${reservationEvents.name}.dlq`, key: null, value: 'garbage' });
    await producer.send({ topic: reservationEvents.name, key: null, value: 'garbage', partition: 5 });
    await producer.close();
    const facts = await factsWithLog();
    expect(facts.log.reservationEvents).toHaveLength(told.log.reservationEvents.length);
    expect(found({ ...facts, lags: await collectLags(client) })).toEqual(['dead-letter', 'lag']);
  });

  it('show how far a group is behind', async () => {
    await publish(told.log.reservationEvents);
    const ends = Map.groupBy(told.log.reservationEvents, ({ partition }) => partition);
    const read = [...ends].map(([partition, events], index) => ({
      topic: reservationEvents.name,
      partition,
      // The first partition is left one record behind.
      offset: events.length - (index === 0 ? 1 : 0),
    }));
    await client.admin().commitOffsets('db-writer', read);
    const behind = (await collectLags(client)).filter(
      ({ topic, lag }) => topic === reservationEvents.name && lag !== 0,
    );
    expect(behind).toEqual([
      { group: 'db-writer', topic: reservationEvents.name, partition: read[0]?.partition, lag: 1 },
    ]);
    await client.admin().deleteGroups(['db-writer']);
  });
});
