/** The batch codecs of two clients, reached by file path where the packages do not export them. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);

interface KafkajsRecordInput {
  readonly offsetDelta: number;
  readonly timestampDelta: number;
  readonly key: Buffer | null;
  readonly value: Buffer;
}

interface KafkajsCodec {
  readonly createRecord: (input: KafkajsRecordInput) => object;
  readonly createBatch: (input: object) => Promise<{ readonly buffer: Buffer }>;
  readonly createDecoder: (bytes: Buffer) => object;
  readonly decodeBatch: (
    decoder: object,
  ) => Promise<{ readonly records: readonly { value: Buffer; key: Buffer | null }[] }>;
  readonly crc32c: (bytes: Buffer) => number;
}

export function kafkajsCodec(): KafkajsCodec {
  const folder = 'kafkajs/src/protocol';
  const Decoder: new (bytes: Buffer) => object = require(`${folder}/decoder`);
  const { RecordBatch }: { RecordBatch: KafkajsCodec['createBatch'] } = require(`${folder}/recordBatch/v0`);
  return {
    createRecord: require(`${folder}/recordBatch/record/v0`),
    createBatch: RecordBatch,
    createDecoder: (bytes) => new Decoder(bytes),
    decodeBatch: require(`${folder}/recordBatch/v0/decoder`),
    crc32c: require(`${folder}/recordBatch/crc32C`),
  };
}

interface PlatformaticMessage {
  readonly topic: string;
  readonly value: Buffer;
  readonly timestamp: bigint;
}

interface PlatformaticCodec {
  readonly createRecordsBatch: (messages: readonly PlatformaticMessage[]) => { readonly buffer: Buffer };
  readonly readRecordsBatch: (reader: object) => {
    readonly records: readonly { readonly key: Buffer | null; readonly value: Buffer }[];
  };
  readonly readerFrom: (bytes: Buffer) => object;
}

export async function platformaticCodec(): Promise<PlatformaticCodec> {
  const entry = require.resolve('@platformatic/kafka');
  const load = async (path: string): Promise<Record<string, unknown>> =>
    await import(pathToFileURL(entry.replace(/index\.js$/, path)).href);
  const records = await load('protocol/records.js');
  const { Reader } = await load('protocol/reader.js');
  return {
    createRecordsBatch: records['createRecordsBatch'] as PlatformaticCodec['createRecordsBatch'],
    readRecordsBatch: records['readRecordsBatch'] as PlatformaticCodec['readRecordsBatch'],
    readerFrom: (bytes) => (Reader as { from(bytes: Buffer): object }).from(bytes),
  };
}
