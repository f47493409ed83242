import { RecordBatchWriter } from '@seatlog/kafka-protocol';
import { expect, it } from 'vitest';
import { PartitionTail, TailCache } from './tail-cache.ts';

it('holds no more than the bytes of a batch that came inside of a larger buffer, a Node Buffer too', () => {
  const writer = new RecordBatchWriter({ maxBytes: 100_000 });
  writer.append(0, null, new Uint8Array(20_000));
  const sealed = writer.seal({});
  const large = Buffer.alloc(1_000_000);
  large.set(sealed, 5000);
  const cache = new TailCache(10_000_000);
  const tail = new PartitionTail(cache);
  const placed = tail.place(large.subarray(5000, 5000 + sealed.length), 0, 1);
  expect(cache.heldBytes).toBe(sealed.length);
  large.fill(0xff);
  expect(Buffer.from(placed).equals(sealed)).toBe(true);
});
