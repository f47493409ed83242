import { apis } from '@seatlog/kafka-protocol';
import { batchOf, createTopic, produceTo } from '../records.ts';
import type { Scenario, Session } from '../session.ts';

async function ids(session: Session): Promise<void> {
  const init = (
    what: string,
    version: number,
    more: { transactionalId?: string; producerId?: number; producerEpoch?: number } = {},
  ) =>
    session.ask(what, apis.initProducerId, version, {
      transactionalId: null,
      transactionTimeoutMs: 60_000,
      ...more,
    });
  await session.askUntil(
    'the first id',
    apis.initProducerId,
    4,
    { transactionalId: null, transactionTimeoutMs: 60_000 },
    ({ errorCode }) => errorCode === 0,
  );
  for (let version = 0; version <= 4; version++) await init(`version ${version}`, version);
  await init('an epoch of an unknown id', 4, { producerId: 4_000, producerEpoch: 3 });
  await init('an epoch without an id', 4, { producerEpoch: 3 });
  await init('an id without an epoch', 4, { producerId: 4_000 });
  await init('an empty transactional id', 4, { transactionalId: '' });
}

async function sequences(session: Session): Promise<void> {
  const topic = session.name('sequenced');
  await createTopic(session, topic, { partitions: 2 });
  const answer = await session.ask('an id', apis.initProducerId, 4, {
    transactionalId: null,
    transactionTimeoutMs: 60_000,
  });
  const producerId = answer?.producerId ?? -1;
  const write = (
    what: string,
    baseSequence: number,
    count = 1,
    producerEpoch = 0,
    index = 0,
  ): Promise<void> =>
    produceTo(
      session,
      what,
      topic,
      batchOf({ count, timestamp: session.base, producerId, producerEpoch, baseSequence }),
      { index },
    );
  await write('the first', 0, 2);
  await write('the first again', 0, 2);
  await write('the second', 2, 3);
  await write('a gap', 9);
  await write('overlaps the last', 4, 2);
  await write('covers both', 0, 5);
  await write('only the end of the last', 4, 1);
  for (let sequence = 5; sequence <= 9; sequence++) await write(`sequence ${sequence}`, sequence);
  await write('the last but four again', 5);
  await write('the first, long ago', 0, 2);
  await write('a higher epoch that does not begin', 10, 1, 1);
  await write('a higher epoch that begins', 0, 1, 1);
  await write('a lower epoch', 10, 1, 0);
  await write('another partition in the middle', 3, 1, 1, 1);
  await write('another partition from the start', 0, 1, 1, 1);
  await write('a sequence below zero', -2, 1, 1);
  await session.ask('two batches of one producer', apis.produce, 11, {
    acks: -1,
    timeoutMs: 10_000,
    topicData: [
      {
        name: topic,
        partitionData: [
          {
            index: 0,
            records: Buffer.concat([
              batchOf({ timestamp: session.base, producerId, producerEpoch: 1, baseSequence: 1 }),
              batchOf({ timestamp: session.base, producerId, producerEpoch: 1, baseSequence: 2 }),
            ]),
          },
        ],
      },
    ],
  });
  await session.ask('who has written', apis.describeProducers, 0, {
    topics: [
      { name: topic, partitionIndexes: [0, 1, 9] },
      { name: session.name('unknown'), partitionIndexes: [0] },
      { name: 'a/b', partitionIndexes: [0] },
    ],
  });
  const wrapping = await session.exchange(apis.initProducerId, 4, {
    transactionalId: null,
    transactionTimeoutMs: 60_000,
  });
  const high = (what: string, baseSequence: number, count: number): Promise<void> =>
    produceTo(
      session,
      what,
      topic,
      batchOf({
        count,
        timestamp: session.base,
        producerId: wrapping?.producerId ?? -1,
        producerEpoch: 0,
        baseSequence,
      }),
    );
  await high('begins near the highest sequence', 0x7fff_fffe, 3);
}

export const producerIds: Scenario = { name: 'producer-ids', tell: ids };
export const sequencedBatches: Scenario = { name: 'sequenced-batches', tell: sequences };
