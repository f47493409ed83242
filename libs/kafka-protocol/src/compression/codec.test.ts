import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { compressSync as rawSnappy } from 'snappy';
import { compressFrameSync } from 'lz4-napi';
import { describe, expect, it } from 'vitest';
import { hex, toHex } from '../testing/hex.ts';
import { refusal } from '../testing/refusal.ts';
import {
  Compression,
  type CompressionName,
  compress,
  compressionName,
  decompress,
  isKnownCompression,
} from './codec.ts';

const MEGABYTE = 1024 * 1024;
const NAMES = ['gzip', 'snappy', 'lz4', 'zstd'] as const;

/** Bytes that shrink, over several blocks of every format. */
const repetitive = Buffer.from('seat A-1 is held by someone; '.repeat(20_000));

describe.each(NAMES)('K14: %s', (name) => {
  const codec = Compression[name];

  it('gives back what went in', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000, size: 'max' }), (bytes) => {
        expect(toHex(decompress(codec, compress(codec, bytes), MEGABYTE))).toBe(toHex(bytes));
      }),
    );
    const shrunk = compress(codec, repetitive);
    expect(shrunk.length).toBeLessThan(repetitive.length / 5);
    expect(Buffer.compare(decompress(codec, shrunk, repetitive.length), repetitive)).toBe(0);
  });

  it('reads bytes that lie inside a larger buffer', () => {
    const shrunk = compress(codec, repetitive.subarray(0, 5000));
    const surrounded = Buffer.concat([Buffer.alloc(13, 0xaa), shrunk, Buffer.alloc(7, 0xbb)]);
    const inside = new Uint8Array(surrounded.buffer, surrounded.byteOffset + 13, shrunk.length);
    expect(toHex(decompress(codec, inside, MEGABYTE))).toBe(toHex(repetitive.subarray(0, 5000)));
  });

  it('F44: stops a bomb at the limit', () => {
    const bomb = compress(codec, Buffer.alloc(32 * MEGABYTE));
    expect(bomb.length).toBeLessThan(2 * MEGABYTE);
    expect(refusal(() => decompress(codec, bomb, MEGABYTE))).toBe('DECOMPRESSED_TOO_LARGE');
    expect(refusal(() => decompress(codec, bomb, 32 * MEGABYTE - 1))).toBe('DECOMPRESSED_TOO_LARGE');
    expect(decompress(codec, bomb, 32 * MEGABYTE)).toHaveLength(32 * MEGABYTE);
  });

  it('refuses a cut end', () => {
    const shrunk = compress(codec, repetitive);
    for (const length of [0, 1, 8, 16, 17, 40, shrunk.length >> 1, shrunk.length - 1]) {
      expect(
        refusal(() => decompress(codec, shrunk.subarray(0, length), MEGABYTE)),
        `${length}`,
      ).toBe(name === 'snappy' && length === 16 ? null : 'COMPRESSED_DATA_CORRUPT');
    }
  });

  it('F44: answers damaged bytes with an error of its own, and never above the limit', () => {
    const shrunk = compress(codec, repetitive.subarray(0, 4000));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 4 }),
        (changes) => {
          const damaged = Buffer.from(shrunk);
          for (const [at, byte] of changes) damaged[at % damaged.length] = byte;
          let length = 0;
          const code = refusal(() => {
            length = decompress(codec, damaged, 100_000).length;
          });
          expect([null, 'COMPRESSED_DATA_CORRUPT', 'DECOMPRESSED_TOO_LARGE']).toContain(code);
          expect(length).toBeLessThanOrEqual(100_000);
        },
      ),
    );
  });
});

describe('codec numbers', () => {
  it('are those of the batch attributes', () => {
    expect([0, 1, 2, 3, 4].map(compressionName)).toEqual(['none', ...NAMES] satisfies CompressionName[]);
    expect([-1, 0, 4, 5, 7].map(isKnownCompression)).toEqual([false, true, true, false, false]);
    for (const act of [
      () => compressionName(5),
      () => compress(6, repetitive),
      () => decompress(7, repetitive, 1),
    ]) {
      expect(refusal(act)).toBe('UNKNOWN_COMPRESSION');
    }
  });
});

describe('gzip and zstd', () => {
  it('are read as other writers leave them', () => {
    const level9 = gzipSync(repetitive, { level: 9 });
    expect(decompress(Compression.gzip, level9, MEGABYTE)).toHaveLength(repetitive.length);
    expect(decompress(Compression.zstd, zstdCompressSync(repetitive), MEGABYTE)).toHaveLength(
      repetitive.length,
    );
  });
});

describe('snappy', () => {
  const block = '0f 38 73656174732061726520686572650a'; // 15 bytes as one literal, "seats are here\n"

  it('is framed as the Java library frames it: magic, two versions, sized blocks', () => {
    expect(toHex(compress(Compression.snappy, Buffer.from('seats are here\n')))).toBe(
      toHex(hex(`82534e4150505900 00000001 00000001 00000011 ${block}`)),
    );
  });

  it('is read in several blocks, and raw', () => {
    const framed = hex(`82534e4150505900 00000001 00000001 00000011 ${block} 00000011 ${block}`);
    expect(Buffer.from(decompress(Compression.snappy, framed, 100)).toString()).toBe(
      'seats are here\nseats are here\n',
    );
    expect(Buffer.from(decompress(Compression.snappy, hex(block), 100)).toString()).toBe('seats are here\n');
    const raw = rawSnappy(repetitive);
    expect(decompress(Compression.snappy, raw, MEGABYTE)).toHaveLength(repetitive.length);
  });

  it('F44: refuses a block by the length it claims, before anything is made for it', () => {
    expect(refusal(() => decompress(Compression.snappy, hex('ffffffff0f 00'), MEGABYTE))).toBe(
      'DECOMPRESSED_TOO_LARGE',
    );
    expect(refusal(() => decompress(Compression.snappy, hex('80800400'), MEGABYTE))).toBe(
      'COMPRESSED_DATA_CORRUPT',
    );
    const second = hex(`82534e4150505900 00000001 00000001 00000011 ${block} 00000011 ${block}`);
    expect(refusal(() => decompress(Compression.snappy, second, 29))).toBe('DECOMPRESSED_TOO_LARGE');
  });

  it.each(['00000000', 'ffffffff', '7fffffff', '00000012'])('refuses a block of size %s', (size) => {
    const bytes = hex(`82534e4150505900 00000001 00000001 ${size} ${block}`);
    expect(refusal(() => decompress(Compression.snappy, bytes, MEGABYTE))).toBe('COMPRESSED_DATA_CORRUPT');
  });
});

describe('lz4', () => {
  const stored = '0f000080 73656174732061726520686572650a'; // 15 bytes as they are
  const end = '00000000';
  const text = (bytes: string): string =>
    Buffer.from(decompress(Compression.lz4, hex(bytes), MEGABYTE)).toString();

  it('is written as independent blocks without size and checksums, which every client reads', () => {
    const frame = Buffer.from(compress(Compression.lz4, repetitive));
    expect(frame.readUInt32LE(0)).toBe(0x184d2204);
    expect(frame.readUInt8(4)).toBe(0b0110_0000);
    expect(frame.readUInt32LE(frame.length - 4)).toBe(0);
  });

  it('is read with and without content size, block and content checksums', () => {
    expect(text(`04224d18 60 40 82 ${stored} ${end}`)).toBe('seats are here\n');
    expect(text(`04224d18 68 40 0f00000000000000 a8 ${stored} ${end}`)).toBe('seats are here\n');
    expect(text(`04224d18 70 40 00 ${stored} 01020304 ${stored} 01020304 ${end}`)).toBe(
      'seats are here\n'.repeat(2),
    );
    expect(text(`04224d18 64 40 a7 ${stored} ${end} 01020304`)).toBe('seats are here\n');
    const checked = compressFrameSync(repetitive, { contentChecksum: true, blockChecksums: true });
    expect(decompress(Compression.lz4, checked, MEGABYTE)).toHaveLength(repetitive.length);
  });

  it('is read with blocks that refer to the one before', () => {
    // No literals and a match of 15 bytes, 15 bytes back; then five literals, with which a block has to end.
    const linked = '09000000 0b 0f00 50 2121212121';
    expect(text(`04224d18 40 40 c0 ${stored} ${linked} ${end}`)).toBe(
      'seats are here\nseats are here\n!!!!!',
    );
  });

  it('F44: refuses a content size above the limit at once', () => {
    const bytes = hex(`04224d18 68 40 0000100000000000 00 ${stored} ${end}`);
    expect(refusal(() => decompress(Compression.lz4, bytes, MEGABYTE - 1))).toBe('DECOMPRESSED_TOO_LARGE');
    expect(refusal(() => decompress(Compression.lz4, hex(`04224d18 60 40 82 ${stored} ${end}`), 14))).toBe(
      'DECOMPRESSED_TOO_LARGE',
    );
  });

  it.each([
    ['05224d18 60 40 82 00000000', 'another magic'],
    ['04224d18 20 40 82 00000000', 'another version'],
    ['04224d18 61 40 00000000 82 00000000', 'a dictionary'],
    ['04224d18 60 30 82 00000000', 'an unknown block size'],
    ['04224d18 60 40 82 ffffff7f 00', 'a block beyond the frame'],
    [`04224d18 60 40 82 ${stored}`, 'no end mark'],
  ])('refuses %s: %s', (bytes) => {
    expect(refusal(() => decompress(Compression.lz4, hex(bytes), MEGABYTE))).toBe('COMPRESSED_DATA_CORRUPT');
  });
});
