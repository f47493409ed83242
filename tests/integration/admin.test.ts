import {
  AdminError,
  createClient,
  type Admin,
  type KafkaClient,
  type TopicDescription,
} from '@seatlog/kafka-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freshName, freshTopic, isGiven, TestCluster } from './test-cluster.ts';

/** Apache Kafka answers what changes its metadata before the broker that is asked next knows of the change. */
const SOON = { timeout: 60_000, interval: 20 };

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

beforeEach(() => cluster.tellLastWords());

describe('admin', () => {
  it('describes the cluster', async () => {
    const { clusterId, controller, brokers } = await admin.describeCluster();
    expect(clusterId).toMatch(/^[\w-]{22}$/);
    if (!isGiven) expect(brokers).toEqual([{ id: 1, host: '127.0.0.1', port: cluster.port, rack: null }]);
    expect(brokers).toContainEqual(controller);
  });

  it('creates, lists, describes, grows and deletes topics', async () => {
    const seats = freshName('seats');
    const plain = freshName('plain');
    const created = await admin.createTopics([
      { name: seats, partitions: 3, replicationFactor: 1, configs: { 'retention.ms': '60000' } },
      { name: plain },
    ]);
    expect(created).toMatchObject([
      { name: seats, partitions: 3, replicationFactor: 1, created: true },
      { name: plain, created: true },
    ]);
    const names = async (): Promise<string[]> => (await admin.listTopics()).map(({ name }) => name);
    await expect.poll(names, SOON).toEqual(expect.arrayContaining([plain, seats]));
    await admin.createPartitions({ [seats]: 5 });
    const described = async (): Promise<TopicDescription | undefined> =>
      (await admin.describeTopics([seats]))[0];
    await expect
      .poll(async () => (await described())?.partitions.map(({ partition }) => partition), SOON)
      .toEqual([0, 1, 2, 3, 4]);
    const description = await described();
    expect(description).toMatchObject({ name: seats, topicId: created[0]?.topicId, internal: false });
    for (const { leader, isr } of description?.partitions ?? []) {
      expect(isr).toEqual([leader]);
      if (!isGiven) expect(leader).toBe(1);
    }
    await admin.deleteTopics([plain]);
    const failure = (): Promise<unknown> => admin.describeTopics([plain]).catch((error: unknown) => error);
    await expect.poll(failure, SOON).toMatchObject({ code: 'UNKNOWN_TOPIC_OR_PARTITION' });
  });

  it('tells of several topics which failed, and does the others', async () => {
    const [there, fresh, onlyChecked] = ['there', 'fresh', 'only-checked'].map(freshName) as [
      string,
      string,
      string,
    ];
    await admin.createTopics([{ name: there }]);
    const error: unknown = await admin
      .createTopics([{ name: there }, { name: fresh }])
      .catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(AdminError);
    expect(error).toMatchObject({
      code: 'TOPIC_ALREADY_EXISTS',
      retriable: false,
      failures: [{ item: there, error: { code: 'TOPIC_ALREADY_EXISTS' } }],
    });
    expect(await admin.createTopics([{ name: there }, { name: fresh }], { ifNotExists: true })).toMatchObject(
      [{ created: false }, { created: false }],
    );
    const checked = await admin.createTopics([{ name: onlyChecked }], { validateOnly: true });
    expect(checked).toMatchObject([{ name: onlyChecked }]);
    await expect(admin.describeTopics([onlyChecked])).rejects.toMatchObject({
      code: 'UNKNOWN_TOPIC_OR_PARTITION',
    });
  });

  it('reads and alters configuration, with its sources', async () => {
    const resource = { type: 'topic', name: await freshTopic(client, 'configured') } as const;
    const valueOf = async (name: string): Promise<string> => {
      const [description] = await admin.describeConfigs([{ ...resource, names: [name] }]);
      const entry = description?.entries[0];
      return `${entry?.value} ${entry?.source}`;
    };
    const before = await valueOf('segment.bytes');
    if (!isGiven) expect(before).toBe('1073741824 DEFAULT_CONFIG');
    await admin.alterConfigs([{ resource, set: { 'segment.bytes': '2097152' } }]);
    await expect.poll(() => valueOf('segment.bytes'), SOON).toBe('2097152 DYNAMIC_TOPIC_CONFIG');
    await admin.alterConfigs([{ resource, set: { 'segment.bytes': null } }]);
    await expect.poll(() => valueOf('segment.bytes'), SOON).toBe(before);
    await expect(admin.alterConfigs([{ resource, set: { 'segment.bytes': 'many' } }])).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
    });
  });

  it('finds offsets by their ends and by time, and cuts the log', async () => {
    const topic = await freshTopic(client, 'timed');
    const records = Array.from({ length: 20 }, (_, index) => ({
      value: String(index),
      timestamp: 1000 + index,
    }));
    await client.producer().sendBatch(topic, records);
    const offsetAt = async (spec: 'earliest' | 'latest' | number): Promise<number | null | undefined> =>
      (await admin.listOffsets([{ topic, partition: 0 }], spec))[0]?.offset;
    expect(
      await Promise.all([offsetAt('earliest'), offsetAt('latest'), offsetAt(1005), offsetAt(9999)]),
    ).toEqual([0, 20, 5, null]);
    expect(await admin.deleteRecords([{ topic, partition: 0, offset: 7 }])).toEqual([
      { topic, partition: 0, lowWatermark: 7 },
    ]);
    expect(await offsetAt('earliest')).toBe(7);
  });

  it('K11: commits and reads offsets of groups, lists, describes and deletes them', async () => {
    const topic = await freshTopic(client, 'grouped', { partitions: 2 });
    const [stored, living] = [freshName('stored'), freshName('living')];
    await admin.commitOffsets(stored, [{ topic, partition: 1, offset: 9 }]);
    expect(await admin.fetchOffsets(stored)).toEqual([
      { topic, partition: 1, offset: 9, leaderEpoch: null, metadata: '' },
    ]);
    expect(await admin.fetchOffsets(stored, { partitions: [{ topic, partition: 0 }] })).toMatchObject([
      { partition: 0, offset: null },
    ]);
    const abort = new AbortController();
    const assigned = Promise.withResolvers<void>();
    const consumer = client.consumer({
      groupId: living,
      topics: [topic],
      onAssigned: () => assigned.resolve(),
    });
    const loop = (async () => {
      for await (const batch of consumer.batches({ signal: abort.signal })) await batch.commit();
    })();
    await assigned.promise;
    const [description] = await admin.describeGroups([living]);
    expect(description?.members.map(({ clientId }) => clientId)).toEqual(['admin']);
    expect((await admin.listGroups()).map(({ groupId }) => groupId)).toEqual(
      expect.arrayContaining([living, stored]),
    );
    await expect(admin.deleteGroups([living])).rejects.toMatchObject({ code: 'NON_EMPTY_GROUP' });
    abort.abort();
    await loop;
    await admin.deleteGroups([living, stored]);
    expect((await admin.listGroups()).map(({ groupId }) => groupId)).not.toContain(stored);
  });

  it('an aborted call is given up', async () => {
    await expect(admin.listTopics({ signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'ABORTED',
    });
  });
});
