/**
 * LZ4 in its frame format. Writing is the package's: independent blocks, no content size, no checksums (the batch has
 * its own), which every Kafka client reads. Reading walks the frame here and hands single blocks to the package,
 * because only so each block's size can be bounded before memory is taken.
 *
 * Read are all frames that clients write: content size or none, block and content checksums or none (skipped: the
 * batch's checksum has covered these bytes), independent or linked blocks, stored blocks.
 */
import { compressFrameSync, uncompressSync } from 'lz4-napi';
import { corrupt, tooLarge } from './decompression-error.ts';

const MAGIC = 0x184d_2204;
const VERSION = 1;
const STORED_BIT = 0x8000_0000;
const WINDOW_BYTES = 64 * 1024;
/** Most bytes that one byte of a block can stand for. */
const MAX_RATIO = 255;
const CHECKSUM_BYTES = 4;

export function compressLz4(bytes: Uint8Array): Uint8Array {
  return compressFrameSync(asBuffer(bytes), {});
}

interface FrameDescriptor {
  readonly linkedBlocks: boolean;
  readonly blockChecksums: boolean;
  readonly maxBlockBytes: number;
  readonly contentSize: number | null;
  /** Where the first block begins. */
  readonly end: number;
}

export function decompressLz4(bytes: Uint8Array, maxBytes: number): Uint8Array {
  const frame = asBuffer(bytes);
  const descriptor = readDescriptor(frame);
  if (descriptor.contentSize !== null && descriptor.contentSize > maxBytes) throw tooLarge(maxBytes);
  const parts: Uint8Array[] = [];
  let total = 0;
  let at = descriptor.end;
  for (;;) {
    if (frame.length - at < 4) throw corrupt('lz4', 'frame has no end mark');
    const word = frame.readUInt32LE(at);
    at += 4;
    if (word === 0) break;
    const size = word & ~STORED_BIT;
    if (size > frame.length - at || size > descriptor.maxBlockBytes) {
      throw corrupt('lz4', `block of ${size} bytes where ${frame.length - at} are left`);
    }
    const block = frame.subarray(at, at + size);
    const stored = word >= STORED_BIT;
    const part = stored
      ? storedBlock(block, maxBytes - total, maxBytes)
      : expandBlock(block, descriptor, lastWindow(descriptor, parts), maxBytes - total, maxBytes);
    total += part.length;
    parts.push(part);
    at += size + (descriptor.blockChecksums ? CHECKSUM_BYTES : 0);
  }
  return Buffer.concat(parts, total);
}

function readDescriptor(frame: Buffer): FrameDescriptor {
  if (frame.length < 7 || frame.readUInt32LE(0) !== MAGIC) throw corrupt('lz4', 'no frame magic');
  const flags = frame.readUInt8(4);
  if (flags >>> 6 !== VERSION) throw corrupt('lz4', `frame version ${flags >>> 6}`);
  if ((flags & 0x01) !== 0) throw corrupt('lz4', 'frame asks for a dictionary');
  const sizeCode = (frame.readUInt8(5) >>> 4) & 0x07;
  if (sizeCode < 4) throw corrupt('lz4', `block size code ${sizeCode}`);
  const hasContentSize = (flags & 0x08) !== 0;
  const headerChecksumAt = 6 + (hasContentSize ? 8 : 0);
  if (frame.length < headerChecksumAt + 1) throw corrupt('lz4', 'frame header is cut off');
  return {
    linkedBlocks: (flags & 0x20) === 0,
    blockChecksums: (flags & 0x10) !== 0,
    maxBlockBytes: 1 << (8 + 2 * sizeCode),
    contentSize: hasContentSize ? frame.readUInt32LE(6) + frame.readUInt32LE(10) * 2 ** 32 : null,
    end: headerChecksumAt + 1,
  };
}

function storedBlock(block: Uint8Array, room: number, maxBytes: number): Uint8Array {
  if (block.length > room) throw tooLarge(maxBytes);
  return block;
}

function expandBlock(
  block: Uint8Array,
  descriptor: FrameDescriptor,
  window: Buffer | undefined,
  room: number,
  maxBytes: number,
): Uint8Array {
  const possible = Math.min(descriptor.maxBlockBytes, block.length * MAX_RATIO);
  const bound = Math.min(possible, room);
  // The package takes the bound from the four bytes in front, and gives back what really came out.
  const sized = Buffer.allocUnsafe(4 + block.length);
  sized.writeUInt32LE(bound, 0);
  sized.set(block, 4);
  try {
    return uncompressSync(sized, window);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (bound < possible && reason.includes('too small')) throw tooLarge(maxBytes);
    throw corrupt('lz4', reason);
  }
}

/** Linked blocks may refer to the 64 KiB before them. */
function lastWindow(descriptor: FrameDescriptor, parts: readonly Uint8Array[]): Buffer | undefined {
  if (!descriptor.linkedBlocks || parts.length === 0) return undefined;
  const kept: Uint8Array[] = [];
  let length = 0;
  for (let i = parts.length - 1; i >= 0 && length < WINDOW_BYTES; i--) {
    const part = parts[i] as Uint8Array;
    kept.unshift(part);
    length += part.length;
  }
  const joined = Buffer.concat(kept, length);
  return joined.subarray(Math.max(0, length - WINDOW_BYTES));
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
