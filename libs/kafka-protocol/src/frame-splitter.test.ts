import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameSplitter } from './frame-splitter.ts';
import { EAGER_FRAME_BYTES } from './limits.ts';
import { ProtocolError } from './protocol-error.ts';
import { hex } from './testing/hex.ts';
import { refusal } from './testing/refusal.ts';

function framed(payload: Uint8Array): Buffer {
  const size = Buffer.alloc(4);
  size.writeInt32BE(payload.length);
  return Buffer.concat([size, payload]);
}

/** Cuts the bytes at the places given. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  const chunks: Buffer[] = [];
  let from = 0;
  for (const end of [...ends, bytes.length]) {
    chunks.push(bytes.subarray(from, end));
    from = end;
  }
  return chunks;
}

const always =
  <T>(value: T) =>
  (): T =>
    value;

const payloads = fc.array(fc.uint8Array({ maxLength: 60, size: 'max' }), { maxLength: 8 });

describe('FrameSplitter', () => {
  it('F41: gives the same frames however the stream is cut', () => {
    fc.assert(
      fc.property(payloads, fc.array(fc.nat(), { maxLength: 30 }), (sent, places) => {
        const splitter = new FrameSplitter();
        const got: string[] = [];
        for (const chunk of cut(Buffer.concat(sent.map(framed)), places)) {
          splitter.push(chunk, (frame) => got.push(Buffer.from(frame).toString('hex')));
        }
        expect(got).toEqual(sent.map((payload) => Buffer.from(payload).toString('hex')));
        expect(splitter.pendingBytes).toBe(0);
      }),
    );
  });

  it('F41: gives the same frames when all are put together in the same memory', () => {
    fc.assert(
      fc.property(payloads, fc.array(fc.nat(), { maxLength: 30 }), (sent, places) => {
        const kept = Buffer.alloc(64);
        const splitter = new FrameSplitter({ memory: () => kept });
        const got: string[] = [];
        for (const chunk of cut(Buffer.concat(sent.map(framed)), places)) {
          splitter.push(chunk, (frame) => got.push(Buffer.from(frame).toString('hex')));
        }
        expect(got).toEqual(sent.map((payload) => Buffer.from(payload).toString('hex')));
      }),
    );
  });

  it('a frame that grows keeps what it has, in the same memory or in other', () => {
    const size = EAGER_FRAME_BYTES * 3 + 5;
    const sent = framed(Buffer.alloc(size, 'abcdefg'));
    for (const memory of [(bytes: number) => Buffer.alloc(bytes), always(Buffer.alloc(size))]) {
      const splitter = new FrameSplitter({ memory });
      const got: Buffer[] = [];
      for (let at = 0; at < sent.length; at += 999_983) {
        splitter.push(sent.subarray(at, at + 999_983), (frame) => got.push(Buffer.from(frame)));
      }
      expect(got.map((frame) => frame.equals(sent.subarray(4)))).toEqual([true]);
    }
  });

  it('F41: gives the same frames when the socket reads into the room of the frame', () => {
    fc.assert(
      fc.property(payloads, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (sent, reads) => {
        const splitter = new FrameSplitter();
        const got: string[] = [];
        const keep = (frame: Uint8Array): unknown => got.push(Buffer.from(frame).toString('hex'));
        const stream = Buffer.concat(sent.map(framed));
        for (let at = 0, turn = 0; at < stream.length; turn++) {
          const wanted = reads[turn % reads.length] as number;
          const room = splitter.room();
          const count = Math.min(wanted, stream.length - at, room?.length ?? wanted);
          if (room === null) splitter.push(stream.subarray(at, at + count), keep);
          else {
            stream.copy(room, 0, at, at + count);
            splitter.filled(count, keep);
          }
          at += count;
        }
        expect(got).toEqual(sent.map((payload) => Buffer.from(payload).toString('hex')));
      }),
    );
  });

  it('hands out a frame that lies whole in a chunk as a view of it, and says so', () => {
    const chunk = framed(Buffer.from('whole'));
    new FrameSplitter().push(chunk, (frame, borrowed) => {
      expect(frame.buffer).toBe(chunk.buffer);
      expect(borrowed).toBe(true);
    });
    const splitter = new FrameSplitter();
    const seen: boolean[] = [];
    splitter.push(chunk.subarray(0, 6), (_frame, borrowed) => seen.push(borrowed));
    splitter.push(chunk.subarray(6), (_frame, borrowed) => seen.push(borrowed));
    expect(seen).toEqual([false]);
  });

  it('F40: refuses a negative size at once', () => {
    expect(refusal(() => new FrameSplitter().push(hex('ffffffff'), () => {}))).toBe('FRAME_SIZE_NEGATIVE');
    expect(refusal(() => new FrameSplitter().push(hex('80000000'), () => {}))).toBe('FRAME_SIZE_NEGATIVE');
  });

  it('F40: refuses a size above the limit at once, and takes one at the limit', () => {
    const limited = (): FrameSplitter => new FrameSplitter({ maxFrameBytes: 100 });
    expect(refusal(() => new FrameSplitter().push(hex('7fffffff'), () => {}))).toBe('FRAME_TOO_LARGE');
    expect(refusal(() => limited().push(hex('00000065'), () => {}))).toBe('FRAME_TOO_LARGE');
    expect(refusal(() => limited().push(hex('00000064'), () => {}))).toBeNull();
  });

  it.each([
    ['GET / HTTP/1.1', 'HTTP request'],
    ['POST /x', 'HTTP request'],
    ['\x16\x03\x01\x02', 'TLS hello'],
  ])('F40: names the protocol that the first bytes give away: %j', (text, hint) => {
    const push = (): void => new FrameSplitter().push(Buffer.from(text, 'latin1'), () => {});
    expect(push).toThrow(ProtocolError);
    expect(push).toThrow(hint);
  });

  it('F41: keeps memory in proportion to the bytes that came, not to the size that was claimed', () => {
    const splitter = new FrameSplitter({ maxFrameBytes: 2 ** 30 });
    const size = Buffer.alloc(4);
    size.writeInt32BE(2 ** 29);
    splitter.push(size, () => {});
    expect(splitter.room()?.length).toBe(EAGER_FRAME_BYTES);
    splitter.push(new Uint8Array(EAGER_FRAME_BYTES), () => {});
    expect(splitter.pendingBytes).toBe(4 + EAGER_FRAME_BYTES);
    expect(splitter.room()?.length).toBe(EAGER_FRAME_BYTES);
  });

  it('gives a frame of known size its whole buffer when the size is read', () => {
    const payload = Buffer.alloc(1_048_588, 3);
    const splitter = new FrameSplitter();
    const stream = framed(payload);
    splitter.push(stream.subarray(0, 1000), () => {});
    expect(splitter.room()?.length).toBe(payload.length - 996);
    let frames = 0;
    splitter.push(stream.subarray(1000), (frame) => {
      frames++;
      expect(Buffer.compare(frame, payload)).toBe(0);
    });
    expect(frames).toBe(1);
  });

  it('joins a frame above the eager size unharmed', () => {
    const payload = Buffer.alloc(3 * EAGER_FRAME_BYTES + 17);
    for (let i = 0; i < payload.length; i += 1000) payload[i] = i % 251;
    const splitter = new FrameSplitter();
    const stream = framed(payload);
    const frames: Uint8Array[] = [];
    for (let at = 0; at < stream.length; at += 65_536) {
      splitter.push(stream.subarray(at, at + 65_536), (frame) => frames.push(frame));
    }
    expect(frames).toHaveLength(1);
    expect(Buffer.compare(frames[0] as Uint8Array, payload)).toBe(0);
  });
});
