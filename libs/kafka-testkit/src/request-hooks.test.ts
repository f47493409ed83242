import { createClient, type KafkaClient } from '@seatlog/kafka-client';
import { describe, expect, it } from 'vitest';
import { createTestCluster } from './test-cluster.ts';
import type { TestCluster } from './types.ts';

interface Story extends AsyncDisposable {
  readonly cluster: TestCluster;
  readonly client: KafkaClient;
}

async function story(): Promise<Story> {
  const cluster = await createTestCluster({ clock: 'virtual', topics: [{ name: 't' }] });
  const client = createClient({ ...cluster.clientOptions, requestTimeoutMs: 5000 });
  return {
    cluster,
    client,
    [Symbol.asyncDispose]: async () => {
      await cluster.until(client.close());
      await cluster.close();
    },
  };
}

const valuesOf = (cluster: TestCluster) => cluster.records('t').map(({ value }) => value);

describe('hooks on requests', () => {
  it('F29: an answer that is lost is asked for again, and an idempotent producer writes once', async () => {
    await using told = await story();
    const { cluster, client } = told;
    let asked = 0;
    cluster.onRequest('produce', () => void (asked += 1));
    cluster.onRequest('produce', { dropConnection: 'after', times: 1 });
    const sent = await cluster.until(client.producer().send({ topic: 't', value: 'once' }));
    expect([asked, sent.offset, valuesOf(cluster)]).toEqual([2, 0, ['once']]);
  });

  it('F29, negative control: a producer that is not idempotent writes twice', async () => {
    await using told = await story();
    const { cluster, client } = told;
    cluster.onRequest('produce', { dropConnection: 'after', times: 1 });
    const producer = client.producer({ enableIdempotence: false });
    await cluster.until(producer.send({ topic: 't', value: 'twice' }));
    expect(valuesOf(cluster)).toEqual(['twice', 'twice']);
  });

  it('a connection dropped before the request was handled leaves nothing behind', async () => {
    await using told = await story();
    const { cluster, client } = told;
    let logged: unknown;
    cluster.onRequest('produce', (_request, { count }) => {
      if (count > 1) {
        logged = valuesOf(cluster);
        return 'pass';
      }
      return { dropConnection: 'before' };
    });
    await cluster.until(client.producer({ enableIdempotence: false }).send({ topic: 't', value: 'v' }));
    expect([logged, valuesOf(cluster)]).toEqual([[], ['v']]);
  });

  it('fails twice as a broker that does not lead, then lets it pass', async () => {
    await using told = await story();
    const { cluster, client } = told;
    const seen: number[] = [];
    cluster.onRequest('produce', ({ topicData }) => void seen.push(topicData.length));
    cluster.onRequest('produce', { fail: 'NOT_LEADER_OR_FOLLOWER', times: 2 });
    const { offset } = await cluster.until(client.producer().send({ topic: 't', value: 'v' }));
    expect([seen, offset, valuesOf(cluster)]).toEqual([[1, 1, 1], 0, ['v']]);
  });

  it('fails for good, with the code and what is known of the record', async () => {
    await using told = await story();
    const { cluster, client } = told;
    cluster.onRequest('produce', { fail: 'TOPIC_AUTHORIZATION_FAILED' });
    const sent = cluster.until(client.producer().send({ topic: 't', value: 'v' }));
    await expect(sent).rejects.toMatchObject({ code: 'TOPIC_AUTHORIZATION_FAILED', outcome: 'not-written' });
    expect(valuesOf(cluster)).toEqual([]);
  });

  it('holds an answer back for as long as it is told', async () => {
    await using told = await story();
    const { cluster, client } = told;
    const producer = client.producer();
    await cluster.until(producer.send({ topic: 't', value: 'known' }));
    cluster.onRequest('produce', { delayMs: 3000 });
    let answered = false;
    const sent = producer.send({ topic: 't', value: 'held' }).then(() => {
      answered = true;
    });
    await cluster.advance(2999);
    expect([answered, valuesOf(cluster)]).toEqual([false, ['known', 'held']]);
    await cluster.advance(1);
    expect(answered).toBe(true);
    await sent;
  });

  it('gives up an answer that comes too late, and the record is there once', async () => {
    await using told = await story();
    const { cluster, client } = told;
    cluster.onRequest('produce', { delayMs: 60_000, times: 1 });
    await cluster.until(client.producer().send({ topic: 't', value: 'late' }));
    expect(valuesOf(cluster)).toEqual(['late']);
  });

  it('answers metadata with the error, and names the brokers', async () => {
    await using told = await story();
    const { cluster, client } = told;
    let asked = 0;
    cluster.onRequest('metadata', () => void (asked += 1));
    cluster.onRequest('metadata', { fail: 'LEADER_NOT_AVAILABLE', times: 3 });
    await cluster.until(client.producer().send({ topic: 't', value: 'v' }));
    expect(asked).toBeGreaterThan(3);
  });

  it('tells a producer with acks 0 by closing its connection, as Kafka does', async () => {
    await using told = await story();
    const { cluster, client } = told;
    cluster.onRequest('produce', { fail: 'NOT_LEADER_OR_FOLLOWER', times: 1 });
    const producer = client.producer({ acks: 0, enableIdempotence: false });
    await cluster.until(producer.send({ topic: 't', value: 'lost' }));
    await cluster.advance(1000);
    await cluster.until(producer.send({ topic: 't', value: 'written' }));
    await cluster.advance(1000);
    expect(valuesOf(cluster)).toEqual(['written']);
  });

  it('asks hooks in their order until one decides, and no more once they are removed', async () => {
    await using told = await story();
    const { cluster, client } = told;
    const asked: string[] = [];
    const removeFirst = cluster.onRequest('produce', () => void asked.push('first'));
    const removeSecond = cluster.onRequest('produce', (_request, { clientId, nodeId, count }) => {
      asked.push(`second ${clientId} ${nodeId} ${count}`);
      return { fail: 'INVALID_RECORD' };
    });
    cluster.onRequest('produce', () => void asked.push('third'));
    const producer = client.producer();
    await expect(cluster.until(producer.send({ topic: 't', value: 'v' }))).rejects.toMatchObject({
      code: 'INVALID_RECORD',
    });
    removeFirst();
    removeSecond();
    await cluster.until(producer.send({ topic: 't', value: 'v' }));
    expect(asked).toEqual(['first', 'second seatlog 1 1', 'third']);
  });

  it('tells the test what a hook threw', async () => {
    await using told = await story();
    const { cluster, client } = told;
    let isWrong = true;
    cluster.onRequest('produce', () => {
      if (isWrong) throw new Error('an assertion in a hook');
      return 'pass';
    });
    const sent = client.producer().send({ topic: 't', value: 'v' });
    await expect(cluster.advance(0)).rejects.toThrow('an assertion in a hook');
    isWrong = false;
    await cluster.until(sent);
    expect(valuesOf(cluster)).toEqual(['v']);
  });

  it('rejects the close of the cluster, too, with what a hook threw', async () => {
    const cluster = await createTestCluster({ topics: [{ name: 't' }] });
    const client = createClient({ ...cluster.clientOptions, requestTimeoutMs: 100 });
    const thrown = Promise.withResolvers<void>();
    cluster.onRequest('produce', () => {
      thrown.resolve();
      throw new Error('an assertion in a hook');
    });
    const sent = client.producer().send({ topic: 't', value: 'v' });
    sent.catch(() => {});
    await thrown.promise;
    await client.close({ timeoutMs: 0 });
    await expect(cluster.close()).rejects.toThrow('an assertion in a hook');
  });

  it('closes at once while an answer is held back', async () => {
    const cluster = await createTestCluster({ topics: [{ name: 't' }] });
    const client = createClient(cluster.clientOptions);
    const asked = Promise.withResolvers<void>();
    cluster.onRequest('produce', () => {
      asked.resolve();
      return { delayMs: 3_600_000 };
    });
    client
      .producer()
      .send({ topic: 't', value: 'v' })
      .catch(() => {});
    await asked.promise;
    await cluster.close();
    await client.close({ timeoutMs: 0 });
  });

  it('does not stand in the way of the cluster’s own requests', async () => {
    await using told = await story();
    const { cluster } = told;
    for (const api of ['metadata', 'createTopics', 'apiVersions'] as const) {
      cluster.onRequest(api, { fail: 'CLUSTER_AUTHORIZATION_FAILED' });
    }
    await cluster.createTopic('made');
    expect(cluster.records('made')).toEqual([]);
  });
});
