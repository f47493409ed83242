/** Everything @platformatic/kafka can be made to ask. */
import { Admin, Consumer, Producer, stringDeserializers, stringSerializers } from '@platformatic/kafka';

export async function runPlatformatic(bootstrap: string): Promise<void> {
  const base: Base = { clientId: 'vector-client', bootstrapBrokers: [bootstrap], retries: false };
  await produce(base);
  await consume(base);
  await administer(base);
}

interface Base {
  readonly clientId: string;
  readonly bootstrapBrokers: string[];
  readonly retries: boolean;
}

async function produce(base: Base): Promise<void> {
  const producer = new Producer({ ...base, serializers: stringSerializers, idempotent: true });
  await producer.send({
    acks: -1,
    messages: [
      {
        topic: 'vector-topic',
        partition: 0,
        key: 'seat-1',
        value: 'held',
        headers: { trace: 'abc' },
        timestamp: 1_700_000_000_000n,
      },
    ],
  });
  await producer.close();
}

async function consume(base: Base): Promise<void> {
  const consumer = new Consumer({
    ...base,
    groupId: 'vector-group',
    deserializers: stringDeserializers,
    sessionTimeout: 12_345,
    rebalanceTimeout: 23_456,
    heartbeatInterval: 1000,
  });
  const stream = await consumer.consume({
    topics: ['vector-topic'],
    mode: 'earliest',
    autocommit: false,
    maxWaitTime: 100,
    maxBytes: 1_000_000,
  });
  for await (const message of stream) {
    if (message.value !== 'held') throw new Error('another record came back');
    await message.commit();
    break;
  }
  await stream.close();
  await consumer.close();
}

async function administer(base: Base): Promise<void> {
  const admin = new Admin(base);
  const steps: (() => Promise<unknown>)[] = [
    () =>
      admin.createTopics({
        topics: ['vector-topic'],
        partitions: 3,
        replicas: 1,
        configs: [{ name: 'retention.ms', value: '1000' }],
      }),
    () => admin.createPartitions({ topics: [{ name: 'vector-topic', count: 4 }] }),
    () =>
      admin.describeConfigs({
        resources: [{ resourceType: 2, resourceName: 'vector-topic', configurationKeys: ['retention.ms'] }],
        includeSynonyms: true,
      }),
    () =>
      admin.incrementalAlterConfigs({
        resources: [
          {
            resourceType: 2,
            resourceName: 'vector-topic',
            configs: [{ name: 'retention.ms', configOperation: 0, value: '2000' }],
          },
        ],
      }),
    () =>
      admin.listOffsets({
        topics: [{ name: 'vector-topic', partitions: [{ partitionIndex: 0, timestamp: -1n }] }],
      }),
    () => admin.listConsumerGroupOffsets({ groups: ['vector-group'] }),
    () =>
      admin.deleteRecords({ topics: [{ name: 'vector-topic', partitions: [{ partition: 0, offset: 1n }] }] }),
    () => admin.listGroups(),
    () => admin.describeGroups({ groups: ['vector-group'] }),
    () => admin.deleteGroups({ groups: ['vector-group'] }),
    () => admin.deleteTopics({ topics: ['vector-topic'] }),
  ];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      // The request was recorded all the same; what the client makes of a made-up answer is its own matter.
      process.stderr.write(`${String(error)}\n`);
    }
  }
  await admin.close();
}
