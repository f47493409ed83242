/**
 * Turns a declaration into closures that read and write one version of a structure. All decisions about the version
 * are made here, once; what runs per message is a walk over prepared steps, or these steps written out.
 */
import type { ByteReader } from '../byte-reader.ts';
import { ByteWriter } from '../byte-writer.ts';
import { MAX_TAGS_PER_STRUCT } from '../limits.ts';
import { ProtocolError } from '../protocol-error.ts';
import type { StructCodec, StructValue } from './codec.ts';
import { compileField, type FieldCodec } from './field-codec.ts';
import type { Fields } from './field.ts';
import { oftenWrittenOut, writeOutReader, writeOutWriter } from './written-out.ts';

export function compileStruct(path: string, fields: Fields, version: number, flexible: boolean): StructCodec {
  const all = Object.entries(fields).map(([name, field]) => {
    const inner =
      'fields' in field.shape
        ? compileStruct(`${path}.${name}`, field.shape.fields, version, flexible)
        : null;
    return compileField(`${path}.${name}`, name, field, inner, version, flexible);
  });
  const inline = all.filter((field) => field.place === 'inline');
  const tagged = all.filter((field) => field.place === 'tagged').sort((one, other) => one.tag - other.tag);
  const absent = all.filter((field) => field.place === 'absent');
  const guarded = absent.filter((field) => !field.ignorable);
  const byTag = new Map(tagged.map((field) => [field.tag, field]));
  // Fields that are not read inline keep their default; lists and structures need a fresh one each time.
  const allFresh = all.filter((field) => field.hasFreshDefault);
  const fresh = allFresh.filter((field) => field.place !== 'inline');
  const template: StructValue = Object.fromEntries(all.map((field) => [field.name, field.createDefault()]));

  const readOwnTags = (reader: ByteReader, value: StructValue): void => readTags(reader, byTag, value);
  const writeOwnTags = (writer: ByteWriter, value: StructValue): void => writeTags(writer, tagged, value);

  const read = oftenWrittenOut<ByteReader, void, StructValue>(
    (reader) => {
      const result: StructValue = { ...template };
      for (const field of fresh) result[field.name] = field.createDefault();
      for (const field of inline) result[field.name] = field.read(reader);
      if (flexible) readOwnTags(reader, result);
      return result;
    },
    () => writeOutReader(all, flexible ? readOwnTags : null),
  );
  const write = oftenWrittenOut<ByteWriter, unknown, void>(
    (writer, value) => {
      const source = value as StructValue;
      for (const field of guarded) refuseLoss(field, source[field.name]);
      for (const field of inline) field.write(writer, source[field.name]);
      if (flexible) writeOwnTags(writer, source);
    },
    () => writeOutWriter(guarded, inline, refuseLoss, flexible ? writeOwnTags : null),
  );

  return {
    weighted: true,
    minimumBytes: inline.reduce((sum, field) => sum + field.minimumBytes, flexible ? 1 : 0),
    read,
    write,
    createDefault: () => {
      const result: StructValue = { ...template };
      for (const field of allFresh) result[field.name] = field.createDefault();
      return result;
    },
    isDefault: (value) =>
      all.every((field) => {
        const member = (value as StructValue)[field.name];
        return member === undefined || field.isDefault(member);
      }),
  };
}

function refuseLoss(field: FieldCodec, value: unknown): void {
  if (value === undefined || field.isDefault(value)) return;
  throw new ProtocolError(
    'FIELD_NOT_IN_VERSION',
    `${field.path} is set, but this version has no place for it`,
  );
}

function writeTags(writer: ByteWriter, tagged: readonly FieldCodec[], source: StructValue): void {
  if (tagged.length === 0) return writer.unsignedVarint(0);
  const present = tagged.filter((field) => {
    const value = source[field.name];
    return value !== undefined && !field.isDefault(value);
  });
  writer.unsignedVarint(present.length);
  for (const field of present) {
    const content = new ByteWriter();
    field.write(content, source[field.name]);
    writer.unsignedVarint(field.tag);
    writer.unsignedVarint(content.length);
    for (const chunk of content.toChunks()) writer.copy(chunk);
  }
}

function readTags(reader: ByteReader, byTag: ReadonlyMap<number, FieldCodec>, target: StructValue): void {
  const count = reader.unsignedVarint();
  if (count === 0) return;
  if (count > MAX_TAGS_PER_STRUCT) {
    throw new ProtocolError('TOO_MANY_TAGS', `${count} tagged fields are above ${MAX_TAGS_PER_STRUCT}`);
  }
  for (let i = 0; i < count; i++) {
    const field = byTag.get(reader.unsignedVarint());
    const size = reader.unsignedVarint();
    if (field === undefined) {
      reader.take(size);
      continue;
    }
    const outerEnd = reader.narrow(size);
    target[field.name] = field.read(reader);
    if (reader.remaining !== 0) {
      throw new ProtocolError(
        'TAG_SIZE_MISMATCH',
        `${field.path} leaves ${reader.remaining} bytes of its tag`,
      );
    }
    reader.widen(outerEnd);
  }
}

/** Skips the tagged fields of a header, of which none is known. */
export function skipTags(reader: ByteReader): void {
  readTags(reader, NO_TAGS, {});
}

const NO_TAGS: ReadonlyMap<number, FieldCodec> = new Map();
