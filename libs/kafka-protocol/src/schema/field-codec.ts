/** One field at one version: where it stands, what its default is, how its value is read and written. */
import type { ByteReader } from '../byte-reader.ts';
import type { ByteWriter } from '../byte-writer.ts';
import { ProtocolError } from '../protocol-error.ts';
import type { StructCodec, ValueCodec } from './codec.ts';
import type { Field, FieldShape } from './field.ts';
import { recordsCodec, SCALAR_DEFAULTS, scalarCodec } from './scalar-codec.ts';
import { includesVersion, parseVersions } from './version-range.ts';

export interface FieldCodec {
  readonly name: string;
  /** For messages: `FetchRequest.topics.partitions.fetchOffset`. */
  readonly path: string;
  readonly place: 'inline' | 'tagged' | 'absent';
  readonly tag: number;
  readonly ignorable: boolean;
  readonly minimumBytes: number;
  /** The default is a list or a structure, so each owner needs one of its own. */
  readonly hasFreshDefault: boolean;
  createDefault(): unknown;
  isDefault(value: unknown): boolean;
  read(reader: ByteReader): unknown;
  /** Undefined stands for the default. */
  write(writer: ByteWriter, value: unknown): void;
}

/** `inner` is the compiled structure of a field that has one. */
export function compileField(
  path: string,
  name: string,
  field: Field,
  inner: StructCodec | null,
  version: number,
  flexible: boolean,
): FieldCodec {
  const { options, shape } = field;
  const exists = includesVersion(parseVersions(field.versions), version);
  const nullable =
    options.nullable !== undefined && includesVersion(parseVersions(options.nullable), version);
  const createDefault = defaultOf(field, inner);
  const codec = valueCodec(path, shape, inner, flexible, nullable);
  return {
    name,
    path,
    place: !exists ? 'absent' : isTagged(field, version, flexible) ? 'tagged' : 'inline',
    tag: options.tag ?? -1,
    ignorable: options.ignorable === true,
    minimumBytes: codec.minimumBytes,
    hasFreshDefault: options.default !== null && shape.kind !== 'scalar' && shape.kind !== 'records',
    createDefault,
    isDefault: defaultTest(field, inner),
    read: codec.read,
    write: (writer, value) => {
      if (value === null && !nullable) throw new ProtocolError('UNEXPECTED_NULL', `${path} must not be null`);
      codec.write(writer, value === undefined ? createDefault() : value);
    },
  };
}

function isTagged(field: Field, version: number, flexible: boolean): boolean {
  const { tag, tagged } = field.options;
  if (tag === undefined || !flexible) return false;
  return tagged === undefined || includesVersion(parseVersions(tagged), version);
}

const NO_RECORDS = new Uint8Array(0);

function defaultOf(field: Field, inner: StructCodec | null): () => unknown {
  const { shape, options } = field;
  if (options.default !== undefined) {
    const value = options.default;
    return () => value;
  }
  switch (shape.kind) {
    case 'scalar': {
      const value = SCALAR_DEFAULTS[shape.scalar];
      return () => value;
    }
    case 'records': {
      const value = options.nullable === undefined ? NO_RECORDS : null;
      return () => value;
    }
    case 'struct':
      return () => inner?.createDefault();
    case 'scalars':
    case 'structs':
      return () => [];
  }
}

function defaultTest(field: Field, inner: StructCodec | null): (value: unknown) => boolean {
  const { shape, options } = field;
  if (options.default !== undefined) return (value) => value === options.default;
  switch (shape.kind) {
    case 'scalar':
      if (shape.scalar === 'bytes') return isEmpty;
      return (value) => value === SCALAR_DEFAULTS[shape.scalar];
    case 'records':
      return options.nullable === undefined ? isEmpty : (value) => value === null;
    case 'struct':
      return (value) => value !== null && inner?.isDefault(value) === true;
    case 'scalars':
    case 'structs':
      return isEmpty;
  }
}

function isEmpty(value: unknown): boolean {
  return value !== null && (value as ArrayLike<unknown>).length === 0;
}

function valueCodec(
  path: string,
  shape: FieldShape,
  inner: StructCodec | null,
  compact: boolean,
  nullable: boolean,
): ValueCodec {
  switch (shape.kind) {
    case 'scalar':
      return scalarCodec(shape.scalar, compact, nullable);
    case 'records':
      return recordsCodec(compact, nullable);
    case 'scalars':
      return arrayCodec(path, scalarCodec(shape.scalar, compact, false), compact, nullable);
    case 'struct':
      return nullable ? nullableStructCodec(inner as StructCodec) : (inner as StructCodec);
    case 'structs':
      return arrayCodec(path, inner as StructCodec, compact, nullable);
  }
}

/** A structure that may be null is preceded by a byte: −1 for null, 1 for present. */
function nullableStructCodec(inner: StructCodec): ValueCodec {
  return {
    minimumBytes: 1,
    weighted: true,
    read: (reader) => (reader.int8() < 0 ? null : inner.read(reader)),
    write: (writer, value) => {
      writer.int8(value === null ? -1 : 1);
      if (value !== null) inner.write(writer, value);
    },
  };
}

function arrayCodec(path: string, element: ValueCodec, compact: boolean, nullable: boolean): ValueCodec {
  const { minimumBytes, weighted } = element;
  return {
    minimumBytes: compact ? 1 : 4,
    weighted: true,
    read: (reader) => {
      const count = compact ? reader.unsignedVarint() - 1 : reader.int32();
      if (count === -1) {
        if (nullable) return null;
        throw new ProtocolError('UNEXPECTED_NULL', `${path} must not be null`);
      }
      reader.checkElements(count, minimumBytes, weighted);
      const list = new Array<unknown>(count);
      for (let i = 0; i < count; i++) list[i] = element.read(reader);
      return list;
    },
    write: (writer, value) => {
      const list = value as readonly unknown[] | null;
      const count = list === null ? -1 : list.length;
      if (compact) writer.unsignedVarint(count + 1);
      else writer.int32(count);
      if (list !== null) for (const item of list) element.write(writer, item);
    },
  };
}
