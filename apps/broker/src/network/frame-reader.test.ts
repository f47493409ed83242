import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameMemory } from './frame-memory.ts';
import { FrameError, FrameReader, type FrameSink } from './frame-reader.ts';

const LIMIT = 200_000;

function frame(body: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(4 + body.length);
  new DataView(bytes.buffer).setInt32(0, body.length);
  bytes.set(body, 4);
  return bytes;
}

/** Feeds bytes as a socket would: into the frame's own memory where there is some, else through a shared buffer. */
function feed(reader: FrameReader, bytes: Uint8Array, readSizes: readonly number[]): void {
  const shared = new Uint8Array(4096);
  let position = 0;
  for (let turn = 0; position < bytes.length; turn += 1) {
    const target = reader.receiveInto ?? shared;
    const wanted = readSizes[turn % readSizes.length] ?? 1;
    const length = Math.min(wanted, target.length, bytes.length - position);
    target.set(bytes.subarray(position, position + length));
    if (target === shared) reader.receive(shared, length);
    else reader.received(length);
    position += length;
  }
}

/** Takes each frame as it comes, with what gives its memory back. */
function sink(take: (bytes: Uint8Array, release: () => void) => void): FrameSink {
  return {
    passed: (frame) => take(frame, () => {}),
    arrived: (lease) => take(lease.bytes, () => lease.release()),
  };
}

const nobody = sink(() => {});

describe('FrameReader', () => {
  it('gives the same frames however the bytes are cut', () => {
    const bodies = fc.array(fc.uint8Array({ minLength: 0, maxLength: 70_000, size: 'max' }), {
      maxLength: 6,
    });
    const cuts = fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(bodies, cuts, fc.boolean(), (sent, readSizes, release) => {
        const got: string[] = [];
        const taken = sink((bytes, giveBack) => {
          got.push(Buffer.from(bytes).toString('hex'));
          if (release) giveBack();
        });
        const reader = new FrameReader(new FrameMemory(), LIMIT, taken);
        feed(reader, Buffer.concat(sent.map(frame)), readSizes);
        expect(got).toEqual(sent.map((body) => Buffer.from(body).toString('hex')));
        expect(reader.isInsideFrame).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  it('keeps frames apart that are held at the same time', () => {
    const held: Uint8Array[] = [];
    const reader = new FrameReader(
      new FrameMemory(),
      LIMIT,
      sink((bytes) => held.push(bytes)),
    );
    const sent = Array.from({ length: 40 }, (_, index) => new Uint8Array(20_000).fill(index));
    feed(reader, Buffer.concat(sent.map(frame)), [4096]);
    expect(held.map((bytes) => [bytes.length, bytes[0], bytes.at(-1)])).toEqual(
      sent.map((body) => [body.length, body[0], body.at(-1)]),
    );
  });

  it('gives nothing more once it is discarded, not even of the bytes at hand', () => {
    const got: number[] = [];
    const reader: FrameReader = new FrameReader(
      new FrameMemory(),
      LIMIT,
      sink(([first = -1]) => {
        got.push(first);
        if (first === 2) reader.discard();
      }),
    );
    const bytes = Buffer.concat([1, 2, 3].map((first) => frame(Uint8Array.of(first))));
    reader.receive(bytes, bytes.length);
    expect(got).toEqual([1, 2]);
  });

  it.each([
    ['a negative size', [0xff, 0xff, 0xff, 0xff], 'FRAME_SIZE_NEGATIVE'],
    ['the largest size', [0x7f, 0xff, 0xff, 0xff], 'FRAME_TOO_LARGE'],
    ['an HTTP request', [0x47, 0x45, 0x54, 0x20], 'FRAME_TOO_LARGE'],
    ['a TLS hello', [0x16, 0x03, 0x01, 0x02], 'FRAME_TOO_LARGE'],
  ])('F40: refuses %s as soon as its four bytes are there', (_name, bytes, code) => {
    const reader = new FrameReader(new FrameMemory(), LIMIT, nobody);
    expect(() => reader.receive(Uint8Array.from(bytes), 4)).toThrow(
      expect.objectContaining({ name: 'FrameError', code }) as FrameError,
    );
  });

  it('F41: a size alone gets no memory, and a partial frame memory in proportion to what arrived', () => {
    const leased: number[] = [];
    const memory = new FrameMemory();
    const recording = Object.assign(Object.create(memory) as FrameMemory, {
      lease: (size: number) => {
        leased.push(size);
        return memory.lease(size);
      },
    });
    const reader = new FrameReader(recording, 100_000_000, nobody);
    reader.receive(Uint8Array.from([0x05, 0xf5, 0xe1, 0x00]), 4);
    expect(leased).toEqual([]);
    reader.receive(new Uint8Array(100), 100);
    expect(leased).toEqual([1600]);
    expect(reader.isInsideFrame).toBe(true);
  });
});

describe('FrameMemory', () => {
  it('uses memory again once all frames in it are released, and bounds what it keeps', () => {
    const memory = new FrameMemory();
    const leases = Array.from({ length: 20 }, () => memory.lease(3 * 1024 * 1024));
    expect(memory.idleBytes).toBe(0);
    for (const lease of leases) lease.release();
    expect(memory.idleBytes).toBe(32 * 1024 * 1024);
    const buffers = new Set(leases.map((lease) => lease.bytes.buffer));
    expect(buffers.has(memory.lease(2_500_000).bytes.buffer)).toBe(true);
  });

  it('never carves from a slab that still has a frame in use', () => {
    const memory = new FrameMemory();
    const held = memory.lease(60_000);
    held.bytes.fill(7);
    for (let round = 0; round < 50; round += 1) {
      const other = memory.lease(60_000);
      other.bytes.fill(1);
      other.release();
    }
    expect(held.bytes.every((byte) => byte === 7)).toBe(true);
  });
});
