import { Kafka, logLevel } from 'kafkajs';
import type { MeasuredClient, MeasuredClientOptions } from './shapes.ts';

/** `eachBatch` is its fastest way to consume. */
export async function kafkajsClient({ brokers, acks }: MeasuredClientOptions): Promise<MeasuredClient> {
  const kafka = new Kafka({ clientId: 'bench', brokers: brokers.split(','), logLevel: logLevel.NOTHING });
  const producer = kafka.producer();
  await producer.connect();
  const batches = new Map<number, { readonly value: Buffer; readonly partition: number }[]>();
  return {
    send(topic, value, count) {
      let messages = batches.get(count);
      if (messages === undefined) {
        messages = Array.from({ length: count }, () => ({ value, partition: 0 }));
        batches.set(count, messages);
      }
      return producer.send({ topic, acks, messages });
    },
    async consume(topic, enough) {
      const consumer = kafka.consumer({ groupId: `g-${process.pid}` });
      await consumer.connect();
      await consumer.subscribe({ topic, fromBeginning: true });
      await new Promise<void>((resolve, reject) => {
        consumer
          .run({
            autoCommit: false,
            eachBatchAutoResolve: true,
            eachBatch: ({ batch }) => {
              let bytes = 0;
              for (const message of batch.messages) bytes += message.value?.length ?? 0;
              if (enough(batch.messages.length, bytes)) resolve();
              return Promise.resolve();
            },
          })
          .catch(reject);
      });
      await consumer.disconnect();
    },
    close: () => producer.disconnect(),
  };
}
