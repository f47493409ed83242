/**
 * Kafka's compression codecs, synchronous. Decompression is bounded: the limit is checked before memory is taken for
 * a size that the data claims, and while data comes out that claims none. Above it DECOMPRESSED_TOO_LARGE is thrown,
 * for bytes that do not follow the format COMPRESSED_DATA_CORRUPT.
 */
import { ProtocolError } from '../protocol-error.ts';
import { compressGzip, decompressGzip } from './gzip.ts';
import { compressLz4, decompressLz4 } from './lz4.ts';
import { compressSnappy, decompressSnappy } from './snappy.ts';
import { compressZstd, decompressZstd } from './zstd.ts';

/** Numbers of the codecs in a batch's attributes. */
export const Compression = Object.freeze({ none: 0, gzip: 1, snappy: 2, lz4: 3, zstd: 4 } as const);

export type CompressionName = keyof typeof Compression;

interface Codec {
  compress(bytes: Uint8Array): Uint8Array;
  decompress(bytes: Uint8Array, maxBytes: number): Uint8Array;
}

const CODECS: readonly (Codec | null)[] = [
  null,
  { compress: compressGzip, decompress: decompressGzip },
  { compress: compressSnappy, decompress: decompressSnappy },
  { compress: compressLz4, decompress: decompressLz4 },
  { compress: compressZstd, decompress: decompressZstd },
];

const NAMES: readonly CompressionName[] = ['none', 'gzip', 'snappy', 'lz4', 'zstd'];

export function isKnownCompression(compression: number): boolean {
  return compression >= 0 && compression < CODECS.length;
}

/** `compression.type` of a codec number; throws UNKNOWN_COMPRESSION. */
export function compressionName(compression: number): CompressionName {
  const name = NAMES[compression];
  if (name === undefined) throw unknownCompression(compression);
  return name;
}

export function compress(compression: number, bytes: Uint8Array): Uint8Array {
  return codecOf(compression)?.compress(bytes) ?? bytes;
}

export function decompress(compression: number, bytes: Uint8Array, maxBytes: number): Uint8Array {
  return codecOf(compression)?.decompress(bytes, maxBytes) ?? bytes;
}

function codecOf(compression: number): Codec | null {
  const codec = CODECS[compression];
  if (codec === undefined) throw unknownCompression(compression);
  return codec;
}

function unknownCompression(compression: number): ProtocolError {
  return new ProtocolError('UNKNOWN_COMPRESSION', `${compression} is not the number of a codec`);
}
