/** Record batches for simulated producers: each of one to three short records that no other has. */
import { RecordBatchWriter } from '@seatlog/kafka-protocol';

export interface BatchProducer {
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly baseSequence: number;
}

const TIMESTAMP = 1_700_000_000_000;

export function sampleBatch(name: string, count: number, producer: BatchProducer | null): Uint8Array {
  const writer = new RecordBatchWriter({ initialBytes: 160 });
  for (let number = 0; number < count; number++) writer.append(TIMESTAMP, null, `${name}.${number}`);
  // The writer’s buffer may be one of a pool.
  return new Uint8Array(writer.seal(producer ?? {}));
}
