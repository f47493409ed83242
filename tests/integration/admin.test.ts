import { AdminError, createClient, type Admin, type KafkaClient } from '@seatlog/kafka-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestCluster } from './test-cluster.ts';

let cluster: TestCluster;
let client: KafkaClient;
let admin: Admin;

beforeAll(async () => {
  cluster = await TestCluster.start({ 'auto.create.topics.enable': 'false' });
  client = createClient({ brokers: cluster.address, clientId: 'admin' });
  admin = client.admin();
});

afterAll(async () => {
  await client?.close();
  await cluster?.[Symbol.asyncDispose]();
});

describe('admin', () => {
  it('describes the cluster', async () => {
    const { clusterId, controller, brokers } = await admin.describeCluster();
    expect(clusterId).toMatch(/^[\w-]{22}$/);
    expect(brokers).toEqual([{ id: 1, host: '127.0.0.1', port: cluster.port, rack: null }]);
    expect(controller).toEqual(brokers[0]);
  });

  it('creates, lists, describes, grows and deletes topics', async () => {
    const created = await admin.createTopics([
      { name: 'seats', partitions: 3, replicationFactor: 1, configs: { 'retention.ms': '60000' } },
      { name: 'plain' },
    ]);
    expect(created).toMatchObject([
      { name: 'seats', partitions: 3, replicationFactor: 1, created: true },
      { name: 'plain', created: true },
    ]);
    expect((await admin.listTopics()).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['plain', 'seats']),
    );
    await admin.createPartitions({ seats: 5 });
    const [description] = await admin.describeTopics(['seats']);
    expect(description).toMatchObject({ name: 'seats', topicId: created[0]?.topicId, internal: false });
    expect(description?.partitions.map(({ partition, leader, isr }) => [partition, leader, isr])).toEqual(
      [0, 1, 2, 3, 4].map((partition) => [partition, 1, [1]]),
    );
    await admin.deleteTopics(['plain']);
    await expect(admin.describeTopics(['plain'])).rejects.toMatchObject({
      code: 'UNKNOWN_TOPIC_OR_PARTITION',
    });
  });

  it('tells of several topics which failed, and does the others', async () => {
    await admin.createTopics([{ name: 'there' }]);
    const error: unknown = await admin
      .createTopics([{ name: 'there' }, { name: 'fresh' }])
      .catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(AdminError);
    expect(error).toMatchObject({
      code: 'TOPIC_ALREADY_EXISTS',
      retriable: false,
      failures: [{ item: 'there', error: { code: 'TOPIC_ALREADY_EXISTS' } }],
    });
    expect(
      await admin.createTopics([{ name: 'there' }, { name: 'fresh' }], { ifNotExists: true }),
    ).toMatchObject([{ created: false }, { created: false }]);
    const checked = await admin.createTopics([{ name: 'only-checked' }], { validateOnly: true });
    expect(checked).toMatchObject([{ name: 'only-checked' }]);
    await expect(admin.describeTopics(['only-checked'])).rejects.toMatchObject({
      code: 'UNKNOWN_TOPIC_OR_PARTITION',
    });
  });

  it('reads and alters configuration, with its sources', async () => {
    await admin.createTopics([{ name: 'configured' }]);
    const resource = { type: 'topic', name: 'configured' } as const;
    const valueOf = async (name: string): Promise<string> => {
      const [description] = await admin.describeConfigs([{ ...resource, names: [name] }]);
      const entry = description?.entries[0];
      return `${entry?.value} ${entry?.source}`;
    };
    await admin.alterConfigs([{ resource, set: { 'segment.bytes': '14' } }]);
    expect(await valueOf('segment.bytes')).toBe('14 DYNAMIC_TOPIC_CONFIG');
    await admin.alterConfigs([{ resource, set: { 'segment.bytes': null } }]);
    expect(await valueOf('segment.bytes')).toBe('1073741824 DEFAULT_CONFIG');
    await expect(admin.alterConfigs([{ resource, set: { 'segment.bytes': 'many' } }])).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
    });
  });

  it('finds offsets by their ends and by time, and cuts the log', async () => {
    await admin.createTopics([{ name: 'timed', partitions: 1 }]);
    const records = Array.from({ length: 20 }, (_, index) => ({
      value: String(index),
      timestamp: 1000 + index,
    }));
    await client.producer().sendBatch('timed', records);
    const offsetAt = async (spec: 'earliest' | 'latest' | number): Promise<number | null | undefined> =>
      (await admin.listOffsets([{ topic: 'timed', partition: 0 }], spec))[0]?.offset;
    expect(
      await Promise.all([offsetAt('earliest'), offsetAt('latest'), offsetAt(1005), offsetAt(9999)]),
    ).toEqual([0, 20, 5, null]);
    expect(await admin.deleteRecords([{ topic: 'timed', partition: 0, offset: 7 }])).toEqual([
      { topic: 'timed', partition: 0, lowWatermark: 7 },
    ]);
    expect(await offsetAt('earliest')).toBe(7);
  });

  it('K11: commits and reads offsets of groups, lists, describes and deletes them', async () => {
    await admin.createTopics([{ name: 'grouped', partitions: 2 }]);
    await admin.commitOffsets('stored', [{ topic: 'grouped', partition: 1, offset: 9 }]);
    expect(await admin.fetchOffsets('stored')).toEqual([
      { topic: 'grouped', partition: 1, offset: 9, leaderEpoch: null, metadata: '' },
    ]);
    expect(
      await admin.fetchOffsets('stored', { partitions: [{ topic: 'grouped', partition: 0 }] }),
    ).toMatchObject([{ partition: 0, offset: null }]);
    const abort = new AbortController();
    const assigned = Promise.withResolvers<void>();
    const consumer = client.consumer({
      groupId: 'living',
      topics: ['grouped'],
      onAssigned: () => assigned.resolve(),
    });
    const loop = (async () => {
      for await (const batch of consumer.batches({ signal: abort.signal })) await batch.commit();
    })();
    await assigned.promise;
    const [living] = await admin.describeGroups(['living']);
    expect(living?.members.map(({ clientId }) => clientId)).toEqual(['admin']);
    expect((await admin.listGroups()).map(({ groupId }) => groupId)).toEqual(
      expect.arrayContaining(['living', 'stored']),
    );
    await expect(admin.deleteGroups(['living'])).rejects.toMatchObject({ code: 'NON_EMPTY_GROUP' });
    abort.abort();
    await loop;
    await admin.deleteGroups(['living', 'stored']);
    expect((await admin.listGroups()).map(({ groupId }) => groupId)).not.toContain('stored');
  });

  it('an aborted call is given up', async () => {
    await expect(admin.listTopics({ signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'ABORTED',
    });
  });
});
