import {
  batchBaseOffset,
  batchCrc,
  batchMaxTimestamp,
  batchPartitionLeaderEpoch,
  computeBatchCrc,
} from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import type { LogError } from './log-error.ts';
import type { AppendResult, PartitionLog } from './partition-log.ts';
import { contentsOf } from './testing/crash-model.ts';
import { testBatch } from './testing/test-batch.ts';
import { openTestDirectory } from './testing/test-directory.ts';

const LOG_FILE = '/logs/seats-0/00000000000000000000.log';
const ignore = (): void => undefined;

function codeOf(result: AppendResult): string {
  return result.accepted ? 'accepted' : result.error.code;
}

function joined(...batches: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(batches));
}

describe('append', () => {
  it('K1: keeps a batch as it came, but for base offset and leader epoch, which its CRC leaves out', () => {
    const test = openTestDirectory();
    const log = test.log();
    test.append(log, testBatch({ count: 3 }));
    const sent = testBatch({ count: 2, fill: 0x42, size: 5000 });
    const { firstOffset, lastOffset } = test.append(log, sent.slice(), 7);
    expect([firstOffset, lastOffset]).toEqual([3, 4]);
    const [, stored] = contentsOf(log);
    expect(stored?.subarray(16)).toEqual(sent.subarray(16));
    expect(stored && [batchBaseOffset(stored), batchPartitionLeaderEpoch(stored)]).toEqual([3, 7]);
    expect(stored && Buffer.from(stored)).toEqual(Buffer.from(test.files.readFile(LOG_FILE).subarray(100)));
  });

  it('K6: writes once what one turn brings, and assigns offsets before that', () => {
    const test = openTestDirectory();
    const log = test.log();
    const writes: number[] = [];
    test.files.fault = (operation) => {
      if (operation.name === 'write' && operation.path === LOG_FILE) writes.push(operation.bytes);
      return undefined;
    };
    const done: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      const result = log.append(testBatch({ count: 2, size: 1000 }), 0, () => done.push(round));
      expect(result).toMatchObject({ accepted: true, firstOffset: round * 2, lastOffset: round * 2 + 1 });
    }
    expect([log.nextAppendOffset, log.logEndOffset, log.queuedBytes]).toEqual([40, 0, 20_000]);
    expect([writes, done]).toEqual([[], []]);
    test.turns.end();
    expect(writes).toEqual([20_000]);
    expect(done).toEqual(Array.from({ length: 20 }, (_, round) => round));
    expect([log.logEndOffset, log.queuedBytes, test.advanced]).toEqual([40, 0, [40]]);
  });

  it('K6: lets no partition wait for another', () => {
    const test = openTestDirectory();
    const [slow, quick] = [test.log('slow'), test.log('quick')];
    test.files.completions = 'held';
    let quickIsDone = false;
    slow.append(testBatch(), 0, ignore);
    quick.append(testBatch(), 0, () => {
      quickIsDone = true;
    });
    test.turns.end();
    test.files.deliver(test.files.heldCompletions.findIndex((held) => held.path.includes('quick')));
    expect([quickIsDone, quick.logEndOffset, slow.logEndOffset]).toEqual([true, 1, 0]);
  });

  it('K6: has one write of a partition in flight; what comes meanwhile goes with the next', () => {
    const test = openTestDirectory();
    const log = test.log();
    test.files.completions = 'held';
    const held = (): number[] =>
      test.files.heldCompletions.filter(({ name }) => name === 'write').map(({ bytes }) => bytes);
    for (let turn = 0; turn < 3; turn += 1) {
      log.append(testBatch(), 0, ignore);
      log.append(testBatch(), 0, ignore);
      test.turns.end();
    }
    expect(held()).toEqual([200]);
    test.files.deliver(test.files.heldCompletions.findIndex(({ name }) => name === 'write'));
    expect([held(), log.logEndOffset]).toEqual([[400], 2]);
  });

  it('takes several batches at once, of which only the last calls back', () => {
    const test = openTestDirectory();
    const log = test.log();
    const result = test.append(log, joined(testBatch({ count: 2 }), testBatch({ count: 3, size: 200 })));
    expect(result).toMatchObject({ firstOffset: 0, lastOffset: 4 });
    expect(contentsOf(log).map((batch) => batchBaseOffset(batch))).toEqual([0, 2]);
  });

  it('stamps its own time where the topic asks for it, with a CRC that fits', () => {
    const test = openTestDirectory({ config: { messageTimestampType: 'LogAppendTime' } });
    const log = test.log();
    const { logAppendTime } = test.append(log, testBatch({ timestamp: 5 }));
    const [stored = testBatch()] = contentsOf(log);
    expect([logAppendTime, batchMaxTimestamp(stored)]).toEqual([test.clock.now(), test.clock.now()]);
    expect(batchCrc(stored)).toBe(computeBatchCrc(stored));
    const keeping = openTestDirectory();
    expect(keeping.append(keeping.log(), testBatch()).logAppendTime).toBe(-1);
  });

  it.each([
    ['nothing', new Uint8Array(0)],
    ['half a header', testBatch().subarray(0, 40)],
    ['a batch cut short', testBatch().subarray(0, 99)],
    ['bytes behind the batch', joined(testBatch(), new Uint8Array(5))],
    ['a length below the header', withByte(11, 40)],
    ['another magic', withByte(16, 1)],
    ['a negative offset delta', withByte(23, 0x80)],
    ['a producer id beyond numbers', withByte(43, 0x7f)],
  ])('F43: refuses %s and keeps nothing of it', (_, bytes) => {
    const test = openTestDirectory();
    const log = test.log();
    expect(codeOf(log.append(bytes, 0, ignore))).toBe('BATCH_MALFORMED');
    expect([log.nextAppendOffset, log.queuedBytes, test.turns.pending]).toEqual([0, 0, 0]);
  });

  it('bounds what waits to be written, and takes a single larger batch', () => {
    const test = openTestDirectory({ limits: { queuedBytesPerPartition: 250 } });
    const log = test.log();
    expect(codeOf(log.append(testBatch({ size: 400 }), 0, ignore))).toBe('accepted');
    expect(codeOf(log.append(testBatch(), 0, ignore))).toBe('LOG_QUEUE_FULL');
    test.turns.end();
    expect([log.queuedBytes, log.logEndOffset]).toEqual([0, 1]);
    expect(codeOf(log.append(testBatch(), 0, ignore))).toBe('accepted');
    expect([test.directory.queuedBytes, codeOf(log.append(testBatch(), 0, ignore))]).toEqual([
      100,
      'accepted',
    ]);
    expect(codeOf(log.append(testBatch(), 0, ignore))).toBe('LOG_QUEUE_FULL');
  });

  it('refuses appends once it is closed', () => {
    const test = openTestDirectory();
    const log = test.log();
    test.close();
    expect(codeOf(log.append(testBatch(), 0, ignore))).toBe('LOG_CLOSED');
    expect(() => log.read(0, { maxBytes: 1, upperBound: 1 })).toThrow(/closed/);
  });
});

describe('appends of idempotent producers', () => {
  const idempotent = (sequence: number, count = 1): Uint8Array =>
    testBatch({ producerId: 9, producerEpoch: 0, sequence, count });

  it('K15: a retry gets the original offsets, and nothing is appended', () => {
    const test = openTestDirectory();
    const log = test.log();
    test.append(log, testBatch({ count: 4 }));
    test.append(log, idempotent(0, 3));
    expect(test.append(log, idempotent(0, 3))).toMatchObject({
      duplicate: true,
      firstOffset: 4,
      lastOffset: 6,
    });
    expect(log.logEndOffset).toBe(7);
  });

  it('K15: a retry of what is still on its way waits for it', () => {
    const test = openTestDirectory();
    const log = test.log();
    test.files.completions = 'held';
    const order: string[] = [];
    log.append(idempotent(0), 0, () => order.push('original'));
    expect(log.append(idempotent(0), 0, () => order.push('retry'))).toMatchObject({
      duplicate: true,
      firstOffset: 0,
    });
    test.turns.endAll();
    expect(order).toEqual([]);
    test.files.deliverAll();
    test.turns.endAll();
    expect(order).toEqual(['original', 'retry']);
  });

  it('K15, F29: a retry after a clean restart, a crash or a roll gets the original offsets', () => {
    let test = openTestDirectory();
    for (let round = 0; round < 6; round += 1) test.append(test.log(), idempotent(round * 2, 2));
    const retried = (): (number | boolean)[] =>
      [2, 3, 4, 5].flatMap((round) => {
        const { duplicate, firstOffset } = test.append(test.log(), idempotent(round * 2, 2));
        return [duplicate, firstOffset];
      });
    const expected = [true, 4, true, 6, true, 8, true, 10];
    expect(retried()).toEqual(expected);
    test.log().roll();
    test = test.restart();
    expect(retried()).toEqual(expected);
    test = test.crash('process');
    expect(retried()).toEqual(expected);
    expect(test.append(test.log(), idempotent(12))).toMatchObject({ duplicate: false, firstOffset: 12 });
  });

  it('K15: what is out of order or of an old epoch is refused with Kafka’s code', () => {
    const test = openTestDirectory();
    const log = test.log();
    test.append(log, testBatch({ producerId: 9, producerEpoch: 1, sequence: 0 }));
    expect(refusal(log, idempotent(1))).toMatchObject({ code: 'INVALID_PRODUCER_EPOCH', kafkaErrorCode: 47 });
    const ahead = testBatch({ producerId: 9, producerEpoch: 1, sequence: 2 });
    expect(refusal(log, ahead)).toMatchObject({ code: 'OUT_OF_ORDER_SEQUENCE_NUMBER', kafkaErrorCode: 45 });
    expect(log.append(ahead, 0, ignore, { origin: 'broker' }).accepted).toBe(true);
  });
});

describe('appends of a follower', () => {
  it('R3: keep offsets and epochs as the leader gave them, and note where epochs begin', () => {
    const leader = openTestDirectory();
    const follower = openTestDirectory();
    for (const epoch of [0, 0, 2, 5])
      leader.append(leader.log(), testBatch({ count: 2, fill: epoch }), epoch);
    const { records } = leader.log().read(0, { maxBytes: 10_000, upperBound: 8 });
    const result = follower.log().appendAsFollower(joined(...records), ignore);
    expect(result).toMatchObject({ accepted: true, firstOffset: 0, lastOffset: 7 });
    follower.turns.endAll();
    expect(contentsOf(follower.log())).toEqual(contentsOf(leader.log()));
    expect(follower.log().leaderEpochs).toEqual(leader.log().leaderEpochs);
    expect(follower.files.readFile(LOG_FILE)).toEqual(leader.files.readFile(LOG_FILE));
  });

  it.each([Number.POSITIVE_INFINITY, 1])(
    'F7: that found room for a part end with it, and can be gone on with (flush.messages %d)',
    (flushMessages) => {
      const test = openTestDirectory({ config: { segmentBytes: 250, flushMessages } });
      const log = test.log();
      const batches = [0, 1, 2, 3].map((baseOffset) => testBatch({ baseOffset }));
      test.files.fault = ({ name, path }) =>
        name === 'write' && path.endsWith('2.log') ? { code: 'ENOSPC' } : undefined;
      const told: (string | undefined)[] = [];
      log.appendAsFollower(new Uint8Array(Buffer.concat(batches)), (error) => told.push(error?.code));
      test.turns.endAll();
      expect(told).toEqual(['LOG_OUT_OF_SPACE']);
      expect([log.logEndOffset, log.nextAppendOffset, log.failure]).toEqual([2, 2, null]);
      test.files.fault = () => undefined;
      log.appendAsFollower(new Uint8Array(Buffer.concat(batches.slice(2))), (error) =>
        told.push(error?.code),
      );
      test.turns.endAll();
      expect([told, log.logEndOffset]).toEqual([['LOG_OUT_OF_SPACE', undefined], 4]);
    },
  );

  it('are refused where they do not continue the log; gaps only come from compaction', () => {
    const test = openTestDirectory();
    const log = test.log();
    const code = (baseOffset: number, allowGaps?: boolean): string =>
      codeOf(
        log.appendAsFollower(
          testBatch({ baseOffset, count: 2 }),
          ignore,
          allowGaps === undefined ? {} : { allowGaps },
        ),
      );
    expect([code(0), code(1), code(3), code(3, true), code(5)]).toEqual([
      'accepted',
      'BATCH_NOT_CONTIGUOUS',
      'BATCH_NOT_CONTIGUOUS',
      'accepted',
      'accepted',
    ]);
    test.turns.endAll();
    expect([log.logEndOffset, log.read(2, { maxBytes: 1, upperBound: 7 }).nextOffset]).toEqual([7, 5]);
  });
});

function refusal(log: PartitionLog, batch: Uint8Array): LogError | null {
  const result = log.append(batch, 0, ignore);
  return result.accepted ? null : result.error;
}

function withByte(place: number, value: number): Uint8Array {
  const bytes = testBatch();
  bytes[place] = value;
  return bytes;
}
