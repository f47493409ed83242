/** All versions of one message, each compiled once when the declaration is loaded. */
import type { ByteReader } from '../byte-reader.ts';
import type { ByteWriter } from '../byte-writer.ts';
import { ProtocolError } from '../protocol-error.ts';
import type { StructCodec } from './codec.ts';
import type { Fields } from './field.ts';
import { compileStruct } from './struct-codec.ts';
import { includesVersion, type VersionInterval } from './version-range.ts';

export interface MessageCodec<Output, Input> {
  read(reader: ByteReader, version: number): Output;
  write(writer: ByteWriter, version: number, value: Input): void;
}

export function compileMessage<Output, Input>(
  name: string,
  fields: Fields,
  served: VersionInterval,
  flexible: VersionInterval,
): MessageCodec<Output, Input> {
  if (served.to === Number.MAX_SAFE_INTEGER) {
    throw new TypeError(`${name} needs a highest version`);
  }
  const byVersion: StructCodec[] = [];
  for (let version = served.from; version <= served.to; version++) {
    byVersion.push(compileStruct(name, fields, version, includesVersion(flexible, version)));
  }
  const codecOf = (version: number): StructCodec => {
    const codec = byVersion[version - served.from];
    if (codec !== undefined) return codec;
    throw new ProtocolError(
      'UNSUPPORTED_VERSION',
      `${name} version ${version} is outside ${served.from}-${served.to}`,
    );
  };
  return {
    // The codec was compiled from the very declaration that the types were derived from.
    read: (reader, version) => codecOf(version).read(reader) as Output,
    write: (writer, version, value) => codecOf(version).write(writer, value),
  };
}
