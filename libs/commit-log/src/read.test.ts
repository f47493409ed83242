import { batchBaseOffset } from '@seatlog/kafka-protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogRead } from './partition-log.ts';
import { testBatch } from './testing/test-batch.ts';
import {
  openTestDirectory,
  type TestDirectory,
  type TestDirectoryOptions,
} from './testing/test-directory.ts';

function basesOf(read: LogRead): number[] {
  const bases: number[] = [];
  for (const bytes of read.records) {
    for (
      let at = 0;
      at < bytes.length;
      at += new DataView(bytes.buffer, bytes.byteOffset).getInt32(at + 8) + 12
    ) {
      bases.push(batchBaseOffset(bytes, at));
    }
  }
  return bases;
}

/** Ten batches of two offsets and 100 bytes each. */
function filled(options: TestDirectoryOptions = {}): TestDirectory {
  const test = openTestDirectory(options);
  for (let round = 0; round < 10; round += 1) test.append(test.log(), testBatch({ count: 2, fill: round }));
  return test;
}

const CACHED: TestDirectoryOptions = {};
const FROM_FILES: TestDirectoryOptions = { limits: { tailCacheBytes: 0 } };

describe.each([
  ['memory', CACHED],
  ['files', FROM_FILES],
])('a read from %s', (place, options) => {
  it('begins with the batch that holds the offset, whole', () => {
    const log = filled(options).log();
    const read = log.read(5, { maxBytes: 250, upperBound: 20 });
    expect([basesOf(read), read.nextOffset, read.sizeBytes]).toEqual([[4, 6], 8, 200]);
    expect(read.cachedBytes).toBe(place === 'memory' ? 200 : 0);
  });

  it('K7: crosses segments unseen', () => {
    const test = filled({ ...options, config: { segmentBytes: 250 } });
    expect(test.log().describeSegments()).toHaveLength(5);
    const read = test.log().read(3, { maxBytes: 10_000, upperBound: 20 });
    expect(basesOf(read)).toEqual([2, 4, 6, 8, 10, 12, 14, 16, 18]);
  });

  it('K7: carries one whole batch however small the limit, if it is asked to', () => {
    const test = filled(options);
    test.append(test.log(), testBatch({ size: 300_000 }));
    const upperBound = 21;
    expect(basesOf(test.log().read(20, { maxBytes: 1, upperBound }))).toEqual([20]);
    expect(basesOf(test.log().read(0, { maxBytes: 1, upperBound }))).toEqual([0]);
    const none = test.log().read(6, { maxBytes: 99, upperBound, minOneBatch: false });
    expect([none.records, none.nextOffset, none.sizeBytes]).toEqual([[], 6, 0]);
    expect(basesOf(test.log().read(6, { maxBytes: 100, upperBound, minOneBatch: false }))).toEqual([6]);
  });

  it('gives no batch that reaches the bound', () => {
    const log = filled(options).log();
    const read = (upperBound: number): number[] => basesOf(log.read(4, { maxBytes: 10_000, upperBound }));
    expect([read(4), read(5), read(6), read(9), read(10)]).toEqual([[], [], [4], [4, 6], [4, 6, 8]]);
    expect(read(1000)).toHaveLength(8);
  });

  it('R26: refuses offsets outside the log with OFFSET_OUT_OF_RANGE, and gives nothing at its end', () => {
    const log = filled(options).log();
    log.updateHighWatermark(20);
    log.deleteRecordsBefore(3);
    const at = (offset: number) => () => log.read(offset, { maxBytes: 1, upperBound: 20 });
    expect(at(2)).toThrow(expect.objectContaining({ code: 'OFFSET_OUT_OF_RANGE', kafkaErrorCode: 1 }));
    expect(at(21)).toThrow(expect.objectContaining({ code: 'OFFSET_OUT_OF_RANGE' }));
    expect(at(20)().records).toEqual([]);
    expect(basesOf(at(3)())).toEqual([2]);
  });
});

describe('reads', () => {
  it('see nothing that is queued or being written', () => {
    const test = filled();
    const log = test.log();
    test.files.completions = 'held';
    log.append(testBatch(), 0, () => undefined);
    test.turns.end();
    expect(() => log.read(21, { maxBytes: 1, upperBound: 99 })).toThrow(/outside \[0, 20\]/);
    expect(log.read(20, { maxBytes: 1000, upperBound: 99 }).records).toEqual([]);
  });

  it('F3: tell a batch that rotted, with file and position, and give what is good before it', () => {
    const test = filled({ ...FROM_FILES, config: { segmentBytes: 500 } });
    const log = test.log();
    test.files.tamper('/logs/seats-0/00000000000000000000.log', (contents) => {
      contents[390] = (contents[390] ?? 0) ^ 1;
      return contents;
    });
    const read = log.read(0, { maxBytes: 10_000, upperBound: 20 });
    expect(basesOf(read)).toEqual([0, 2, 4]);
    expect(() => log.read(read.nextOffset, { maxBytes: 10_000, upperBound: 20 })).toThrow(
      expect.objectContaining({
        code: 'LOG_CORRUPT',
        message: '/logs/seats-0/00000000000000000000.log at position 300: batch with bad checksum',
      }),
    );
    expect([log.failure?.code, test.failures.map((failure) => failure.code)]).toEqual([
      'LOG_CORRUPT',
      ['LOG_CORRUPT'],
    ]);
    expect(basesOf(log.read(10, { maxBytes: 150, upperBound: 20 })), 'the rest can be read').toEqual([10]);
    expect(log.append(testBatch(), 0, () => undefined).accepted, 'nothing is added to it').toBe(false);
  });

  it('F3: tell a damaged length or a file cut short as well', () => {
    for (const edit of [
      (contents: Uint8Array) => contents.fill(0, 100, 200),
      (contents: Uint8Array) => contents.fill(0x7f, 108, 112),
      (contents: Uint8Array) => contents.subarray(0, 150),
    ]) {
      const test = filled({ ...FROM_FILES });
      test.files.tamper('/logs/seats-0/00000000000000000000.log', (contents) => edit(contents).slice());
      expect(() => test.log().read(2, { maxBytes: 1, upperBound: 20 })).toThrow(
        /at position 100: batch with bad/,
      );
    }
  });

  describe('F3: of a log that was distrusted after rot was read', () => {
    const rotten = (distrusts: boolean): TestDirectory => {
      const test = filled({ ...FROM_FILES, config: { segmentBytes: 500 } });
      // All of it is synced, and vouched for.
      const before = test.restart();
      before.files.tamper('/logs/seats-0/00000000000000000000.log', (contents) => {
        contents[390] = (contents[390] ?? 0) ^ 1;
        return contents;
      });
      expect(() => before.log().read(6, { maxBytes: 10_000, upperBound: 20 })).toThrow(/bad checksum/);
      if (distrusts) before.log().distrust();
      return before.restart();
    };

    it('the next start ends the log before the rot, as one that may have lost records', () => {
      const test = rotten(true);
      expect([test.log().logEndOffset, test.log().failure]).toEqual([6, null]);
      expect(test.directory.previousBrokerEpoch).toBeNull();
      expect(basesOf(test.log().read(0, { maxBytes: 10_000, upperBound: 20 }))).toEqual([0, 2, 4]);
    });

    it('without that the next start keeps what can still be read behind it', () => {
      const test = rotten(false);
      expect(test.log().logEndOffset).toBe(20);
      expect(basesOf(test.log().read(10, { maxBytes: 150, upperBound: 20 }))).toEqual([10]);
    });

    it('nothing is distrusted where no rot was read', () => {
      const test = filled({ ...FROM_FILES });
      test.log().distrust();
      expect(test.restart().log().logEndOffset).toBe(20);
    });
  });

  it('use buffers again once they are released', () => {
    const log = filled(FROM_FILES).log();
    const first = log.read(0, { maxBytes: 1000, upperBound: 20 });
    const buffer = first.records[0]?.buffer;
    first.release();
    first.release();
    const second = log.read(0, { maxBytes: 1000, upperBound: 20 });
    const third = log.read(0, { maxBytes: 1000, upperBound: 20 });
    expect(second.records[0]?.buffer).toBe(buffer);
    expect(third.records[0]?.buffer).not.toBe(buffer);
  });

  it('K3, K7: give the same from memory and from files, for any offset, limit and bound', () => {
    const sizes = fc.array(fc.tuple(fc.integer({ min: 61, max: 9000 }), fc.integer({ min: 1, max: 5 })), {
      minLength: 1,
      maxLength: 40,
    });
    const query = fc.tuple(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(20_000),
      fc.double({ min: 0, max: 1.1, noNaN: true }),
    );
    const segmentBytes = fc.constantFrom(14, 3000, 1_000_000);
    fc.assert(
      fc.property(
        sizes,
        fc.array(query, { minLength: 1, maxLength: 10 }),
        segmentBytes,
        (batches, queries, segment) => {
          const logs = [CACHED, FROM_FILES].map((options) => {
            const test = openTestDirectory({
              ...options,
              config: { segmentBytes: segment, indexIntervalBytes: 500 },
            });
            for (const [size, count] of batches) test.append(test.log(), testBatch({ size, count }));
            return test.log();
          });
          for (const [part, maxBytes, bound] of queries) {
            const [cached, fromFiles] = logs.map((log) => {
              const end = log.logEndOffset;
              const read = log.read(Math.floor(part * end), {
                maxBytes,
                upperBound: Math.floor(bound * end),
              });
              return { bases: basesOf(read), next: read.nextOffset, bytes: Buffer.concat(read.records) };
            });
            expect(fromFiles).toEqual(cached);
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});
