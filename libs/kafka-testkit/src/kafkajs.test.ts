import { createClient } from '@seatlog/kafka-client';
import { Kafka, logLevel } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { createTestCluster } from './test-cluster.ts';

describe('a cluster that listens', () => {
  it('serves kafkajs by its address, beside clients in memory, also after a restart', async () => {
    await using cluster = await createTestCluster({ listen: true, topics: [{ name: 'shared' }] });
    await using client = createClient(cluster.clientOptions);
    const kafka = new Kafka({
      brokers: cluster.brokers.map(({ address }) => address),
      logLevel: logLevel.NOTHING,
    });
    const producer = kafka.producer();
    await producer.connect();
    await client.producer().send({ topic: 'shared', value: 'from memory' });
    await producer.send({ topic: 'shared', messages: [{ key: 'k', value: 'from kafkajs' }] });
    await producer.disconnect();

    await cluster.restart();

    const consumer = kafka.consumer({ groupId: 'g' });
    await consumer.connect();
    await consumer.subscribe({ topics: ['shared'], fromBeginning: true });
    const values: string[] = [];
    const all = Promise.withResolvers<void>();
    await consumer.run({
      eachMessage: ({ message }) => {
        values.push(String(message.value));
        if (values.length === 2) all.resolve();
        return Promise.resolve();
      },
    });
    await all.promise;
    await consumer.disconnect();
    expect(values).toEqual(['from memory', 'from kafkajs']);
    expect(cluster.records('shared')).toMatchObject([
      { value: 'from memory' },
      { key: 'k', value: 'from kafkajs' },
    ]);
  });
});
