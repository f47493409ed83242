import { apis, computeBatchCrc } from '@seatlog/kafka-protocol';
import { batchOf, createTopic, produceTo } from '../records.ts';
import type { Scenario, Session } from '../session.ts';

async function plain(session: Session): Promise<void> {
  const topic = session.name('seats');
  await createTopic(session, topic, { partitions: 2 });
  const timestamp = session.base;
  const good = (): Uint8Array => batchOf({ count: 2, timestamp });
  for (let version = 3; version <= 11; version++) {
    await produceTo(session, `version ${version}`, topic, good(), { version });
  }
  await produceTo(session, 'acks of one', topic, good(), { acks: 1 });
  await produceTo(session, 'acks of two', topic, good(), { acks: 2 });
  await produceTo(session, 'acks of minus two', topic, good(), { acks: -2 });
  await produceTo(session, 'an unknown topic', session.name('unknown'), good());
  await produceTo(session, 'an impossible topic', 'a/b', good());
  await produceTo(session, 'a topic without a name', '', good());
  await produceTo(session, 'a partition that is not there', topic, good(), { index: 2 });
  await produceTo(session, 'a partition below zero', topic, good(), { index: -1 });
  await session.ask('a good and a bad partition', apis.produce, 11, {
    acks: -1,
    timeoutMs: 10_000,
    topicData: [
      {
        name: topic,
        partitionData: [
          { index: 0, records: good() },
          { index: 9, records: good() },
        ],
      },
      { name: session.name('unknown'), partitionData: [{ index: 0, records: good() }] },
    ],
  });
  await session.ask('no topics', apis.produce, 11, { acks: -1, timeoutMs: 10_000, topicData: [] });
  await produceTo(session, 'to an internal topic', '__consumer_offsets', good());
  await session.tell(apis.produce, 11, {
    acks: 0,
    timeoutMs: 10_000,
    topicData: [{ name: topic, partitionData: [{ index: 0, records: good() }] }],
  });
  await produceTo(session, 'behind one without acks', topic, good());
  await session.tell(apis.produce, 11, {
    acks: 0,
    timeoutMs: 10_000,
    topicData: [{ name: topic, partitionData: [{ index: 9, records: good() }] }],
  });
  await produceTo(session, 'behind a refused one without acks', topic, good());
}

/** Writes into a copy of the batch, and leaves its checksum as it is unless that is what is written. */
function damaged(batch: Uint8Array, damage: (copy: Buffer) => void): Uint8Array {
  const copy = Buffer.from(batch);
  damage(copy);
  return copy;
}

/** A batch that names a codec which does not exist, under a checksum that fits. */
function sealedWithCodec(codec: number, timestamp: number): Uint8Array {
  const batch = Buffer.from(batchOf({ timestamp }));
  batch.writeInt16BE(codec, 21);
  batch.writeUInt32BE(computeBatchCrc(batch, 0), 17);
  return batch;
}

async function broken(session: Session): Promise<void> {
  const topic = session.name('broken');
  await createTopic(session, topic);
  const timestamp = session.base;
  const good = batchOf({ count: 3, timestamp });
  const cases: readonly [string, Uint8Array][] = [
    ['empty records', new Uint8Array(0)],
    ['a wrong checksum', damaged(good, (copy) => copy.writeUInt8((copy[70] ?? 0) ^ 1, 70))],
    ['a batch that is cut', good.subarray(0, good.length - 3)],
    ['only half a header', good.subarray(0, 30)],
    ['a length below a header', damaged(good, (copy) => copy.writeInt32BE(10, 8))],
    ['an old format', damaged(good, (copy) => copy.writeInt8(1, 16))],
    ['an unknown format', damaged(good, (copy) => copy.writeInt8(3, 16))],
    ['two batches', Buffer.concat([good, good])],
    ['an unknown codec', sealedWithCodec(7, timestamp)],
    ['a control batch', batchOf({ count: 1, timestamp, isControl: true })],
    ['a count that does not fit the deltas', batchOf({ count: 3, timestamp, lastOffsetDelta: 7 })],
    ['a producer id without a sequence', batchOf({ timestamp, producerId: 77, producerEpoch: 0 })],
    ['a producer id without an epoch', batchOf({ timestamp, producerId: 77, baseSequence: 0 })],
    ['an unknown producer id', batchOf({ timestamp, producerId: 77_777, producerEpoch: 0, baseSequence: 0 })],
    [
      'an unknown producer id in the middle',
      batchOf({ timestamp, producerId: 88_888, producerEpoch: 0, baseSequence: 5 }),
    ],
    ['an offset of its own', batchOf({ count: 2, timestamp, baseOffset: 100 })],
    ['a leader epoch of its own', batchOf({ count: 2, timestamp, partitionLeaderEpoch: 9 })],
    ['without key and value', batchOf({ timestamp, key: null, value: null })],
    ['bytes behind the batch', Buffer.concat([good, Buffer.alloc(5)])],
  ];
  for (const [what, records] of cases) await produceTo(session, what, topic, records);
  const small = session.name('small');
  await createTopic(session, small, { configs: { 'max.message.bytes': '200' } });
  await produceTo(session, 'a batch over the limit', small, batchOf({ timestamp, value: 'x'.repeat(300) }));
  await produceTo(session, 'a batch under the limit', small, batchOf({ timestamp }));
  const compacted = session.name('compacted');
  await createTopic(session, compacted, { configs: { 'cleanup.policy': 'compact' } });
  await produceTo(session, 'no key where compacted', compacted, batchOf({ timestamp, key: null }));
  await produceTo(session, 'a key where compacted', compacted, batchOf({ timestamp }));
}

async function codecs(session: Session): Promise<void> {
  const topic = session.name('codecs');
  await createTopic(session, topic);
  for (const compression of [0, 1, 2, 3, 4]) {
    await produceTo(
      session,
      `codec ${compression}`,
      topic,
      batchOf({ count: 5, timestamp: session.base, compression }),
    );
  }
  await produceTo(session, 'zstd in version 3', topic, batchOf({ timestamp: session.base, compression: 4 }), {
    version: 3,
  });
  await produceTo(session, 'zstd in version 6', topic, batchOf({ timestamp: session.base, compression: 4 }), {
    version: 6,
  });
  await session.ask('read back', apis.fetch, 12, {
    maxWaitMs: 0,
    minBytes: 0,
    topics: [{ topic, partitions: [{ partition: 0, fetchOffset: 0, partitionMaxBytes: 1_000_000 }] }],
  });
  const stamped = session.name('stamped');
  await createTopic(session, stamped, { configs: { 'message.timestamp.type': 'LogAppendTime' } });
  await produceTo(session, 'append time', stamped, batchOf({ count: 2, timestamp: session.base }));
  await session.ask('read append time', apis.fetch, 12, {
    maxWaitMs: 0,
    minBytes: 0,
    topics: [
      { topic: stamped, partitions: [{ partition: 0, fetchOffset: 0, partitionMaxBytes: 1_000_000 }] },
    ],
  });
  const strict = session.name('strict');
  await createTopic(session, strict, {
    configs: { 'message.timestamp.before.max.ms': '60000', 'message.timestamp.after.max.ms': '60000' },
  });
  await produceTo(session, 'too old', strict, batchOf({ count: 2, timestamp: session.base - 3_600_000 }));
  await produceTo(
    session,
    'too far ahead',
    strict,
    batchOf({ count: 2, timestamp: session.base + 3_600_000 }),
  );
  await produceTo(session, 'without a time', strict, batchOf({ timestamp: -1 }));
}

export const producing: Scenario = { name: 'producing', tell: plain };
export const brokenBatches: Scenario = { name: 'broken-batches', tell: broken };
export const codecsAndTimes: Scenario = { name: 'codecs-and-times', tell: codecs };
