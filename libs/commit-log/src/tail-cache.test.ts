import { RecordBatchWriter } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { PartitionTail, TailCache } from './tail-cache.ts';

const BATCH_BYTES = 20_000;
const BATCHES_PER_BLOCK = 6;

function batch(fill: number): Uint8Array {
  const writer = new RecordBatchWriter({ maxBytes: 1_000_000 });
  writer.append(0, null, new Uint8Array(BATCH_BYTES).fill(fill));
  return Uint8Array.from(writer.seal({}));
}

interface Story {
  readonly cache: TailCache;
  readonly tail: PartitionTail;
  /** Places the next batch, filled with its offset. */
  place(): Uint8Array;
  write(upTo: number): void;
}

function story(limitBytes: number): Story {
  const cache = new TailCache(limitBytes);
  let written = 0;
  let next = 0;
  const tail = new PartitionTail(cache, () => written);
  return {
    cache,
    tail,
    place: () => tail.place(batch(next), next, ++next),
    write: (upTo) => {
      written = upTo;
    },
  };
}

const fillOf = (bytes: Uint8Array): number => bytes.at(-100) ?? -1;

describe('PartitionTail', () => {
  it('copies what it is given: the caller may use its memory again', () => {
    const { tail } = story(1_000_000);
    const given = batch(7);
    const placed = tail.place(given, 0, 1);
    given.fill(0xff);
    expect(Buffer.from(placed).equals(batch(7))).toBe(true);
  });

  it('holds no more than its limit', () => {
    const { cache, place, write } = story(400_000);
    for (let offset = 0; offset < 100; offset += 1) {
      place();
      write(offset + 1);
      expect(cache.heldBytes).toBeLessThanOrEqual(400_000);
    }
  });

  it('uses the memory of evicted blocks again', () => {
    const { place, write } = story(400_000);
    const buffers = new Set<ArrayBufferLike>();
    for (let offset = 0; offset < 200; offset += 1) {
      buffers.add(place().buffer);
      write(offset + 1);
    }
    // The small ones of the beginning, and those that fit the limit.
    expect(buffers.size).toBeLessThan(12);
  });

  it('leaves memory alone that a reader holds, until it lets go', () => {
    const { tail, place, write } = story(400_000);
    for (let offset = 0; offset < 30; offset += 1) place();
    write(30);
    const block = tail.find(29);
    const view = block?.view(0, BATCH_BYTES) ?? new Uint8Array(0);
    const before = fillOf(view);
    block?.hold();
    for (let offset = 30; offset < 100; offset += 1) {
      place();
      write(offset + 1);
    }
    expect(tail.find(29)).toBeNull();
    expect(fillOf(view)).toBe(before);
    block?.release();
    for (let offset = 100; offset < 100 + BATCHES_PER_BLOCK * 4; offset += 1) {
      place();
      write(offset + 1);
    }
    expect(fillOf(view)).not.toBe(before);
  });

  it('leaves memory alone that is not written yet, however much is waiting', () => {
    const { place } = story(400_000);
    const placed = Array.from({ length: 100 }, place);
    expect(placed.map(fillOf)).toEqual(placed.map((_, offset) => offset));
  });

  it('fills a block that the cache has no room for', () => {
    const { place, write } = story(10);
    const placed: Uint8Array[] = [];
    for (let offset = 0; offset < 20; offset += 1) placed.push(place());
    expect(placed.map(fillOf)).toEqual(placed.map((_, offset) => offset));
    write(20);
  });
});
