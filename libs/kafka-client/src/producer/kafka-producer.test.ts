import { apis, batchRecordCount, ErrorCode, type RequestOf } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { BatchSendError, type KafkaClientError } from '../errors.ts';
import { scene } from '../testing/scene.ts';
import type { SeenRequest } from '../testing/scripted-cluster.ts';
import type { RecordMetadata } from './types.ts';

const isProduce = ({ api }: SeenRequest): boolean => api.key === apis.produce.key;

/** Records in each batch of each Produce request that was seen. */
function batchesOf(requests: readonly SeenRequest[]): number[][] {
  return requests
    .filter(isProduce)
    .map(({ body }) =>
      (body as RequestOf<typeof apis.produce>).topicData.flatMap(({ partitionData }) =>
        partitionData.map(({ records }) => (records === null ? 0 : batchRecordCount(records))),
      ),
    );
}

const failure = (promise: Promise<unknown>): Promise<KafkaClientError> =>
  promise.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: unknown) => error as KafkaClientError,
  );

describe('producer', () => {
  it('tells partition, offset and timestamp of a record', async () => {
    const { world, cluster, client } = scene();
    cluster.createTopic('seats', 1);
    const producer = client.producer();
    const first = await world.until(
      producer.send({ topic: 'seats', key: 'A-1', value: 'one', timestamp: 5 }),
    );
    const second = await world.until(producer.send({ topic: 'seats', key: 'A-1', value: 'two' }));
    expect(first).toEqual({ topic: 'seats', partition: 0, offset: 0, timestamp: 5 });
    expect(second).toMatchObject({ offset: 1 });
    expect(cluster.partition('seats', 0).values).toEqual(['one', 'two']);
  });

  it('K16: puts what is sent in one turn into one batch, and partitions of one broker into one request', async () => {
    const { world, cluster, client } = scene();
    cluster.createTopic('t', 3);
    const producer = client.producer();
    await world.until(producer.ready('t'));
    const sends = Array.from({ length: 9 }, (_, index) =>
      producer.send({ topic: 't', partition: index % 3, value: `v${index}` }),
    );
    await world.until(Promise.all(sends));
    expect(batchesOf(cluster.requests)).toEqual([[3, 3, 3]]);
  });

  it('closes a batch at batchSize, and waits lingerMs for company if told to', async () => {
    const { world, cluster, client } = scene();
    cluster.createTopic('t', 1);
    const producer = client.producer({ batchSize: 200, lingerMs: 50 });
    await world.until(producer.ready('t'));
    const value = 'x'.repeat(90);
    const early = [producer.send({ topic: 't', value }), producer.send({ topic: 't', value })];
    await world.pass(30);
    expect(batchesOf(cluster.requests)).toEqual([]);
    const late = producer.send({ topic: 't', value });
    await world.until(Promise.all([...early, late]));
    expect(batchesOf(cluster.requests)).toEqual([[2], [1]]);
  });

  it('keeps at most five requests in flight, once the broker knows the producer', async () => {
    const { world, cluster, client } = scene();
    cluster.createTopic('t', 1);
    cluster.latencyMs = 20;
    const producer = client.producer({ batchSize: 1 });
    await world.until(producer.send({ topic: 't', value: 'first' }));
    const sends = Array.from({ length: 12 }, (_, index) => producer.send({ topic: 't', value: `v${index}` }));
    await world.pass(30);
    expect(cluster.countOf('Produce')).toBe(1 + 5);
    await world.until(Promise.all(sends));
    expect(cluster.partition('t', 0).values).toEqual([
      'first',
      ...Array.from({ length: 12 }, (_, i) => `v${i}`),
    ]);
  });

  it('gathers what is sent while earlier batches wait for their leader, in order', async () => {
    const { world, cluster, client } = scene();
    cluster.createTopic('t', 1);
    const producer = client.producer();
    await world.until(producer.send({ topic: 't', value: 'first' }));
    const leader = cluster.partition('t', 0).leader;
    cluster.stop(leader);
    await world.pass(50);
    const sends: Promise<RecordMetadata>[] = [];
    for (let index = 0; index < 100; index += 1) {
      sends.push(producer.send({ topic: 't', value: `v${index}` }));
      await world.pass(10);
    }
    cluster.start(leader);
    await world.until(Promise.all(sends));
    expect(cluster.partition('t', 0).values).toEqual(['first', ...sends.map((_, index) => `v${index}`)]);
    expect(batchesOf(cluster.requests).length).toBeLessThan(10);
  });

  it('K12: records without a key stay with a partition for a batch and then go on to the next', async () => {
    const { world, cluster, client } = scene();
    cluster.createTopic('t', 4);
    const producer = client.producer();
    const seen: number[] = [];
    for (let round = 0; round < 8; round++) {
      const pair = await world.until(
        Promise.all([producer.send({ topic: 't', value: 'a' }), producer.send({ topic: 't', value: 'b' })]),
      );
      expect(pair[0].partition).toBe(pair[1].partition);
      seen.push(pair[0].partition);
    }
    expect(seen.slice(0, 4).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3]);
    expect(seen.slice(4)).toEqual(seen.slice(0, 4));
  });

  it('K12: a partitioner of the caller is asked, and may leave the choice', async () => {
    const { world, cluster, client } = scene();
    cluster.createTopic('t', 4);
    const producer = client.producer({
      partitioner: ({ key, partitionCount }) => (key === null ? null : partitionCount - 1),
    });
    const { partition } = await world.until(producer.send({ topic: 't', key: 'a', value: 'x' }));
    expect(partition).toBe(3);
    const wrong = client.producer({ partitioner: () => 99 });
    expect(await world.until(failure(wrong.send({ topic: 't', value: 'x' })))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      outcome: 'not-written',
    });
  });

  it('under acks 0 tells no offset and waits for no answer', async () => {
    const { world, cluster, client } = scene();
    cluster.createTopic('t', 1);
    const producer = client.producer({ acks: 0 });
    const { offset } = await world.until(producer.send({ topic: 't', value: 'x' }));
    expect(offset).toBe(-1);
    await world.pass(10);
    expect(cluster.partition('t', 0).values).toEqual(['x']);
  });

  it('holds senders back while the buffer is full, in order, and lets them in as it empties', async () => {
    const { world, cluster, client } = scene();
    cluster.createTopic('t', 1);
    const producer = client.producer({ bufferMemory: 1000, batchSize: 1 });
    await world.until(producer.ready('t'));
    const value = (index: number): string => String(index).padStart(3, '0').padEnd(300, '.');
    const sends = Array.from({ length: 30 }, (_, index) =>
      producer.send({ topic: 't', value: value(index) }),
    );
    expect(producer.bufferedBytes).toBeLessThan(1400);
    const told = await world.until(Promise.all(sends));
    expect(told.map(({ offset }) => offset)).toEqual(told.map((_, index) => index));
    expect(cluster.partition('t', 0).values).toEqual(told.map((_, index) => value(index)));
  });

  it('T2: a sender that was held back too long is told that nothing was written', async () => {
    const { world, cluster, client } = scene();
    cluster.createTopic('t', 1);
    const producer = client.producer({ bufferMemory: 500, maxBlockMs: 200 });
    await world.until(producer.ready('t'));
    cluster.fate = (request) => (isProduce(request) ? 'swallow' : 'serve');
    void producer.send({ topic: 't', value: 'x'.repeat(600) }).catch(() => undefined);
    const error = await world.until(failure(producer.send({ topic: 't', value: 'late' })));
    expect(error).toMatchObject({ code: 'BUFFER_EXHAUSTED', outcome: 'not-written', retriable: true });
  });

  it('T2: an unknown topic, a record that is too large, a send on a closed producer were not written', async () => {
    const { world, cluster, client } = scene();
    cluster.createTopic('t', 1);
    const producer = client.producer({ maxBlockMs: 300, maxRequestSize: 1000 });
    expect(await world.until(failure(producer.send({ topic: 'nowhere', value: 'x' })))).toMatchObject({
      code: 'METADATA_TIMEOUT',
      outcome: 'not-written',
      cause: { code: 'UNKNOWN_TOPIC_OR_PARTITION' },
    });
    const large = producer.send({ topic: 't', value: 'x'.repeat(2000) });
    expect(await world.until(failure(large))).toMatchObject({
      code: 'RECORD_TOO_LARGE',
      outcome: 'not-written',
    });
    await world.until(producer.close());
    expect(await failure(producer.send({ topic: 't', value: 'x' }))).toMatchObject({
      code: 'CLIENT_CLOSED',
      outcome: 'not-written',
    });
    expect(cluster.partition('t', 0).values).toEqual([]);
  });

  it('T2: what the broker refused for good was not written, what it never answered is unknown', async () => {
    const { world, cluster, client } = scene({ requestTimeoutMs: 200 });
    cluster.createTopic('t', 1);
    const producer = client.producer({ deliveryTimeoutMs: 1000 });
    await world.until(producer.send({ topic: 't', value: 'known' }));
    cluster.fate = (request) => (isProduce(request) ? 'swallow the answer' : 'serve');
    const unanswered = await world.until(failure(producer.send({ topic: 't', value: 'unanswered' })));
    expect(unanswered).toMatchObject({ code: 'DELIVERY_TIMEOUT', outcome: 'unknown' });
    // The connection is given up when the answer is overdue.
    await world.pass(3000);
    cluster.fate = (request) =>
      isProduce(request)
        ? {
            answer: {
              responses: [
                {
                  name: 't',
                  partitionResponses: [
                    { index: 0, errorCode: ErrorCode.TOPIC_AUTHORIZATION_FAILED, baseOffset: -1 },
                  ],
                },
              ],
            },
          }
        : 'serve';
    const refused = await world.until(failure(producer.send({ topic: 't', value: 'refused' })));
    expect(refused).toMatchObject({
      code: 'TOPIC_AUTHORIZATION_FAILED',
      outcome: 'not-written',
      retriable: false,
    });
    cluster.fate = () => 'serve';
    await world.until(producer.send({ topic: 't', value: 'after' }));
    expect(cluster.partition('t', 0).values).toEqual(['known', 'unanswered', 'after']);
  });

  it('tells of a batch which records were written, when not all were', async () => {
    const { world, cluster, client } = scene({ brokerCount: 2 });
    cluster.createTopic('t', 2);
    const producer = client.producer();
    await world.until(producer.ready('t'));
    cluster.fate = (request) =>
      isProduce(request) && request.brokerId === 2
        ? {
            answer: {
              responses: [
                {
                  name: 't',
                  partitionResponses: [{ index: 1, errorCode: ErrorCode.INVALID_RECORD, baseOffset: -1 }],
                },
              ],
            },
          }
        : 'serve';
    const records = [0, 0, 1, 1, 1, 0].map((partition, index) => ({ partition, value: String(index) }));
    const error = await world.until(failure(producer.sendBatch('t', records)));
    expect(error).toBeInstanceOf(BatchSendError);
    expect(error).toMatchObject({
      code: 'PARTIAL_FAILURE',
      outcome: 'unknown',
      failures: [
        { firstIndex: 2, count: 3, partition: 1, error: { code: 'INVALID_RECORD', outcome: 'not-written' } },
      ],
    });
    const whole = records.slice(2, 5);
    expect(await world.until(failure(producer.sendBatch('t', whole)))).toMatchObject({
      code: 'INVALID_RECORD',
      outcome: 'not-written',
    });
  });

  it('gives the ranges of a batch in the order of its records', async () => {
    const { world, cluster, client } = scene();
    cluster.createTopic('t', 2);
    const producer = client.producer();
    const records = [0, 0, 1, 0].map((partition, index) => ({ partition, value: String(index) }));
    expect(await world.until(producer.sendBatch('t', records))).toEqual({
      topic: 't',
      count: 4,
      ranges: [
        { firstIndex: 0, count: 2, partition: 0, firstOffset: 0 },
        { firstIndex: 2, count: 1, partition: 1, firstOffset: 0 },
        { firstIndex: 3, count: 1, partition: 0, firstOffset: 2 },
      ],
    });
  });

  it('a batch larger than the buffer goes in as the buffer empties', async () => {
    const { world, cluster, client } = scene();
    cluster.createTopic('t', 1);
    const producer = client.producer({ bufferMemory: 2000, maxRequestSize: 1000 });
    const records = Array.from({ length: 100 }, (_, index) => ({ value: String(index).padEnd(200, '.') }));
    const { ranges } = await world.until(producer.sendBatch('t', records));
    expect(ranges.reduce((sum, { count }) => sum + count, 0)).toBe(100);
    expect(cluster.partition('t', 0).values).toEqual(records.map(({ value }) => value));
  });

  it('post takes records without promises, says when it takes no more, and flush tells of failures', async () => {
    const { world, cluster, client } = scene();
    cluster.createTopic('t', 1);
    const producer = client.producer({ bufferMemory: 2000 });
    expect(producer.post({ topic: 't', value: 'too early' })).toBe(false);
    await world.until(producer.ready('t'));
    let posted = 0;
    while (producer.post({ topic: 't', value: 'x'.repeat(100) })) posted += 1;
    expect(posted).toBeGreaterThan(10);
    await world.until(producer.ready('t'));
    const heard: number[] = [];
    expect(producer.post({ topic: 't', value: 'heard' }, (_, __, offset) => void heard.push(offset))).toBe(
      true,
    );
    await world.until(producer.flush());
    expect(heard).toEqual([posted]);
    cluster.fate = () => ({
      answer: {
        responses: [
          {
            name: 't',
            partitionResponses: [{ index: 0, errorCode: ErrorCode.INVALID_RECORD, baseOffset: -1 }],
          },
        ],
      },
    });
    producer.post({ topic: 't', value: 'bad' });
    expect(await world.until(failure(producer.flush()))).toMatchObject({ code: 'INVALID_RECORD' });
    await world.until(producer.flush());
  });

  it('close drains what was sent; past its time it fails the rest and tells what may have been written', async () => {
    const { world, cluster, client } = scene();
    cluster.createTopic('t', 2);
    const drained = client.producer({ lingerMs: 1000 });
    const sent = drained.send({ topic: 't', value: 'drained', partition: 0 });
    await world.until(drained.close());
    expect((await sent).offset).toBe(0);
    const stuck = client.producer({ maxInFlightRequestsPerConnection: 1 });
    await world.until(stuck.send({ topic: 't', value: 'known', partition: 0 }));
    cluster.fate = (request) => (isProduce(request) ? 'swallow' : 'serve');
    const onTheWay = failure(stuck.send({ topic: 't', value: 'on the way', partition: 0 }));
    await world.pass(5);
    const waiting = failure(stuck.send({ topic: 't', value: 'waiting', partition: 1 }));
    await world.until(stuck.close({ timeoutMs: 100 }));
    expect(await onTheWay).toMatchObject({ code: 'CLIENT_CLOSED', outcome: 'unknown' });
    expect(await waiting).toMatchObject({ code: 'CLIENT_CLOSED', outcome: 'not-written' });
  });

  it('an aborted send tells whether the record may still be written', async () => {
    const { world, cluster, client } = scene();
    const producer = client.producer();
    const early = new AbortController();
    const blocked = failure(producer.send({ topic: 'later', value: 'x' }, { signal: early.signal }));
    await world.pass(10);
    early.abort();
    expect(await blocked).toMatchObject({ code: 'ABORTED', outcome: 'not-written' });
    cluster.createTopic('later', 1);
    await world.until(producer.ready('later'));
    const late = new AbortController();
    const buffered = failure(producer.send({ topic: 'later', value: 'y' }, { signal: late.signal }));
    late.abort();
    expect(await buffered).toMatchObject({ code: 'ABORTED', outcome: 'unknown' });
    await world.pass(20);
    expect(cluster.partition('later', 0).values).toEqual(['y']);
  });

  it('finds the leader again when it moves, and after the broker was away', async () => {
    const { world, cluster, client } = scene({ brokerCount: 3 });
    cluster.createTopic('t', 1);
    const producer = client.producer();
    const told: RecordMetadata[] = [];
    told.push(await world.until(producer.send({ topic: 't', value: '0' })));
    cluster.partition('t', 0).moveTo(2);
    told.push(await world.until(producer.send({ topic: 't', value: '1' })));
    cluster.stop(2);
    const held = producer.send({ topic: 't', value: '2' });
    await world.pass(2000);
    cluster.start(2);
    told.push(await world.until(held));
    expect(told.map(({ offset }) => offset)).toEqual([0, 1, 2]);
    expect(cluster.partition('t', 0).values).toEqual(['0', '1', '2']);
  });

  it('K15: goes on under another epoch when the broker has forgotten the producer', async () => {
    const { world, cluster, client } = scene();
    cluster.createTopic('t', 1);
    const producer = client.producer();
    await world.until(producer.send({ topic: 't', value: '0' }));
    const unknownId = {
      answer: {
        responses: [
          {
            name: 't',
            partitionResponses: [
              { index: 0, errorCode: ErrorCode.UNKNOWN_PRODUCER_ID, baseOffset: -1, logStartOffset: 0 },
            ],
          },
        ],
      },
    };
    let refusals = 1;
    cluster.fate = (request) => (isProduce(request) && refusals-- > 0 ? unknownId : 'serve');
    cluster.partition('t', 0).forgetProducers();
    await world.until(producer.send({ topic: 't', value: '1' }));
    await world.until(producer.send({ topic: 't', value: '2' }));
    expect(cluster.partition('t', 0).values).toEqual(['0', '1', '2']);
  });
});
