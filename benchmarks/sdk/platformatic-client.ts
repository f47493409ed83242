import { Consumer, Producer } from '@platformatic/kafka';
import type { MeasuredClient, MeasuredClientOptions } from './shapes.ts';

const RECORDS_A_LOOK = 512;

export function platformaticClient({ brokers, acks }: MeasuredClientOptions): MeasuredClient {
  const bootstrapBrokers = brokers.split(',');
  const producer = new Producer({ clientId: 'bench', bootstrapBrokers });
  const batches = new Map<string, { topic: string; value: Buffer; partition: number }[]>();
  return {
    send(topic, value, count) {
      const name = `${topic} ${count}`;
      let messages = batches.get(name);
      if (messages === undefined) {
        messages = Array.from({ length: count }, () => ({ topic, value, partition: 0 }));
        batches.set(name, messages);
      }
      return producer.send({ acks, messages });
    },
    async consume(topic, enough) {
      const consumer = new Consumer({
        clientId: 'bench',
        groupId: `g-${process.pid}`,
        bootstrapBrokers,
        highWaterMark: 1024,
      });
      const stream = await consumer.consume({ topics: [topic], mode: 'earliest', autocommit: false });
      await new Promise<void>((resolve, reject) => {
        let records = 0;
        let bytes = 0;
        stream.on('error', reject);
        stream.on('data', (message) => {
          records += 1;
          bytes += message.value.length;
          if (records < RECORDS_A_LOOK) return;
          if (enough(records, bytes)) resolve();
          records = 0;
          bytes = 0;
        });
      });
      await consumer.close(true);
    },
    close: () => producer.close(),
  };
}
