import { apis } from '@seatlog/kafka-protocol';
import { batchOf, createTopic, produceTo } from '../records.ts';
import type { Scenario, Session } from '../session.ts';

async function listed(session: Session): Promise<void> {
  const topic = session.name('listed');
  await createTopic(session, topic, { partitions: 2 });
  await produceTo(session, 'written', topic, batchOf({ count: 5, timestamp: session.base }));
  await produceTo(session, 'written earlier', topic, batchOf({ count: 3, timestamp: session.base - 1000 }));
  const ask = (
    what: string,
    timestamp: number,
    { version = 7, partition = 0, name = topic, epoch = -1, replicaId = -1, isolationLevel = 0 } = {},
  ): Promise<unknown> =>
    session.ask(what, apis.listOffsets, version, {
      replicaId,
      ...(version >= 2 ? { isolationLevel } : {}),
      topics: [{ name, partitions: [{ partitionIndex: partition, currentLeaderEpoch: epoch, timestamp }] }],
    });
  for (let version = 1; version <= apis.listOffsets.maxVersion; version++) {
    for (const timestamp of [-1, -2, session.base]) {
      await ask(`version ${version}: ${timestamp < 0 ? timestamp : 'a time'}`, timestamp, { version });
    }
  }
  await ask('the greatest time', -3);
  await ask('the greatest time, in a version before it', -3, { version: 6 });
  await ask('the earliest local offset', -4);
  await ask('the latest tiered offset', -5);
  for (const [timestamp, from] of [
    [-4, 8],
    [-5, 9],
    [-6, 11],
  ] as const) {
    for (const version of [from - 1, from])
      await ask(`${timestamp} in version ${version}`, timestamp, { version });
  }
  await ask('what was never named', -9);
  await ask('the first time', session.base - 1000);
  await ask('in between', session.base - 500);
  await ask('the last time', session.base + 4);
  await ask('after the last time', session.base + 5);
  await ask('zero', 0);
  await ask('an empty partition: a time', session.base, { partition: 1 });
  await ask('an empty partition: the greatest time', -3, { partition: 1 });
  await ask('an empty partition: the end', -1, { partition: 1 });
  await ask('an unknown topic', -1, { name: session.name('unknown') });
  await ask('an impossible topic', -1, { name: 'a/b' });
  await ask('an unknown partition', -1, { partition: 4 });
  await ask('the leader epoch', -1, { epoch: 0 });
  await ask('a later leader epoch', -1, { epoch: 3 });
  await ask('for debugging', -1, { replicaId: -2 });
  await ask('as a follower', -1, { replicaId: 9 });
  await ask('committed', -1, { isolationLevel: 1 });
  await session.ask('one partition twice', apis.listOffsets, 7, {
    replicaId: -1,
    isolationLevel: 0,
    topics: [
      {
        name: topic,
        partitions: [
          { partitionIndex: 0, timestamp: -1 },
          { partitionIndex: 0, timestamp: -2 },
        ],
      },
    ],
  });
}

async function epochs(session: Session): Promise<void> {
  const topic = session.name('epochs');
  await createTopic(session, topic, { partitions: 2 });
  await produceTo(session, 'written', topic, batchOf({ count: 5, timestamp: session.base }));
  const ask = (
    what: string,
    leaderEpoch: number,
    { version = 4, partition = 0, name = topic, epoch = -1, replicaId = -1 } = {},
  ): Promise<unknown> =>
    session.ask(what, apis.offsetForLeaderEpoch, version, {
      replicaId,
      topics: [{ topic: name, partitions: [{ partition, currentLeaderEpoch: epoch, leaderEpoch }] }],
    });
  for (let version = 2; version <= 4; version++) await ask(`version ${version}`, 0, { version });
  await ask('a later epoch', 3);
  await ask('an epoch below zero', -1);
  await ask('the current epoch', 0, { epoch: 0 });
  await ask('a later current epoch', 0, { epoch: 3 });
  await ask('an empty partition', 0, { partition: 1 });
  await ask('an unknown partition', 0, { partition: 5 });
  await ask('an unknown topic', 0, { name: session.name('unknown') });
  await ask('for debugging', 0, { replicaId: -2 });
}

async function cut(session: Session): Promise<void> {
  const topic = session.name('cut');
  const topicId = await createTopic(session, topic);
  await produceTo(session, 'written', topic, batchOf({ count: 10, timestamp: session.base }));
  const ask = (
    what: string,
    offset: number,
    { version = 2, partition = 0, name = topic } = {},
  ): Promise<unknown> =>
    session.ask(what, apis.deleteRecords, version, {
      topics: [{ name, partitions: [{ partitionIndex: partition, offset }] }],
      timeoutMs: 10_000,
    });
  await ask('beyond the end', 11);
  await ask('below minus one', -2);
  await ask('an unknown partition', 1, { partition: 3 });
  await ask('an unknown topic', 1, { name: session.name('unknown') });
  for (let version = 0; version <= 2; version++) await ask(`version ${version}`, 2 + version, { version });
  await ask('before the start', 1);
  const at = (what: string, fetchOffset: number): Promise<unknown> =>
    session.ask(what, apis.fetch, 17, {
      maxWaitMs: 0,
      minBytes: 0,
      topics: [{ topicId, partitions: [{ partition: 0, fetchOffset, partitionMaxBytes: 1_000_000 }] }],
    });
  await at('fetch before the start', 0);
  await at('fetch at the start', 4);
  await session.ask('the earliest offset', apis.listOffsets, 7, {
    replicaId: -1,
    isolationLevel: 0,
    topics: [{ name: topic, partitions: [{ partitionIndex: 0, timestamp: -2 }] }],
  });
  await session.ask('a time that is cut off', apis.listOffsets, 7, {
    replicaId: -1,
    isolationLevel: 0,
    topics: [{ name: topic, partitions: [{ partitionIndex: 0, timestamp: session.base }] }],
  });
  await session.ask('where an epoch ends', apis.offsetForLeaderEpoch, 4, {
    replicaId: -1,
    topics: [{ topic, partitions: [{ partition: 0, leaderEpoch: 0 }] }],
  });
  await produceTo(session, 'written behind', topic, batchOf({ count: 1, timestamp: session.base }));
  await ask('to the high watermark', -1);
  await at('fetch from an emptied log', 11);
  await produceTo(
    session,
    'written into an emptied log',
    topic,
    batchOf({ count: 1, timestamp: session.base }),
  );
  const compacted = session.name('compacted');
  await createTopic(session, compacted, { configs: { 'cleanup.policy': 'compact' } });
  await produceTo(
    session,
    'written where compacted',
    compacted,
    batchOf({ count: 3, timestamp: session.base }),
  );
  await ask('a compacted topic', 1, { name: compacted });
  await ask('an internal topic', 0, { name: '__consumer_offsets' });
}

export const listingOffsets: Scenario = { name: 'listing-offsets', tell: listed };
export const epochEnds: Scenario = { name: 'epoch-ends', tell: epochs };
export const deletingRecords: Scenario = { name: 'deleting-records', tell: cut };
