/**
 * CRC-32C (Castagnoli), the checksum of record batches. The native package is taken where it loads; elsewhere the
 * sixteen-table loop of this library, which takes two to four times as long on large batches.
 */
import { createRequire } from 'node:module';
import { tableCrc32c } from './crc32c-tables.ts';

type NativeCrc32c = (input: Uint8Array, initialState?: number) => number;

/** Below this many bytes the call across the native boundary costs more than the loop (measured: they meet near 300). */
const NATIVE_MIN_BYTES = 256;

const require = createRequire(import.meta.url);
const native = loadNative();

function loadNative(): NativeCrc32c | null {
  try {
    const loaded: { crc32c: NativeCrc32c } = require('@node-rs/crc32');
    return loaded.crc32c;
  } catch {
    // No binary for this platform.
    return null;
  }
}

/** Which implementation runs, for reports. */
export const crc32cImplementation: 'native' | 'tables' = native === null ? 'tables' : 'native';

/** Checksum of `bytes[start, end)`, unsigned. */
export function crc32c(bytes: Uint8Array, start = 0, end: number = bytes.length): number {
  if (native === null || end - start < NATIVE_MIN_BYTES) return tableCrc32c(bytes, start, end);
  return native(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end));
}
