import { createClient } from '@seatlog/kafka-client';
import type { MeasuredClient, MeasuredClientOptions } from './shapes.ts';

export function seatlogClient({ brokers, acks }: MeasuredClientOptions): MeasuredClient {
  const client = createClient({ brokers, clientId: 'bench' });
  const producer = client.producer({ acks });
  const batches = new Map<number, { readonly value: Buffer; readonly partition: number }[]>();
  return {
    send(topic, value, count) {
      if (count === 1) return producer.send({ topic, value, partition: 0 });
      let records = batches.get(count);
      if (records === undefined) {
        records = Array.from({ length: count }, () => ({ value, partition: 0 }));
        batches.set(count, records);
      }
      return producer.sendBatch(topic, records);
    },
    async consume(topic, enough) {
      const consumer = client.consumer({
        groupId: `g-${process.pid}`,
        topics: [topic],
        autoOffsetReset: 'earliest',
      });
      for await (const batch of consumer.batches()) {
        let bytes = 0;
        for (const record of batch.records) bytes += record.value?.length ?? 0;
        if (enough(batch.records.length, bytes)) break;
      }
    },
    close: () => client.close(),
  };
}
