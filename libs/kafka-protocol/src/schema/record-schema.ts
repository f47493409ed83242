/**
 * Schemas of what Kafka stores inside records: metadata records, keys and values of the offsets topic, the embedded
 * protocol of consumer groups. Same words as APIs, without frame and header.
 *
 *     const partitionRecord = defineRecord({
 *       name: 'PartitionRecord', apiKey: 3, versions: '0-2', flexible: '0+',
 *       fields: { partitionId: int32('0+', { default: -1 }), topicId: uuid('0+') },
 *     });
 *     const bytes = partitionRecord.encode({ topicId }, 2);
 */
import { ByteReader } from '../byte-reader.ts';
import { ByteWriter } from '../byte-writer.ts';
import type { Fields, InputOf, OutputOf } from './field.ts';
import { compileMessage } from './message-codec.ts';
import { includesVersion, NO_VERSIONS, parseVersions, type VersionRange } from './version-range.ts';

export interface RecordDeclaration<F extends Fields> {
  readonly name: string;
  /** Kafka's number of the record type, where it has one. */
  readonly apiKey?: number;
  /** Bounded: `0-2` or `0`. */
  readonly versions: VersionRange;
  readonly flexible?: VersionRange;
  readonly fields: F;
}

export interface RecordSchema<Output, Input = Output> {
  readonly name: string;
  readonly apiKey: number | null;
  readonly minVersion: number;
  readonly maxVersion: number;
  /** The declaration, for tools and tests that are derived from it. */
  readonly fields: Fields;
  isFlexible(version: number): boolean;
  /** The body alone. */
  encode(body: Input, version: number): Uint8Array;
  /** `bytes` is the body alone; bytes after it are left unread, as Kafka does. */
  decode(bytes: Uint8Array, version: number): Output;
  /** For callers that keep something before or after the body in the same bytes. */
  write(writer: ByteWriter, body: Input, version: number): void;
  read(reader: ByteReader, version: number): Output;
}

/** Decoded type of a record schema. */
export type RecordOf<S> = S extends RecordSchema<infer Output, infer _Input> ? Output : never;
/** What its encoder takes. */
export type RecordInput<S> = S extends RecordSchema<infer _Output, infer Input> ? Input : never;

export function defineRecord<F extends Fields>(
  declaration: RecordDeclaration<F>,
): RecordSchema<OutputOf<F>, InputOf<F>> {
  const served = parseVersions(declaration.versions);
  const flexible = declaration.flexible === undefined ? NO_VERSIONS : parseVersions(declaration.flexible);
  const codec = compileMessage<OutputOf<F>, InputOf<F>>(
    declaration.name,
    declaration.fields,
    served,
    flexible,
  );
  return {
    name: declaration.name,
    apiKey: declaration.apiKey ?? null,
    minVersion: served.from,
    maxVersion: served.to,
    fields: declaration.fields,
    isFlexible: (version) => includesVersion(flexible, version),
    encode: (body, version) => {
      const writer = new ByteWriter();
      codec.write(writer, version, body);
      return writer.toBytes();
    },
    decode: (bytes, version) => codec.read(new ByteReader(bytes), version),
    write: (writer, body, version) => codec.write(writer, version, body),
    read: (reader, version) => codec.read(reader, version),
  };
}
