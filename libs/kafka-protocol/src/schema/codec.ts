/** What the parts of a compiled schema look like to each other. */
import type { ByteReader } from '../byte-reader.ts';
import type { ByteWriter } from '../byte-writer.ts';

/** Reads and writes one value. */
export interface ValueCodec {
  read(reader: ByteReader): unknown;
  write(writer: ByteWriter, value: unknown): void;
  /** The least it takes on the wire. */
  readonly minimumBytes: number;
  /** It takes more in memory than on the wire, and so draws on the message's budget of elements. */
  readonly weighted: boolean;
}

export type StructValue = Record<string, unknown>;

export interface StructCodec extends ValueCodec {
  read(reader: ByteReader): StructValue;
  /** A structure of defaults, with lists of its own. */
  createDefault(): StructValue;
  isDefault(value: unknown): boolean;
}
