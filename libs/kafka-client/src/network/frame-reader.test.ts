import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameReader } from './frame-reader.ts';

const LIMIT = 200_000;

function stream(frames: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    frames.flatMap((frame) => {
      const size = Buffer.alloc(4);
      size.writeInt32BE(frame.length);
      return [size, frame];
    }),
  );
}

function feed(reader: FrameReader, bytes: Uint8Array, largestRead: number): void {
  for (let position = 0; position < bytes.length; ) {
    const target = reader.target();
    const length = Math.min(largestRead, target.length, bytes.length - position);
    target.set(bytes.subarray(position, position + length));
    reader.advance(length);
    position += length;
  }
}

const frameOf = (length: number, seed: number) =>
  Uint8Array.from({ length }, (_, i) => (i * 31 + seed) & 0xff);

describe('frame reader', () => {
  it('gives the same frames however the stream is cut', () => {
    const sizes = fc.oneof(
      fc.integer({ min: 0, max: 300 }),
      fc.integer({ min: 16_000, max: 17_000 }),
      fc.constant(150_000),
    );
    fc.assert(
      fc.property(
        fc.array(sizes, { maxLength: 12 }),
        fc.integer({ min: 1, max: 70_000 }),
        (lengths, largestRead) => {
          const frames = lengths.map((length, index) => frameOf(length, index));
          const seen: Uint8Array[] = [];
          const reader = new FrameReader(LIMIT, (frame) => seen.push(frame));
          feed(reader, stream(frames), Math.max(largestRead, lengths.includes(150_000) ? 500 : 1));
          expect(seen.length).toBe(frames.length);
          seen.forEach((frame, index) => expect(Buffer.compare(frame, frames[index]!)).toBe(0));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('gives each frame a buffer of its own', () => {
    const seen: Uint8Array[] = [];
    const reader = new FrameReader(LIMIT, (frame) => seen.push(frame));
    feed(reader, stream([frameOf(100, 1), frameOf(100, 2)]), 1000);
    feed(reader, stream([frameOf(100, 3)]), 1000);
    expect(seen.map((frame) => frame[0])).toEqual([1, 2, 3]);
  });

  it.each([-1, LIMIT + 1, 0x7fffffff])('F40: refuses a frame of %i bytes', (size) => {
    const reader = new FrameReader(LIMIT, () => undefined);
    const bytes = Buffer.alloc(8);
    bytes.writeInt32BE(size);
    expect(() => feed(reader, bytes, 8)).toThrow('frame size');
  });
});
