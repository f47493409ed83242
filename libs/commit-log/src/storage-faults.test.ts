import type { MemoryFault, MemoryOperation } from '@seatlog/runtime/testing';
import { describe, expect, it } from 'vitest';
import type { LogConfig } from './log-config.ts';
import { contentsOf } from './testing/crash-model.ts';
import { testBatch } from './testing/test-batch.ts';
import { openTestDirectory, type TestDirectory } from './testing/test-directory.ts';

const LOG_FILE = '/logs/seats-0/00000000000000000000.log';

function opened(config: Partial<LogConfig> = {}): TestDirectory {
  const test = openTestDirectory({ config });
  test.append(test.log(), testBatch({ count: 2, producerId: 1, producerEpoch: 0, sequence: 0 }));
  return test;
}

/** Fails every operation of that name on the log's file. */
function failing(name: MemoryOperation['name'], fault: MemoryFault) {
  return (operation: MemoryOperation): MemoryFault | undefined =>
    operation.name === name && operation.path.endsWith('.log') ? fault : undefined;
}

function outcomesOf(test: TestDirectory, count: number): string[] {
  const outcomes: string[] = [];
  for (let round = 0; round < count; round += 1) {
    const result = test
      .log()
      .append(testBatch({ count: 2 }), 0, (error) => outcomes.push(error?.code ?? 'done'));
    if (!result.accepted) outcomes.push(`refused ${result.error.code}`);
  }
  test.turns.endAll();
  return outcomes;
}

describe('F7: a full disk', () => {
  it('undoes a short write, answers KAFKA_STORAGE_ERROR, and lets reads go on', () => {
    const test = opened();
    test.files.fault = failing('write', { code: 'ENOSPC', written: 130 });
    expect(outcomesOf(test, 3)).toEqual(['LOG_OUT_OF_SPACE', 'LOG_OUT_OF_SPACE', 'LOG_OUT_OF_SPACE']);
    expect(test.failures).toMatchObject([{ code: 'LOG_OUT_OF_SPACE', kafkaErrorCode: 56 }]);
    expect([test.log().nextAppendOffset, test.log().logEndOffset, test.log().queuedBytes]).toEqual([2, 2, 0]);
    expect(test.files.readFile(LOG_FILE)).toHaveLength(100);
    expect([contentsOf(test.log()).length, test.log().failure]).toEqual([1, null]);
  });

  it('works again once there is room, at the next offset', () => {
    let test = opened();
    test.files.fault = failing('write', { code: 'ENOSPC', written: 61 });
    outcomesOf(test, 1);
    test.files.fault = () => undefined;
    expect(test.append(test.log(), testBatch()).firstOffset).toBe(2);
    test = test.crash('process');
    expect([test.log().logEndOffset, test.events.filter((event) => event.level === 'warn')]).toEqual([3, []]);
  });

  it('K15: refuses a retry together with the batch that it repeats and that was not written', () => {
    const test = opened();
    const outcomes: string[] = [];
    test.files.fault = failing('write', { code: 'ENOSPC' });
    for (const name of ['original', 'retry']) {
      const next = testBatch({ producerId: 1, producerEpoch: 0, sequence: 2 });
      test.log().append(next, 0, (error) => outcomes.push(`${name} ${error?.code}`));
    }
    test.turns.endAll();
    expect(outcomes.toSorted()).toEqual(['original LOG_OUT_OF_SPACE', 'retry LOG_OUT_OF_SPACE']);
  });

  it('takes back what the producers were on their way to', () => {
    const test = opened();
    const next = (): Uint8Array => testBatch({ producerId: 1, producerEpoch: 0, sequence: 2 });
    test.files.fault = failing('write', { code: 'ENOSPC' });
    test.log().append(next(), 0, () => undefined);
    test.turns.endAll();
    test.files.fault = () => undefined;
    expect(test.append(test.log(), next())).toMatchObject({ duplicate: false, firstOffset: 2 });
  });

  it('with a disk that fills up byte by byte keeps exactly what was acknowledged', () => {
    const test = openTestDirectory({ config: { segmentBytes: 400 } });
    const log = test.log();
    test.files.capacityBytes = 3000;
    let acknowledged = 0;
    for (let round = 0; round < 60; round += 1) {
      log.append(testBatch(), 0, (error) => {
        if (error === null) acknowledged += 1;
      });
      test.turns.endAll();
    }
    expect([log.logEndOffset, contentsOf(log).length, acknowledged < 40, acknowledged > 10]).toEqual([
      acknowledged,
      acknowledged,
      true,
      true,
    ]);
    test.files.capacityBytes = Number.POSITIVE_INFINITY;
    expect(test.crash('process').log().logEndOffset).toBe(acknowledged);
  });
});

describe('F8: an I/O error', () => {
  it('on a write fences the log; nothing is acknowledged, reads go on', () => {
    const test = opened();
    test.files.fault = failing('write', { code: 'EIO', written: 10 });
    expect(outcomesOf(test, 2)).toEqual(['LOG_FENCED', 'LOG_FENCED']);
    test.files.fault = () => undefined;
    expect(outcomesOf(test, 1)).toEqual(['refused LOG_FENCED']);
    expect([test.log().failure?.code, test.failures.length, contentsOf(test.log()).length]).toEqual([
      'LOG_FENCED',
      1,
      1,
    ]);
  });

  it('F8, R21: a fenced log notes no leader epoch, for what it has beyond its end is of an earlier one', () => {
    let test = opened({ flushMessages: 1 });
    test.files.fault = failing('sync', { code: 'EIO' });
    expect(outcomesOf(test, 1)).toEqual(['LOG_FENCED']);
    test.log().assignLeaderEpoch(7, test.log().logEndOffset);
    test.turns.endAll();
    test.files.fault = () => undefined;
    test = test.crash('process');
    expect([test.log().logEndOffset, test.log().endOffsetForEpoch(0)]).toEqual([
      4,
      { epoch: 0, endOffset: 4 },
    ]);
  });

  it('on a sync fences the log, and the sync is never tried again', () => {
    const test = opened({ flushMessages: 1 });
    let syncs = 0;
    test.files.fault = (operation) => {
      if (operation.name !== 'sync' || !operation.path.endsWith('.log')) return undefined;
      syncs += 1;
      return { code: 'EIO' };
    };
    expect(outcomesOf(test, 3)).toEqual(['LOG_FENCED', 'LOG_FENCED', 'LOG_FENCED']);
    expect([test.log().logEndOffset, test.log().recoveryPoint, test.log().failure?.code]).toEqual([
      2,
      2,
      'LOG_FENCED',
    ]);
    test.files.fault = () => undefined;
    let flushed: string | null = null;
    test.log().flush((error) => {
      flushed = error?.code ?? 'done';
    });
    expect([flushed, syncs]).toEqual(['LOG_FENCED', 1]);
  });

  it('on a sync acknowledges nothing that the lost pages held, and a power cut shows why', () => {
    let test = opened({ flushMessages: 1 });
    test.files.fault = failing('sync', { code: 'EIO' });
    expect(outcomesOf(test, 1)).toEqual(['LOG_FENCED']);
    test.files.fault = () => undefined;
    test = test.crash('power');
    expect(test.log().logEndOffset).toBe(2);
  });

  it('on a sync fails a write that is in flight at that moment, whatever becomes of it', () => {
    const test = opened();
    const log = test.log();
    test.files.completions = 'held';
    log.flush(() => undefined);
    const outcomes: (string | undefined)[] = [];
    log.append(testBatch(), 0, (error) => outcomes.push(error?.code));
    test.turns.end();
    test.files.fault = failing('sync', { code: 'EIO' });
    test.files.deliver(test.files.heldCompletions.findIndex(({ name }) => name === 'sync'));
    expect([log.failure?.code, outcomes]).toEqual(['LOG_FENCED', []]);
    test.files.deliver(test.files.heldCompletions.findIndex(({ name }) => name === 'write'));
    expect([outcomes, log.logEndOffset]).toEqual([['LOG_FENCED'], 2]);
  });

  it('of one partition leaves the others alone, and no clean-stop marker', () => {
    const test = opened();
    test.files.fault = failing('write', { code: 'EIO' });
    outcomesOf(test, 1);
    test.files.fault = () => undefined;
    test.append(test.log('refunds'), testBatch());
    let outcome: string | undefined;
    test.directory.close({ brokerEpoch: 1 }, (error) => {
      outcome = error?.code;
    });
    expect([outcome, test.files.stat('/logs/.kafka_cleanshutdown')]).toEqual(['LOG_FENCED', null]);
    const next = test.crash('process');
    expect([next.log().logEndOffset, next.log('refunds').logEndOffset, next.log().failure]).toEqual([
      2,
      1,
      null,
    ]);
  });

  it('on reading is told to the reader and fences the log', () => {
    const test = openTestDirectory({ limits: { tailCacheBytes: 0 } });
    test.append(test.log(), testBatch());
    test.files.fault = failing('read', { code: 'EIO' });
    expect(() => test.log().read(0, { maxBytes: 1, upperBound: 1 })).toThrow(
      expect.objectContaining({ code: 'LOG_IO_FAILED', kafkaErrorCode: 56 }),
    );
    expect(test.log().failure?.code).toBe('LOG_IO_FAILED');
  });

  it('F10: that keeps a segment from being begun fails these appends, and the next ones succeed', () => {
    const test = opened({ segmentBytes: 150 });
    test.files.fault = ({ name }) => (name === 'create' ? { code: 'EMFILE' } : undefined);
    expect(outcomesOf(test, 1)).toEqual(['LOG_IO_FAILED']);
    test.files.fault = () => undefined;
    expect([
      test.log().failure,
      test.failures.length,
      test.append(test.log(), testBatch()).firstOffset,
    ]).toEqual([null, 1, 2]);
    expect(contentsOf(test.crash('process').log())).toHaveLength(2);
  });

  it('on an index or a snapshot stops nothing', () => {
    const test = opened({ segmentBytes: 150 });
    test.files.fault = ({ name, path }) =>
      name === 'write' && /index|snapshot/.test(path) ? { code: 'EIO' } : undefined;
    for (let round = 0; round < 4; round += 1) test.append(test.log(), testBatch());
    test.files.fault = () => undefined;
    expect(test.log().failure).toBeNull();
    expect(test.events.map((event) => event.message).join()).toContain(
      'is not saved and will be built again',
    );
    const next = test.crash('process');
    expect(contentsOf(next.log())).toHaveLength(5);
  });
});
