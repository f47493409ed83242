/** zstd by Node's own zlib. What comes out is bounded: more than `maxBytes` is refused, not allocated. */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { corrupt, fromZlib } from './decompression-error.ts';

export function compressZstd(bytes: Uint8Array): Uint8Array {
  return zstdCompressSync(bytes);
}

export function decompressZstd(bytes: Uint8Array, maxBytes: number): Uint8Array {
  // Node takes no bytes at all for an empty result.
  if (bytes.length === 0) throw corrupt('zstd', 'no data');
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    throw fromZlib('zstd', error, maxBytes);
  }
}
