/** Encoding and decoding of one batch of 1000 records: this library beside its peers, from the same values. */
import { batchCrcMatches, decodeRecords, RecordBatchWriter, visitRecords } from '@seatlog/kafka-protocol';
import type { Comparison } from './interleaved.ts';
import { kafkajsCodec, platformaticCodec } from './peers.ts';

const RECORDS = 1000;
const FIRST_TIMESTAMP = 1_700_000_000_000;

/** Values of their own memory each, as an application would have them. */
function valuesOf(size: number): Buffer[] {
  return Array.from({ length: RECORDS }, (_, i) => Buffer.alloc(size, `seat ${i} is held; `));
}

function encodeInto(writer: RecordBatchWriter, values: readonly Buffer[]): Uint8Array {
  for (let i = 0; i < values.length; i++) writer.append(FIRST_TIMESTAMP + i, null, values[i] as Buffer);
  return writer.seal();
}

/** Each subject ends with the batch in one piece, ready for a socket. */
export async function encodeComparison(size: number): Promise<Comparison> {
  const values = valuesOf(size);
  const batchBytes = RECORDS * (size + 20) + 100;
  const pooled = new Uint8Array(batchBytes);
  const writer = new RecordBatchWriter({ maxBytes: batchBytes, initialBytes: 61 });
  const kafkajs = kafkajsCodec();
  const platformatic = await platformaticCodec();
  return {
    title: `encode 1000 x ${size} B`,
    unitsPerCall: RECORDS,
    unit: 'records/s',
    subjects: [
      {
        name: 'seatlog, pooled buffer',
        work: () => {
          writer.reset(pooled);
          return encodeInto(writer, values).length;
        },
      },
      {
        name: 'seatlog, fresh buffer',
        work: () =>
          encodeInto(new RecordBatchWriter({ maxBytes: batchBytes, initialBytes: batchBytes }), values)
            .length,
      },
      {
        name: '@platformatic/kafka',
        work: () => {
          const messages = values.map((value, i) => ({
            topic: 't',
            value,
            timestamp: BigInt(FIRST_TIMESTAMP + i),
          }));
          return platformatic.createRecordsBatch(messages).buffer.length;
        },
      },
      {
        name: 'kafkajs',
        work: async () => {
          const records = values.map((value, i) =>
            kafkajs.createRecord({ offsetDelta: i, timestampDelta: i, key: null, value }),
          );
          const batch = await kafkajs.createBatch({
            firstTimestamp: FIRST_TIMESTAMP,
            maxTimestamp: FIRST_TIMESTAMP + RECORDS - 1,
            lastOffsetDelta: RECORDS - 1,
            records,
          });
          return batch.buffer.length;
        },
      },
    ],
  };
}

/** Every subject touches key and value of every record. The peers do not check the checksum, this library does. */
export async function decodeComparison(size: number): Promise<Comparison> {
  const batch = Buffer.from(encodeInto(new RecordBatchWriter({ maxBytes: 2 ** 30 }), valuesOf(size)));
  const kafkajs = kafkajsCodec();
  const platformatic = await platformaticCodec();
  const requireCrc = (): void => {
    if (!batchCrcMatches(batch)) throw new Error('checksum does not match');
  };
  return {
    title: `decode 1000 x ${size} B`,
    unitsPerCall: RECORDS,
    unit: 'records/s',
    subjects: [
      {
        name: 'seatlog, records with CRC',
        work: () => {
          requireCrc();
          let sum = 0;
          for (const { key, value } of decodeRecords(batch)) sum += (key?.length ?? 0) + (value?.length ?? 0);
          return sum;
        },
      },
      {
        name: 'seatlog, cursor with CRC',
        work: () => {
          requireCrc();
          let sum = 0;
          visitRecords(batch, (cursor) => {
            sum += cursor.keyLength + cursor.valueLength;
          });
          return sum;
        },
      },
      {
        name: '@platformatic/kafka, no CRC',
        work: () => {
          let sum = 0;
          const { records } = platformatic.readRecordsBatch(platformatic.readerFrom(batch));
          for (const { key, value } of records) sum += (key?.length ?? 0) + value.length;
          return sum;
        },
      },
      {
        name: 'kafkajs, no CRC',
        work: async () => {
          let sum = 0;
          const { records } = await kafkajs.decodeBatch(kafkajs.createDecoder(batch));
          for (const { key, value } of records) sum += (key?.length ?? 0) + value.length;
          return sum;
        },
      },
    ],
  };
}
