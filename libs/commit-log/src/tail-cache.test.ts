import { RecordBatchWriter } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import type { TailBlock } from './tail-block.ts';
import { PartitionTail, TailCache } from './tail-cache.ts';

const BATCH_BYTES = 20_000;
/** Of the largest blocks, of which the cache in these stories holds three. */
const BATCHES_PER_BLOCK = 26;
const LIMIT_BYTES = 1_600_000;

function batch(fill: number): Uint8Array {
  const writer = new RecordBatchWriter({ maxBytes: 1_000_000 });
  writer.append(0, null, new Uint8Array(BATCH_BYTES).fill(fill));
  return Uint8Array.from(writer.seal({}));
}

/** What was placed last in the block. */
function lastIn(block: TailBlock): Uint8Array {
  return block.view(block.usedBytes - batch(0).length, block.usedBytes);
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
    place: () => lastIn(tail.place(batch(next), next, ++next)),
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
    const placed = lastIn(tail.place(given, 0, 1));
    given.fill(0xff);
    expect(Buffer.from(placed).equals(batch(7))).toBe(true);
  });

  it('holds no more than its limit', () => {
    const { cache, place, write } = story(LIMIT_BYTES);
    for (let offset = 0; offset < 400; offset += 1) {
      place();
      write(offset + 1);
      expect(cache.heldBytes).toBeLessThanOrEqual(LIMIT_BYTES);
    }
  });

  it('uses the memory of evicted blocks again', () => {
    const { place, write } = story(LIMIT_BYTES);
    const buffers = new Set<ArrayBufferLike>();
    for (let offset = 0; offset < 800; offset += 1) {
      buffers.add(place().buffer);
      write(offset + 1);
    }
    // The small ones of the beginning, and those that fit the limit.
    expect(buffers.size).toBeLessThan(12);
  });

  it('uses the memory of a partition that is gone, unless it is not written yet', () => {
    const cache = new TailCache(LIMIT_BYTES);
    const fill = (written: number): Set<ArrayBufferLike> => {
      const tail = new PartitionTail(cache, () => written);
      const buffers = new Set<ArrayBufferLike>();
      for (let offset = 0; offset < 60; offset += 1) {
        buffers.add(lastIn(tail.place(batch(offset), offset, offset + 1)).buffer);
      }
      tail.clear();
      expect(cache.heldBytes).toBe(0);
      return buffers;
    };
    const first = fill(60);
    const second = fill(0);
    expect(second.intersection(first).size).toBeGreaterThan(1);
    expect(fill(60).intersection(second).size).toBe(0);
  });

  it('leaves memory alone that a reader holds, until it lets go', () => {
    const { tail, place, write } = story(LIMIT_BYTES);
    for (let offset = 0; offset < 120; offset += 1) place();
    write(120);
    const block = tail.find(119);
    const view = block?.view(0, BATCH_BYTES) ?? new Uint8Array(0);
    const before = fillOf(view);
    block?.hold();
    for (let offset = 120; offset < 400; offset += 1) {
      place();
      write(offset + 1);
    }
    expect(tail.find(119)).toBeNull();
    expect(fillOf(view)).toBe(before);
    block?.release();
    for (let offset = 400; offset < 400 + BATCHES_PER_BLOCK * 4; offset += 1) {
      place();
      write(offset + 1);
    }
    expect(fillOf(view)).not.toBe(before);
  });

  it('leaves memory alone that is not written yet, however much is waiting', () => {
    const { place } = story(LIMIT_BYTES);
    const placed = Array.from({ length: 400 }, place);
    expect(placed.length * BATCH_BYTES).toBeGreaterThan(LIMIT_BYTES);
    expect(placed.map(fillOf)).toEqual(placed.map((_, offset) => offset & 0xff));
  });

  it('fills a block that the cache has no room for', () => {
    const { place, write } = story(10);
    const placed: Uint8Array[] = [];
    for (let offset = 0; offset < 20; offset += 1) placed.push(place());
    expect(placed.map(fillOf)).toEqual(placed.map((_, offset) => offset));
    write(20);
  });

  it('gives smaller blocks where more partitions are busy than it has large ones for', () => {
    const cache = new TailCache(LIMIT_BYTES);
    const tails = Array.from({ length: 20 }, () => new PartitionTail(cache, () => Number.MAX_SAFE_INTEGER));
    let next = 0;
    for (let round = 0; round < 200; round += 1) {
      for (const tail of tails) tail.place(batch(round), next, (next += 1));
    }
    // With the largest only, three partitions would have one.
    const inMemory = tails.filter((tail, index) => tail.find(next - tails.length + index) !== null);
    expect(inMemory.length).toBeGreaterThan(tails.length / 2);
  });
});
