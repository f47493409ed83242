import { apis, ZERO_UUID } from '@seatlog/kafka-protocol';
import { batchOf, createTopic, produceTo } from '../records.ts';
import type { Scenario, Session } from '../session.ts';

interface Wish {
  readonly version?: number;
  readonly topic?: string;
  readonly topicId?: string;
  readonly partition?: number;
  readonly offset?: number;
  readonly epoch?: number;
  readonly lastFetchedEpoch?: number;
  readonly partitionMaxBytes?: number;
  readonly maxBytes?: number;
  readonly replicaId?: number;
  readonly sessionId?: number;
  readonly sessionEpoch?: number;
}

async function fetches(session: Session): Promise<void> {
  const topic = session.name('read');
  const topicId = await createTopic(session, topic, { partitions: 2 });
  for (const [index, count] of [3, 2, 4].entries()) {
    await produceTo(session, `written ${index}`, topic, batchOf({ count, timestamp: session.base + index }));
  }
  const ask = (what: string, wish: Wish = {}): Promise<unknown> => {
    const version = wish.version ?? 17;
    const named = version >= 13 ? { topicId: wish.topicId ?? topicId } : { topic: wish.topic ?? topic };
    const lastFetched =
      wish.lastFetchedEpoch === undefined ? {} : { lastFetchedEpoch: wish.lastFetchedEpoch };
    return session.ask(what, apis.fetch, version, {
      ...(wish.replicaId === undefined
        ? {}
        : version >= 15
          ? { replicaState: { replicaId: wish.replicaId, replicaEpoch: -1 } }
          : { replicaId: wish.replicaId }),
      maxWaitMs: 0,
      minBytes: 0,
      maxBytes: wish.maxBytes ?? 1_000_000,
      sessionId: wish.sessionId ?? 0,
      sessionEpoch: wish.sessionEpoch ?? -1,
      topics: [
        {
          ...named,
          partitions: [
            {
              partition: wish.partition ?? 0,
              currentLeaderEpoch: wish.epoch ?? -1,
              fetchOffset: wish.offset ?? 0,
              partitionMaxBytes: wish.partitionMaxBytes ?? 1_000_000,
              ...lastFetched,
            },
          ],
        },
      ],
    });
  };
  for (let version = 4; version <= apis.fetch.maxVersion; version++)
    await ask(`version ${version}`, { version });
  await ask('from the middle of a batch', { offset: 4 });
  await ask('from the end', { offset: 9 });
  await ask('from beyond the end', { offset: 10 });
  await ask('from below zero', { offset: -1 });
  await ask('with one byte', { partitionMaxBytes: 1 });
  await ask('with no bytes', { partitionMaxBytes: 0 });
  await ask('with one byte in all', { maxBytes: 1 });
  await ask('with room for one and a half batches', { partitionMaxBytes: 150 });
  await ask('from an empty partition', { partition: 1 });
  await ask('an unknown partition', { partition: 5 });
  await ask('a partition below zero', { partition: -1 });
  await ask('an unknown id', { topicId: 'AAAAAAAAAAAAAAAAAAAABA' });
  await ask('no id', { topicId: ZERO_UUID });
  await ask('an unknown topic', { version: 12, topic: session.name('unknown') });
  await ask('the leader epoch', { epoch: 0 });
  await ask('a later leader epoch', { epoch: 5 });
  await ask('a last fetched epoch', { lastFetchedEpoch: 0 });
  await ask('a later last fetched epoch', { lastFetchedEpoch: 4 });
  await ask('as a consumer for debugging', { replicaId: -2, version: 12 });
  await ask('as an unknown follower', { replicaId: 9, version: 12 });
  await ask('a session that is not known', { sessionId: 1234, sessionEpoch: 7 });
  await ask('a first session epoch of a session', { sessionId: 1234, sessionEpoch: 0 });
  await session.ask('nothing', apis.fetch, 17, { maxWaitMs: 0, minBytes: 0, topics: [] });
  await session.ask('one partition twice', apis.fetch, 17, {
    maxWaitMs: 0,
    minBytes: 0,
    topics: [
      {
        topicId,
        partitions: [
          { partition: 0, fetchOffset: 5, partitionMaxBytes: 1_000_000 },
          { partition: 0, fetchOffset: 0, partitionMaxBytes: 1_000_000 },
        ],
      },
    ],
  });
  await session.ask('read committed', apis.fetch, 17, {
    maxWaitMs: 0,
    minBytes: 0,
    isolationLevel: 1,
    topics: [{ topicId, partitions: [{ partition: 0, fetchOffset: 5, partitionMaxBytes: 1_000_000 }] }],
  });
  await session.ask('an unknown isolation level', apis.fetch, 17, {
    maxWaitMs: 0,
    minBytes: 0,
    isolationLevel: 7,
    topics: [{ topicId, partitions: [{ partition: 0, fetchOffset: 5, partitionMaxBytes: 1_000_000 }] }],
  });
}

export const fetching: Scenario = { name: 'fetching', tell: fetches };
