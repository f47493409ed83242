import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchStateAt, batchesIn, scanBatches } from './batch-scan.ts';
import { MAGIC_AT } from './batch-header.ts';
import { RecordBatchWriter } from './record-batch-writer.ts';

function batches(sizes: readonly number[]): Buffer[] {
  return sizes.map((size) => {
    const writer = new RecordBatchWriter();
    writer.append(1, null, 'x'.repeat(size));
    return Buffer.from(writer.seal());
  });
}

function positions(bytes: Uint8Array, verifyCrc = false): { at: number[]; end: number; tail: string } {
  const at: number[] = [];
  const scan = scanBatches(bytes, (position) => void at.push(position), { verifyCrc });
  return { at, ...scan };
}

describe('scanBatches', () => {
  it('K8: stops at the last whole batch, wherever the bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 300 }), { minLength: 1, maxLength: 5 }),
        fc.nat(),
        (sizes, place) => {
          const all = batches(sizes);
          const bytes = Buffer.concat(all);
          const length = place % (bytes.length + 1);
          const starts = all.map((_, i) => all.slice(0, i).reduce((sum, batch) => sum + batch.length, 0));
          const whole = starts.filter((start, i) => start + (all[i] as Buffer).length <= length);
          const end = whole.length === all.length ? bytes.length : (starts[whole.length] as number);
          const seen = positions(bytes.subarray(0, length));
          expect(seen).toEqual({ at: whole, end, tail: length === end ? 'whole' : 'torn' });
          expect([...batchesIn(bytes.subarray(0, length))].map((batch) => batch.length)).toEqual(
            all.slice(0, whole.length).map((batch) => batch.length),
          );
        },
      ),
    );
  });

  it('K8: tells bytes that cannot be a batch from one that is cut off', () => {
    const [one, other] = batches([10, 20]) as [Buffer, Buffer];
    other[MAGIC_AT] = 0;
    expect(positions(Buffer.concat([one, other]))).toEqual({ at: [0], end: one.length, tail: 'invalid' });
    expect(positions(Buffer.concat([one, Buffer.alloc(100)]))).toEqual({
      at: [0],
      end: one.length,
      tail: 'invalid',
    });
    expect(batchStateAt(Buffer.alloc(60), 0)).toBe('torn');
  });

  it('K8: finds a damaged batch by its checksum only when it is asked to', () => {
    const [one, other] = batches([10, 20]) as [Buffer, Buffer];
    other[70] = (other[70] as number) ^ 1;
    const bytes = Buffer.concat([one, other]);
    expect(positions(bytes).tail).toBe('whole');
    expect(positions(bytes, true)).toEqual({ at: [0], end: one.length, tail: 'invalid' });
  });

  it('stops where it is told to, and keeps to its range', () => {
    const all = batches([5, 5, 5]);
    const bytes = Buffer.concat(all);
    const [first, second] = all as [Buffer, Buffer];
    expect(scanBatches(bytes, () => false)).toEqual({ end: 0, tail: 'whole' });
    const seen: number[] = [];
    const scan = scanBatches(bytes, (position) => void seen.push(position), {
      start: first.length,
      end: first.length + second.length,
    });
    expect(seen).toEqual([first.length]);
    expect(scan).toEqual({ end: first.length + second.length, tail: 'whole' });
  });
});
