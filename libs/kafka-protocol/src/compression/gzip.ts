/** gzip by Node's own zlib. What comes out is bounded: more than `maxBytes` is refused, not allocated. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { fromZlib } from './decompression-error.ts';

export function compressGzip(bytes: Uint8Array): Uint8Array {
  return gzipSync(bytes);
}

export function decompressGzip(bytes: Uint8Array, maxBytes: number): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    throw fromZlib('gzip', error, maxBytes);
  }
}
