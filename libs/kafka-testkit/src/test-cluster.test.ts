import { createClient, type KafkaClient } from '@seatlog/kafka-client';
import { describe, expect, it } from 'vitest';
import { createTestCluster } from './test-cluster.ts';
import type { TestCluster } from './types.ts';

const SESSION_MS = 10_000;

function clientOf(cluster: TestCluster): KafkaClient {
  return createClient({ ...cluster.clientOptions, clientId: 'under-test' });
}

const valuesOf = (cluster: TestCluster, topic: string) => cluster.records(topic).map(({ value }) => value);

describe('a cluster in memory', () => {
  it('serves producers, consumers and administration', async () => {
    await using cluster = await createTestCluster({ topics: [{ name: 'orders', partitions: 3 }] });
    await using client = clientOf(cluster);
    await cluster.createTopic({ name: 'short', configs: { 'retention.ms': '1000' } });
    const [description] = await client
      .admin()
      .describeConfigs([{ type: 'topic', name: 'short', names: ['retention.ms'] }]);
    expect(description?.entries[0]?.value).toBe('1000');
    await client.producer().sendBatch(
      'orders',
      [0, 1, 2, 0].map((partition, index) => ({ partition, value: `o-${index}`, headers: { from: 'test' } })),
    );
    const seen: string[] = [];
    const consumer = client.consumer({ groupId: 'g', topics: ['orders'], autoOffsetReset: 'earliest' });
    for await (const batch of consumer.batches()) {
      for (const { value } of batch.records) seen.push(new TextDecoder().decode(value ?? undefined));
      await batch.commit();
      if (seen.length === 4) break;
    }
    expect(seen.toSorted()).toEqual(['o-0', 'o-1', 'o-2', 'o-3']);
    expect(cluster.records('orders')).toMatchObject([
      { partition: 0, offset: 0, key: null, value: 'o-0', headers: [{ key: 'from', value: 'test' }] },
      { partition: 0, offset: 1, value: 'o-3' },
      { partition: 1, offset: 0, value: 'o-1' },
      { partition: 2, offset: 0, value: 'o-2' },
    ]);
  });

  it('commits a round of batches in one request', async () => {
    await using cluster = await createTestCluster({ topics: [{ name: 'orders', partitions: 3 }] });
    await using client = clientOf(cluster);
    await client.producer().sendBatch(
      'orders',
      [0, 1, 2].map((partition) => ({ partition, value: `o-${partition}` })),
    );
    const commits: number[] = [];
    cluster.onRequest('offsetCommit', ({ topics }) => {
      commits.push(topics[0]?.partitions.length ?? 0);
      return 'pass';
    });
    const consumer = client.consumer({ groupId: 'g', topics: ['orders'], autoOffsetReset: 'earliest' });
    let seen = 0;
    let rounds = 0;
    for await (const round of consumer.rounds()) {
      seen += round.batches.length;
      rounds += 1;
      await round.commit();
      if (seen === 3) break;
    }
    expect(commits).toHaveLength(rounds);
    expect(commits.reduce((sum, count) => sum + count, 0)).toBe(3);
    const committed = await client.admin().fetchOffsets('g');
    expect(committed.map(({ offset }) => offset)).toEqual([1, 1, 1]);
  });

  it('keeps two clusters apart', async () => {
    await using one = await createTestCluster({ topics: [{ name: 't' }] });
    await using other = await createTestCluster({ topics: [{ name: 't' }] });
    await using client = clientOf(one);
    await client.producer().send({ topic: 't', value: 'here' });
    expect([valuesOf(one, 't'), valuesOf(other, 't')]).toEqual([['here'], []]);
  });

  it.each([
    [{ 'retention.hours': '1' }, 'Unknown config retention.hours'],
    [{ 'num.partitions': 'many' }, 'num.partitions'],
    [{ listeners: 'PLAINTEXT://:1' }, 'brokerConfig cannot set listeners'],
  ] as [Record<string, string>, string][])('refuses the configuration %j', async (brokerConfig, reason) => {
    await expect(createTestCluster({ brokerConfig })).rejects.toThrow(reason);
  });

  it('has nothing to show of a topic that is not there, nor after it was closed', async () => {
    const cluster = await createTestCluster();
    expect(() => cluster.records('none')).toThrow('there is no topic none');
    await cluster.close();
    await cluster.close();
    expect(() => cluster.records('none')).toThrow('the cluster is closed');
    await using client = createClient({ ...cluster.clientOptions, requestTimeoutMs: 100 });
    await expect(client.producer({ maxBlockMs: 200 }).send({ topic: 't', value: '' })).rejects.toMatchObject({
      code: 'METADATA_TIMEOUT',
    });
  });
});

describe('a virtual clock', () => {
  it('K13: takes the partitions of a member that falls silent when its session has passed, and not before', async () => {
    await using cluster = await createTestCluster({
      clock: 'virtual',
      topics: [{ name: 'jobs', partitions: 2 }],
    });
    await using client = clientOf(cluster);
    const join = () => {
      const consumer = client.consumer({
        groupId: 'workers',
        topics: ['jobs'],
        sessionTimeoutMs: SESSION_MS,
        heartbeatIntervalMs: 1000,
      });
      const stop = new AbortController();
      const ended = (async () => {
        for await (const batch of consumer.batches({ signal: stop.signal })) await batch.commit();
      })();
      return { consumer, partitions: () => consumer.assignment.length, stop: () => (stop.abort(), ended) };
    };
    const staying = join();
    await cluster.advance(5000);
    const silent = join();
    await cluster.advance(5000);
    expect([staying.partitions(), silent.partitions()]).toEqual([1, 1]);

    const silentId = silent.consumer.health().memberId;
    const passed = cluster.onRequest('heartbeat', ({ memberId }) =>
      memberId === silentId ? { dropConnection: 'before' } : 'pass',
    );
    const noReturn = cluster.onRequest('joinGroup', ({ memberId }) =>
      memberId === silentId ? { dropConnection: 'before' } : 'pass',
    );
    await cluster.advance(SESSION_MS - 3000);
    expect(staying.partitions()).toBe(1);
    await cluster.advance(6000);
    expect(staying.partitions()).toBe(2);

    passed();
    noReturn();
    await cluster.advance(20_000);
    expect([staying.partitions(), silent.partitions()]).toEqual([1, 1]);
    await cluster.until(Promise.all([staying.stop(), silent.stop()]));
  });

  it('gives the same run for the same seed, and another for another', async () => {
    const run = async (seed: number): Promise<unknown> => {
      await using cluster = await createTestCluster({
        clock: 'virtual',
        seed,
        topics: [{ name: 't', partitions: 4 }],
      });
      const seen: string[] = [];
      cluster.onRequest('produce', { fail: 'NOT_LEADER_OR_FOLLOWER', times: 3 });
      for (const api of ['produce', 'metadata', 'fetch', 'joinGroup', 'heartbeat', 'offsetCommit'] as const) {
        cluster.onRequest(api, (request) => {
          seen.push(`${cluster.now()} ${api} ${'memberId' in request ? request.memberId : ''}`);
          return 'pass';
        });
      }
      await using client = clientOf(cluster);
      const producer = client.producer();
      const sends = Array.from({ length: 40 }, (_, index) =>
        producer.send({ topic: 't', key: `k${index % 7}`, value: String(index) }),
      );
      await cluster.until(Promise.all(sends));
      const consumer = client.consumer({ groupId: 'g', topics: ['t'], autoOffsetReset: 'earliest' });
      const consuming = (async () => {
        let count = 0;
        for await (const batch of consumer.batches()) {
          count += batch.records.length;
          await batch.commit();
          if (count === 40) break;
        }
      })();
      await cluster.until(consuming);
      return { seen, records: cluster.records('t') };
    };
    const first = await run(1);
    expect(await run(1)).toEqual(first);
    expect(await run(2)).not.toEqual(first);
  });

  it('fails a wait for what never happens by virtual time, at once in real time', async () => {
    await using cluster = await createTestCluster({ clock: 'virtual' });
    await expect(cluster.until(new Promise(() => {}), { withinMs: 3_600_000 })).rejects.toThrow(
      'did not happen within 3600000 virtual ms',
    );
  });

  it('passes on what the promise was rejected with', async () => {
    await using cluster = await createTestCluster({ clock: 'virtual' });
    await expect(cluster.until(Promise.reject(new Error('mine')))).rejects.toThrow('mine');
  });

  it('cannot be advanced when it is the real one', async () => {
    await using cluster = await createTestCluster();
    await expect(cluster.advance(1)).rejects.toThrow("clock: 'virtual'");
    expect(await cluster.until(Promise.resolve(7))).toBe(7);
  });
});

describe.each(['real', 'virtual'] as const)('a restart on the %s clock', (clock) => {
  const durable = { configs: { 'flush.messages': '1' } };

  async function written(): Promise<{ cluster: TestCluster; client: KafkaClient }> {
    const topics = [{ name: 'cached' }, { name: 'synced', ...durable }];
    const cluster = await createTestCluster({ clock, topics });
    const client = clientOf(cluster);
    const producer = client.producer();
    for (const topic of ['cached', 'synced']) {
      await cluster.until(producer.send({ topic, value: 'before' }));
    }
    return { cluster, client };
  }

  async function after(cluster: TestCluster, client: KafkaClient): Promise<unknown> {
    const producer = client.producer();
    for (const topic of ['cached', 'synced']) {
      await cluster.until(producer.send({ topic, value: 'after' }));
    }
    return [valuesOf(cluster, 'cached'), valuesOf(cluster, 'synced')];
  }

  const all = ['before', 'after'];
  const endings = [
    ['an ordered stop loses nothing', false, all],
    ['F1: a killed process loses nothing', 'process', all],
    ['F2: a loss of power loses what was not synced, and nothing else', true, ['after']],
  ] as const;

  it.each(endings)('%s; clients find the broker again', async (_name, crash, cached) => {
    const { cluster, client } = await written();
    const [before] = cluster.brokers;
    await cluster.restart({ crash });
    expect(cluster.brokers).toEqual([before]);
    expect(await after(cluster, client)).toEqual([cached, all]);
    await cluster.until(client.close());
    await cluster.close();
  });
});
