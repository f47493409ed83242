/** How each scalar lies on the wire: plain and compact, with and without null. */
import type { ByteReader } from '../byte-reader.ts';
import type { ByteWriter } from '../byte-writer.ts';
import { ProtocolError } from '../protocol-error.ts';
import { ZERO_UUID } from '../uuid.ts';
import type { ValueCodec } from './codec.ts';
import type { RecordBytesInput, ScalarName } from './field.ts';

const EMPTY = new Uint8Array(0);

/** What a scalar is when nothing is said. Byte ranges are frozen by being empty. */
export const SCALAR_DEFAULTS: Readonly<Record<ScalarName, unknown>> = {
  boolean: false,
  int8: 0,
  int16: 0,
  uint16: 0,
  int32: 0,
  uint32: 0,
  int64: 0,
  float64: 0,
  string: '',
  uuid: ZERO_UUID,
  bytes: EMPTY,
};

function fixed<Value>(
  minimumBytes: number,
  read: (reader: ByteReader) => Value,
  write: (writer: ByteWriter, value: Value) => void,
): ValueCodec {
  // The declaration's types hold each value to its scalar; the writer checks the range once more.
  const weighted = minimumBytes === 1 || minimumBytes === 16;
  return { read, write, minimumBytes, weighted };
}

const FIXED: Partial<Record<ScalarName, ValueCodec>> = {
  boolean: fixed<boolean>(
    1,
    (reader) => reader.boolean(),
    (writer, value) => writer.boolean(value),
  ),
  int8: fixed<number>(
    1,
    (reader) => reader.int8(),
    (writer, value) => writer.int8(value),
  ),
  int16: fixed<number>(
    2,
    (reader) => reader.int16(),
    (writer, value) => writer.int16(value),
  ),
  uint16: fixed<number>(
    2,
    (reader) => reader.uint16(),
    (writer, value) => writer.uint16(value),
  ),
  int32: fixed<number>(
    4,
    (reader) => reader.int32(),
    (writer, value) => writer.int32(value),
  ),
  uint32: fixed<number>(
    4,
    (reader) => reader.uint32(),
    (writer, value) => writer.uint32(value),
  ),
  int64: fixed<number>(
    8,
    (reader) => reader.int64(),
    (writer, value) => writer.int64(value),
  ),
  float64: fixed<number>(
    8,
    (reader) => reader.float64(),
    (writer, value) => writer.float64(value),
  ),
  uuid: fixed<string>(
    16,
    (reader) => reader.uuid(),
    (writer, value) => writer.uuid(value),
  ),
};

export function scalarCodec(name: ScalarName, compact: boolean, nullable: boolean): ValueCodec {
  if (name === 'string') return stringCodec(compact, nullable);
  if (name === 'bytes') return byteRangeCodec(compact, nullable, copyBytes);
  const codec = FIXED[name];
  if (codec === undefined || nullable) throw new TypeError(`${name} cannot be null`);
  return codec;
}

export function recordsCodec(compact: boolean, nullable: boolean): ValueCodec {
  return byteRangeCodec(compact, nullable, passRecords);
}

function stringCodec(compact: boolean, nullable: boolean): ValueCodec {
  const shared = { minimumBytes: compact ? 1 : 2, weighted: true };
  if (compact && nullable) {
    return {
      ...shared,
      read: (reader) => reader.compactNullableString(),
      write: (writer, value) => writer.compactNullableString(value as string | null),
    };
  }
  if (compact) {
    return {
      ...shared,
      read: (reader) => reader.compactString(),
      write: (writer, value) => writer.compactString(value as string),
    };
  }
  if (nullable) {
    return {
      ...shared,
      read: (reader) => reader.nullableString(),
      write: (writer, value) => writer.nullableString(value as string | null),
    };
  }
  return {
    ...shared,
    read: (reader) => reader.string(),
    write: (writer, value) => writer.string(value as string),
  };
}

type WriteContent = (
  writer: ByteWriter,
  writeLength: (length: number) => void,
  value: RecordBytesInput,
) => void;

function byteRangeCodec(compact: boolean, nullable: boolean, writeContent: WriteContent): ValueCodec {
  return {
    minimumBytes: compact ? 1 : 4,
    weighted: true,
    read: (reader) => {
      const length = compact ? reader.compactBytesLength() : reader.bytesLength();
      if (length >= 0) return reader.view(length);
      if (!nullable) throw new ProtocolError('UNEXPECTED_NULL', 'bytes must not be null');
      return null;
    },
    write: (writer, value) => {
      const writeLength = (length: number): void => {
        if (compact) writer.unsignedVarint(length + 1);
        else writer.int32(length);
      };
      if (value === null) writeLength(-1);
      else writeContent(writer, writeLength, value as RecordBytesInput);
    },
  };
}

function copyBytes(writer: ByteWriter, writeLength: (length: number) => void, value: RecordBytesInput): void {
  const range = value as Uint8Array;
  writeLength(range.length);
  writer.copy(range);
}

function passRecords(
  writer: ByteWriter,
  writeLength: (length: number) => void,
  value: RecordBytesInput,
): void {
  if (value instanceof Uint8Array) {
    writeLength(value.length);
    writer.passThrough(value);
    return;
  }
  let length = 0;
  for (const range of value) length += range.length;
  writeLength(length);
  for (const range of value) writer.passThrough(range);
}
