/** The memory of appended batches is used again; answers that point into it and wait in a socket must not notice. */
import { apis, batchCrcMatches, batchesIn, decodeRecords } from '@seatlog/kafka-protocol';
import { expect, it } from 'vitest';
import { batchOf, startTestBroker, type TestBroker, until } from '../testing/test-broker.ts';

const VALUE_BYTES = 64 * 1024;
/** More than sockets take of an answer. */
const CACHE_BYTES = 16_000_000;
const BATCHES_IN_ANSWER = 160;
const BATCHES_AFTERWARDS = 320;
const IN_FLIGHT = 8;

const valueOf = (index: number): string => `event-${index};`.padEnd(VALUE_BYTES, String(index % 10));

async function write(broker: TestBroker, from: number, count: number): Promise<void> {
  const client = await broker.connect();
  const inFlight: Promise<unknown>[] = [];
  for (let index = from; index < from + count; index += 1) {
    const topicData = [
      { name: 'busy', partitionData: [{ index: 0, records: batchOf({ values: [valueOf(index)] }) }] },
    ];
    inFlight.push(client.ask(apis.produce, 9, { acks: 1, timeoutMs: 5000, topicData }));
    if (inFlight.length >= IN_FLIGHT) await inFlight.shift();
  }
  await Promise.all(inFlight);
}

it('an answer that waits in a socket stays whole while its memory would be wanted again', async () => {
  const settings = { 'seatlog.log.tail.cache.bytes': String(CACHE_BYTES) };
  await using broker = await startTestBroker({ settings });
  await broker.createTopic('busy');
  await write(broker, 0, BATCHES_IN_ANSWER);
  const slow = await broker.connect();
  slow.socket.pause();
  const partitions = [{ partition: 0, fetchOffset: 0, partitionMaxBytes: 50_000_000 }];
  const request = {
    maxWaitMs: 0,
    minBytes: 1,
    maxBytes: 50_000_000,
    topics: [{ topic: 'busy', partitions }],
  };
  const answer = slow.ask(apis.fetch, 11, request);
  await until(() => broker.broker.services.unsentBytes() > 1_000_000, 'much of the answer waits');
  await write(broker, BATCHES_IN_ANSWER, BATCHES_AFTERWARDS);
  expect(broker.broker.services.unsentBytes()).toBeGreaterThan(1_000_000);
  slow.socket.resume();
  const records = (await answer).responses[0]?.partitions[0]?.records ?? new Uint8Array(0);
  const batches = [...batchesIn(records)];
  expect(batches.length).toBe(BATCHES_IN_ANSWER);
  expect(batches.every((batch) => batchCrcMatches(batch))).toBe(true);
  const values = batches.map((batch) => Buffer.from(decodeRecords(batch)[0]?.value ?? []).toString());
  expect(values.every((value, index) => value === valueOf(index))).toBe(true);
});
