import { describe, expect, it } from 'vitest';
import { testBatch } from './testing/test-batch.ts';
import { openTestDirectory, type TestDirectory } from './testing/test-directory.ts';

const LOG_FILE = '00000000000000000000.log';

interface Story {
  readonly test: TestDirectory;
  readonly done: number[];
  append(): void;
  /** Does the oldest held write, or sync, of the log. */
  deliver(name: 'write' | 'sync'): void;
  /** Bytes of writes and names of syncs in flight on the log's file. */
  inFlight(): string[];
}

function story(flushMessages: number): Story {
  const test = openTestDirectory({ config: { flushMessages } });
  const log = test.log();
  // The first append also makes the names last; what comes after it is only about contents.
  test.append(log, testBatch());
  log.flush(() => undefined);
  test.files.completions = 'held';
  const done: number[] = [];
  return {
    test,
    done,
    append: () => {
      const result = log.append(testBatch(), 0, (error) => {
        if (error === null) done.push(log.logEndOffset);
      });
      expect(result.accepted).toBe(true);
    },
    deliver: (name) => {
      const place = test.files.heldCompletions.findIndex(
        (held) => held.name === name && held.path.endsWith(LOG_FILE),
      );
      if (place < 0) throw new Error(`no ${name} is in flight`);
      test.files.deliver(place);
    },
    inFlight: () =>
      test.files.heldCompletions
        .filter((held) => held.path.endsWith(LOG_FILE))
        .map(({ name, bytes }) => (name === 'write' ? `write ${bytes}` : name)),
  };
}

describe('log.flush.interval.messages=1', () => {
  it('shows and acknowledges nothing before it is synced', () => {
    const { test, append, deliver, done, inFlight } = story(1);
    append();
    test.turns.end();
    deliver('write');
    expect([test.log().logEndOffset, done, inFlight()]).toEqual([1, [], ['sync']]);
    expect(test.log().read(1, { maxBytes: 100, upperBound: 9 }).records).toEqual([]);
    deliver('sync');
    expect([test.log().logEndOffset, done, test.log().recoveryPoint]).toEqual([2, [2], 2]);
  });

  it('shares one sync among all that were written before it, and has one in flight', () => {
    const { test, append, deliver, done, inFlight } = story(1);
    append();
    test.turns.end();
    deliver('write');
    for (let turn = 0; turn < 3; turn += 1) {
      append();
      append();
      test.turns.end();
      deliver('write');
    }
    expect([inFlight(), done]).toEqual([['sync'], []]);
    deliver('sync');
    expect([inFlight(), done.length, test.log().logEndOffset]).toEqual([['sync'], 1, 2]);
    deliver('sync');
    expect([inFlight(), done.length, test.log().logEndOffset]).toEqual([[], 7, 8]);
  });

  it('F2: loses nothing acknowledged to a power cut', () => {
    for (let seed = 0; seed < 50; seed += 1) {
      let test = openTestDirectory({ seed, config: { flushMessages: 1, segmentBytes: 250 } });
      for (let round = 0; round < 6; round += 1) test.append(test.log(), testBatch());
      test.log().append(testBatch(), 0, () => undefined);
      test = test.crash('power');
      expect(test.log().logEndOffset).toBeGreaterThanOrEqual(6);
    }
  });
});

describe('log.flush.interval.messages=3', () => {
  it('acknowledges at most two messages ahead of the last sync', () => {
    const { test, append, deliver, done, inFlight } = story(3);
    for (let turn = 0; turn < 4; turn += 1) {
      append();
      test.turns.end();
      deliver('write');
    }
    expect([done, inFlight()]).toEqual([[2, 3], ['sync']]);
    deliver('sync');
    expect(done).toEqual([2, 3, 5, 5]);
  });
});

describe('other ways to sync', () => {
  it('flush.ms syncs a while after an append, once', () => {
    const test = openTestDirectory({ config: { flushMs: 1000 } });
    const log = test.log();
    test.append(log, testBatch());
    test.append(log, testBatch());
    expect(log.recoveryPoint).toBe(0);
    test.clock.advance(1000);
    expect(log.recoveryPoint).toBe(2);
    const syncs: string[] = [];
    test.files.fault = ({ name }) => {
      if (name === 'sync') syncs.push(name);
      return undefined;
    };
    test.clock.advance(3000);
    expect(syncs).toEqual([]);
  });

  it('flush calls back when all that was written is synced', () => {
    const test = openTestDirectory();
    test.append(test.log(), testBatch());
    let point = -1;
    test.log().flush((error) => {
      expect(error).toBeNull();
      point = test.log().recoveryPoint;
    });
    expect(point).toBe(1);
  });

  it('a change to weaker durability lets pass what waits', () => {
    const { test, append, deliver, done } = story(1);
    append();
    test.turns.end();
    deliver('write');
    expect(done).toEqual([]);
    test.log().updateConfig({ ...test.log().config, flushMessages: Number.POSITIVE_INFINITY });
    expect(done).toEqual([2]);
  });
});
