/**
 * Keys and values of `__consumer_offsets`: each begins with an int16, the type in a key and the version in a value.
 * A value of null takes back what was written under the key.
 */
import { ByteReader, ByteWriter, type RecordSchema } from '@seatlog/kafka-protocol';

export interface OffsetsRecord {
  readonly key: Uint8Array;
  readonly value: Uint8Array | null;
}

/** All keys have one version, so Kafka lets the type stand where a version would. */
const KEY_VERSION = 0;

export function keyWithType<Input>(
  type: number,
  schema: RecordSchema<unknown, Input>,
  body: Input,
): Uint8Array {
  const writer = new ByteWriter();
  writer.int16(type);
  schema.write(writer, body, KEY_VERSION);
  return writer.toBytes();
}

export function valueWithVersion<Input>(
  version: number,
  schema: RecordSchema<unknown, Input>,
  body: Input,
): Uint8Array {
  const writer = new ByteWriter();
  writer.int16(version);
  schema.write(writer, body, version);
  return writer.toBytes();
}

/** The leading int16 and what follows it. */
export function splitPrefix(bytes: Uint8Array): { readonly prefix: number; readonly body: Uint8Array } {
  const prefix = new ByteReader(bytes).int16();
  return { prefix, body: bytes.subarray(2) };
}
