/**
 * Snappy as Kafka's clients write it: raw blocks within the framing of the Java library ("xerial"): an eight-byte
 * magic, two versions, then blocks, each with its compressed size in front. Some clients send one raw block without
 * any framing; that is read, never written.
 */
import { compressSync, uncompressSync } from 'snappy';
import { corrupt, tooLarge } from './decompression-error.ts';

const MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const HEADER_BYTES = 16;
const FRAMING_VERSION = 1;
const BLOCK_SIZE_BYTES = 4;
/** The Java library's block size: what its readers allocate. */
const BLOCK_BYTES = 32 * 1024;
/** The format's own bound: a copy of 64 bytes takes at least 3 bytes, so 22 times is never reached. */
const MAX_RATIO = 22;
const MAX_PREAMBLE_BYTES = 5;

export function compressSnappy(bytes: Uint8Array): Uint8Array {
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeInt32BE(FRAMING_VERSION, 8);
  header.writeInt32BE(FRAMING_VERSION, 12);
  const parts: Uint8Array[] = [header];
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    const block = compressSync(bytes.subarray(at, at + BLOCK_BYTES));
    const size = Buffer.alloc(BLOCK_SIZE_BYTES);
    size.writeInt32BE(block.length);
    parts.push(size, block);
  }
  return Buffer.concat(parts);
}

export function decompressSnappy(bytes: Uint8Array, maxBytes: number): Uint8Array {
  if (!isFramed(bytes)) return decompressBlock(bytes, maxBytes, maxBytes);
  const framed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const parts: Uint8Array[] = [];
  let total = 0;
  let at = HEADER_BYTES;
  while (at < framed.length) {
    if (framed.length - at < BLOCK_SIZE_BYTES) throw corrupt('snappy', 'size of a block is cut off');
    const size = framed.readInt32BE(at);
    at += BLOCK_SIZE_BYTES;
    if (size <= 0 || size > framed.length - at) {
      throw corrupt('snappy', `block of ${size} bytes where ${framed.length - at} are left`);
    }
    const part = decompressBlock(framed.subarray(at, at + size), maxBytes - total, maxBytes);
    total += part.length;
    parts.push(part);
    at += size;
  }
  return Buffer.concat(parts, total);
}

function isFramed(bytes: Uint8Array): boolean {
  return bytes.length >= HEADER_BYTES && MAGIC.equals(bytes.subarray(0, MAGIC.length));
}

function decompressBlock(block: Uint8Array, room: number, maxBytes: number): Uint8Array {
  const claimed = claimedLength(block);
  if (claimed > room) throw tooLarge(maxBytes);
  if (claimed > block.length * MAX_RATIO)
    throw corrupt('snappy', 'claims more bytes than the block can hold');
  let result: string | Buffer;
  try {
    result = uncompressSync(block, { asBuffer: true });
  } catch (error) {
    throw corrupt('snappy', error instanceof Error ? error.message : String(error));
  }
  if (typeof result === 'string') throw corrupt('snappy', 'decoder answered with text');
  return result;
}

/** A raw block begins with its length as a varint. */
function claimedLength(block: Uint8Array): number {
  let length = 0;
  for (let i = 0; i < MAX_PREAMBLE_BYTES; i++) {
    const byte = block[i];
    if (byte === undefined) break;
    length += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return length;
  }
  throw corrupt('snappy', 'length of a block is cut off or too long');
}
