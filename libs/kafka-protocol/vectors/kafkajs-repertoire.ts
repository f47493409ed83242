/** Everything kafkajs can be made to ask. */
import kafkajs from 'kafkajs';

const { CompressionTypes, Kafka, logLevel, Partitioners } = kafkajs;

export async function runKafkajs(bootstrap: string): Promise<void> {
  const kafka = new Kafka({ clientId: 'vector-client', brokers: [bootstrap], logLevel: logLevel.ERROR });
  await produce(kafka);
  await transact(kafka);
  await consume(kafka);
  await administer(kafka);
}

async function produce(kafka: InstanceType<typeof Kafka>): Promise<void> {
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  await producer.send({
    topic: 'vector-topic',
    acks: -1,
    timeout: 1234,
    compression: CompressionTypes.None,
    messages: [
      { key: 'seat-1', value: 'held', headers: { trace: 'abc' }, timestamp: '1700000000000' },
      { key: null, value: null, timestamp: '1700000000123' },
    ],
  });
  await producer.disconnect();
}

async function transact(kafka: InstanceType<typeof Kafka>): Promise<void> {
  const producer = kafka.producer({
    createPartitioner: Partitioners.DefaultPartitioner,
    transactionalId: 'vector-transaction',
    idempotent: true,
    maxInFlightRequests: 1,
  });
  await producer.connect();
  const transaction = await producer.transaction();
  await transaction.send({
    topic: 'vector-topic',
    messages: [{ key: 'seat-1', value: 'held', headers: { trace: 'abc' }, timestamp: '1700000000000' }],
  });
  await transaction.sendOffsets({
    consumerGroupId: 'vector-group',
    topics: [{ topic: 'vector-topic', partitions: [{ partition: 0, offset: '42' }] }],
  });
  await transaction.commit();
  await producer.disconnect();
}

async function consume(kafka: InstanceType<typeof Kafka>): Promise<void> {
  const consumer = kafka.consumer({
    groupId: 'vector-group',
    sessionTimeout: 12_345,
    rebalanceTimeout: 23_456,
  });
  await consumer.connect();
  await consumer.subscribe({ topics: ['vector-topic'], fromBeginning: true });
  const { promise: consumed, resolve, reject } = Promise.withResolvers<string | undefined>();
  void consumer
    .run({
      autoCommitThreshold: 1,
      eachBatch: async ({ batch, resolveOffset, heartbeat, commitOffsetsIfNecessary }) => {
        const [message] = batch.messages;
        resolveOffset(message?.offset ?? '0');
        await heartbeat();
        await commitOffsetsIfNecessary();
        resolve(message?.value?.toString());
      },
    })
    .catch((error: unknown) => reject(error));
  if ((await consumed) !== 'held') throw new Error('another record came back');
  await consumer.disconnect();
}

async function administer(kafka: InstanceType<typeof Kafka>): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({
    waitForLeaders: false,
    timeout: 4321,
    topics: [
      {
        topic: 'vector-topic',
        numPartitions: 3,
        replicationFactor: 1,
        configEntries: [{ name: 'retention.ms', value: '1000' }],
      },
    ],
  });
  await admin.createPartitions({ timeout: 4321, topicPartitions: [{ topic: 'vector-topic', count: 4 }] });
  await admin.describeConfigs({
    includeSynonyms: true,
    resources: [{ type: 2, name: 'vector-topic', configNames: ['retention.ms'] }],
  });
  await admin.fetchTopicOffsets('vector-topic');
  await admin.fetchOffsets({ groupId: 'vector-group', topics: ['vector-topic'] });
  await admin.deleteTopicRecords({ topic: 'vector-topic', partitions: [{ partition: 0, offset: '1' }] });
  await admin.listGroups();
  await admin.describeGroups(['vector-group']);
  await admin.deleteGroups(['vector-group']);
  await admin.deleteTopics({ topics: ['vector-topic'], timeout: 4321 });
  await admin.disconnect();
}
