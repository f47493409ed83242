import { ErrorCode } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { BACKOFF_MS, FollowerBench } from '../testing/follower-bench.ts';
import { MemoryLog } from '../testing/memory-log.ts';
import { sampleBatch } from '../testing/sample-batch.ts';

const batch = (baseOffset: number, leaderEpoch = 0, ...words: string[]): Uint8Array =>
  sampleBatch(words.length > 0 ? words : ['word'], { baseOffset, leaderEpoch });

describe('R1: a follower fetches', () => {
  it('from its end, with its log start, its leader’s epoch and the epoch of its last batch', () => {
    const log = MemoryLog.of('0@0,2@4', 9, 6);
    log.raiseLogStart(3);
    expect(new FollowerBench(log, 5).fetch()).toEqual({
      currentLeaderEpoch: 5,
      fetchOffset: 9,
      lastFetchedEpoch: 2,
      logStartOffset: 3,
    });
  });
});

describe('R3: a follower appends', () => {
  it('what came, byte for byte, and notes its epochs', () => {
    const bench = new FollowerBench(MemoryLog.of('0@0', 3), 2);
    const records = Buffer.concat([batch(3, 1, 'a', 'b'), batch(5, 2, 'c')]);
    const effects = bench.exchange({ records, highWatermark: 0, logStartOffset: 0 });
    expect(effects).toContainEqual({ type: 'append', records });
    expect(Buffer.concat(bench.log.batches.slice(-2).map((stored) => stored.bytes))).toEqual(records);
    expect(bench.log.epochCheckpoint).toBe('0 3 0 0 1 3 2 5');
  });

  it('and fetches no more until that is written: what it fetches from is what it holds', () => {
    const bench = new FollowerBench();
    bench.fetch();
    bench.answer({ records: batch(0), highWatermark: 0, logStartOffset: 0 });
    expect([bench.kind, bench.isDue]).toEqual(['appending', false]);
    bench.settle();
    expect(bench.fetch().fetchOffset).toBe(1);
  });

  it('whole batches: an end that was cut off comes with the next fetch', () => {
    const bench = new FollowerBench();
    const records = Buffer.concat([batch(0), batch(1).subarray(0, 40)]);
    bench.exchange({ records, highWatermark: 0, logStartOffset: 0 });
    expect(bench.log.logEndOffset).toBe(1);
    expect(bench.kind).toBe('ready');
  });

  it('F3: nothing that its checksum does not fit', () => {
    const bench = new FollowerBench();
    const damaged = batch(1);
    damaged[70] = (damaged[70] ?? 0) ^ 0xff;
    bench.exchange({ records: Buffer.concat([batch(0), damaged]), highWatermark: 0, logStartOffset: 0 });
    expect(bench.log.logEndOffset).toBe(1);
    bench.exchange({ records: damaged, highWatermark: 0, logStartOffset: 0 });
    expect(bench.log.logEndOffset).toBe(1);
    expect(bench.kind).toBe('delayed');
    expect(bench.lines.at(-1)).toContain('checksum');
  });

  it('nothing, and fetches no more, once its log has failed: it would say that it keeps up', () => {
    const bench = new FollowerBench(MemoryLog.of('0@0', 3));
    bench.fetch();
    bench.log.failure = new Error('the disk is gone');
    bench.answer({ highWatermark: 3, logStartOffset: 0 });
    expect([bench.kind, bench.isDue]).toEqual(['ready', false]);
  });

  it('nothing when its log cannot: it tries again, or gives up for good', () => {
    const bench = new FollowerBench();
    bench.fetch();
    bench.answer({ records: batch(0), highWatermark: 1, logStartOffset: 0 });
    bench.step({ type: 'appended', outcome: 'retry' });
    expect(bench.kind).toBe('delayed');
    bench.advance(BACKOFF_MS);
    bench.fetch();
    bench.answer({ records: batch(0), highWatermark: 1, logStartOffset: 0 });
    bench.step({ type: 'appended', outcome: 'failed' });
    bench.advance(BACKOFF_MS * 10);
    expect([bench.kind, bench.isDue, bench.log.highWatermark]).toEqual(['failed', false, 0]);
  });
});

describe('R4: the high watermark of a follower', () => {
  it('is the leader’s, as far as its own log reaches, once that is written', () => {
    const bench = new FollowerBench();
    bench.fetch();
    bench.answer({ records: batch(0, 0, 'a', 'b'), highWatermark: 9, logStartOffset: 0 });
    expect(bench.log.highWatermark).toBe(0);
    bench.settle();
    expect(bench.effects).toContainEqual({ type: 'update-high-watermark', highWatermark: 2 });
    expect(bench.log.highWatermark).toBe(2);
    bench.exchange({ highWatermark: 1, logStartOffset: 0 });
    expect(bench.log.highWatermark).toBe(1);
  });

  it('is never below its log start', () => {
    const log = MemoryLog.of('0@0', 5, 5);
    log.raiseLogStart(4);
    const bench = new FollowerBench(log);
    bench.exchange({ highWatermark: 2, logStartOffset: 0 });
    expect(log.highWatermark).toBe(4);
  });

  it('wakes consumers that read from it when it rises', () => {
    const bench = new FollowerBench(MemoryLog.of('0@0', 5, 2));
    const woken = { type: 'wake-fetches', whose: 'high-watermark' };
    expect(bench.exchange({ highWatermark: 5, logStartOffset: 0 })).toContainEqual(woken);
    expect(bench.exchange({ highWatermark: 5, logStartOffset: 0 })).not.toContainEqual(woken);
  });
});

describe('R2: a follower waits out its back-off', () => {
  const expectPause = (bench: FollowerBench, pauseMs: number): void => {
    bench.advance(pauseMs - 1);
    expect(bench.isDue).toBe(false);
    bench.advance(1);
    expect(bench.isDue).toBe(true);
  };

  it.each(['KAFKA_STORAGE_ERROR', 'UNKNOWN_SERVER_ERROR'] as const)('after %s', (name) => {
    const bench = new FollowerBench();
    bench.exchange({ errorCode: ErrorCode[name] });
    expectPause(bench, BACKOFF_MS);
  });

  it.each([
    'NOT_LEADER_OR_FOLLOWER',
    'UNKNOWN_LEADER_EPOCH',
    'UNKNOWN_TOPIC_ID',
    'UNKNOWN_TOPIC_OR_PARTITION',
  ] as const)('a shorter one first after %s, which a leader says that has not heard yet', (name) => {
    const bench = new FollowerBench();
    for (const pauseMs of [50, 100, 200, 400, 800, BACKOFF_MS, BACKOFF_MS]) {
      bench.exchange({ errorCode: ErrorCode[name] });
      expectPause(bench, pauseMs);
    }
    bench.follow(2, 1);
    bench.exchange({ errorCode: ErrorCode[name] });
    expectPause(bench, 50);
  });

  it('and tells an operator once of a leader that stays behind, not of one that is a moment late', () => {
    const bench = new FollowerBench();
    const levels = (): unknown[] => {
      const effects = bench.exchange({ errorCode: ErrorCode.UNKNOWN_TOPIC_ID });
      bench.advance(BACKOFF_MS);
      return effects.flatMap((effect) => (effect.type === 'log' ? [effect.level] : []));
    };
    const told = Array.from({ length: 8 }, levels).flat();
    expect(told).toEqual(['debug', 'debug', 'debug', 'debug', 'debug', 'warn', 'debug', 'debug']);
    bench.exchange({ highWatermark: 0, logStartOffset: 0 });
    expect(levels()).toEqual(['warn']);
  });

  it('after a request that came to nothing', () => {
    const bench = new FollowerBench();
    bench.fetch();
    bench.step({ type: 'fetch-failed', requestId: bench.lastRequestId });
    expect(bench.kind).toBe('delayed');
  });
});

describe('R24: a follower', () => {
  it('without epochs cuts to its high watermark before it fetches', () => {
    const log = new MemoryLog();
    log.appendAsFollower(batch(0, -1, 'a', 'b'));
    log.appendAsFollower(batch(2, -1, 'c'));
    log.updateHighWatermark(2);
    const bench = new FollowerBench(log);
    expect(bench.kind).toBe('truncating');
    bench.settle();
    expect(bench.fetch()).toMatchObject({ fetchOffset: 2, lastFetchedEpoch: -1 });
    expect(bench.lines[0]).toContain('Truncating partition demo-0 to offset 2');
  });

  it('with epochs fetches from its end, which may be above its high watermark', () => {
    const bench = new FollowerBench(MemoryLog.of('0@0', 9, 4), 1);
    expect(bench.fetch().fetchOffset).toBe(9);
  });

  it('cuts where the leader says, and its high watermark falls with it', () => {
    const bench = new FollowerBench(MemoryLog.of('0@0', 15, 12), 1);
    bench.exchange({ divergingEpoch: { epoch: 0, endOffset: 10 } });
    expect([bench.log.logEndOffset, bench.log.highWatermark]).toEqual([10, 10]);
    expect(bench.lines[0]).toBe(
      'Truncating partition demo-0 to offset 10 due to leader epoch 0, which the leader ended at 10',
    );
  });

  it('KAFKA-14704: takes the high watermark of an answer that finds its log in line, not of one that makes it cut', () => {
    const bench = new FollowerBench(MemoryLog.of('0@0,1@6,3@9', 15, 5), 5);
    bench.exchange({ divergingEpoch: { epoch: 2, endOffset: 14 }, highWatermark: 14, logStartOffset: 3 });
    expect([bench.log.logEndOffset, bench.log.highWatermark, bench.log.logStartOffset]).toEqual([9, 5, 0]);
  });

  it('begins anew where the leader’s history ends before its own begins', () => {
    const log = MemoryLog.of('3@0', 9, 8);
    log.raiseLogStart(7);
    const bench = new FollowerBench(log, 4);
    const effects = bench.exchange({ divergingEpoch: { epoch: 1, endOffset: 5 } });
    expect(effects).toContainEqual({ type: 'restart-log', offset: 5 });
    expect(bench.fetch()).toMatchObject({ fetchOffset: 5, lastFetchedEpoch: -1 });
  });

  it('drops what parts from the leader’s history below the leader’s log start, where nothing can be compared', () => {
    const bench = new FollowerBench(MemoryLog.of('0@0', 50, 16), 2);
    bench.exchange({ divergingEpoch: { epoch: 0, endOffset: 35 }, highWatermark: 35, logStartOffset: 35 });
    expect(bench.fetch()).toEqual({
      currentLeaderEpoch: 2,
      fetchOffset: 35,
      lastFetchedEpoch: -1,
      logStartOffset: 35,
    });
  });

  it('waits before it asks again when a cut changed nothing', () => {
    const bench = new FollowerBench(MemoryLog.of('0@0', 10));
    bench.exchange({ divergingEpoch: { epoch: 0, endOffset: 12 } });
    expect(bench.kind).toBe('delayed');
  });

  it('starts over when another leads while its log is being written', () => {
    const bench = new FollowerBench(MemoryLog.of('0@0', 3), 0);
    bench.fetch();
    bench.answer({ records: batch(3), highWatermark: 4, logStartOffset: 0 });
    bench.follow(3, 1);
    expect(bench.isDue).toBe(false);
    bench.settle();
    expect(bench.log.highWatermark).toBe(0);
    expect(bench.fetch()).toMatchObject({ currentLeaderEpoch: 1, fetchOffset: 4 });
  });
});

describe('R25: a follower whose leader is of a later epoch', () => {
  it('waits for the metadata that says so', () => {
    const bench = new FollowerBench();
    bench.exchange({ errorCode: ErrorCode.FENCED_LEADER_EPOCH });
    bench.advance(BACKOFF_MS * 100);
    expect(bench.isDue).toBe(false);
    bench.follow(2, 1);
    expect(bench.fetch().currentLeaderEpoch).toBe(1);
  });

  it('fetches from nobody while nobody leads', () => {
    const bench = new FollowerBench();
    bench.follow(-1, 1);
    expect([bench.kind, bench.isDue]).toEqual(['leaderless', false]);
  });
});

describe('R26: a follower that is out of the leader’s range', () => {
  const asked = (log: MemoryLog): FollowerBench => {
    const bench = new FollowerBench(log);
    bench.exchange({ errorCode: ErrorCode.OFFSET_OUT_OF_RANGE });
    expect(bench.effects).toContainEqual({ type: 'ask-leader-offsets', leaderId: 2, askId: 1 });
    return bench;
  };
  const told = (bench: FollowerBench, logStartOffset: number, logEndOffset: number, askId = 1): void => {
    bench.step({ type: 'leader-offsets', askId, logStartOffset, logEndOffset });
    bench.settle();
  };

  it('cuts to the leader’s end, if that is before its own', () => {
    const bench = asked(MemoryLog.of('0@0', 9, 7));
    told(bench, 0, 6);
    expect([bench.log.logEndOffset, bench.log.highWatermark, bench.kind]).toEqual([6, 6, 'ready']);
  });

  it('drops its log and begins where the leader’s begins, if that is after its own end', () => {
    const bench = asked(MemoryLog.of('0@0', 9, 7));
    told(bench, 20, 30);
    expect(bench.fetch()).toEqual({
      currentLeaderEpoch: 0,
      fetchOffset: 20,
      lastFetchedEpoch: -1,
      logStartOffset: 20,
    });
  });

  it('fetches again from its own end otherwise, after a while', () => {
    const bench = asked(MemoryLog.of('0@0', 9, 7));
    told(bench, 0, 30);
    expect(bench.kind).toBe('delayed');
    bench.advance(BACKOFF_MS);
    expect(bench.fetch().fetchOffset).toBe(9);
  });

  it('takes the batch in which the leader’s log begins as a whole, and begins where it does', () => {
    const bench = asked(MemoryLog.of('0@0', 9, 7));
    told(bench, 21, 30);
    const records = sampleBatch(['a', 'b', 'c'], { baseOffset: 20 });
    bench.exchange({ records, highWatermark: 22, logStartOffset: 21 });
    expect([bench.kind, bench.log.logEndOffset]).toEqual(['appending', 20]);
    bench.settle();
    expect(bench.kind).toBe('ready');
    expect(bench.log.logEndOffset).toBe(23);
    expect(bench.log.highWatermark).toBe(22);
    expect(bench.log.logStartOffset).toBe(21);
  });

  it('gives up what it has in place of a batch in which the leader’s log begins', () => {
    const bench = new FollowerBench(MemoryLog.of('0@0', 4, 3), 3);
    const records = sampleBatch(['a', 'b', 'c'], { baseOffset: 3, leaderEpoch: 3 });
    bench.exchange({ records, highWatermark: 6, logStartOffset: 4 });
    // The memory of an answer is used for the next while the log is being cut.
    records.fill(0);
    bench.settle();
    expect(bench.log.words(3)).toEqual(['a', 'b', 'c']);
    expect(bench.log.logStartOffset).toBe(4);
  });

  it('tries again later when the leader does not tell', () => {
    const bench = asked(MemoryLog.of('0@0', 9, 7));
    bench.step({ type: 'leader-offsets-failed', askId: 1 });
    expect(bench.kind).toBe('delayed');
  });

  it('F23: takes no answer but that to its last question', () => {
    const bench = asked(MemoryLog.of('0@0', 9, 7));
    bench.follow(3, 1);
    told(bench, 20, 30);
    expect(bench.log.logEndOffset).toBe(9);
  });
});

describe('R27: the log start of a follower', () => {
  it('follows the leader’s, not beyond its own high watermark', () => {
    const bench = new FollowerBench(MemoryLog.of('0@0', 5, 2));
    bench.exchange({ highWatermark: 4, logStartOffset: 3 });
    expect(bench.log.logStartOffset).toBe(3);
    bench.exchange({ highWatermark: 4, logStartOffset: 9 });
    expect(bench.effects).toContainEqual({ type: 'raise-log-start', logStartOffset: 4 });
    expect(bench.log.logStartOffset).toBe(4);
    bench.exchange({ highWatermark: 5, logStartOffset: 0 });
    expect(bench.log.logStartOffset).toBe(4);
  });
});

describe('R28: of an answer, a follower takes', () => {
  it('KAFKA-18723: no batch of a later epoch than the one it fetched in, and nothing after it', () => {
    const bench = new FollowerBench(MemoryLog.of('0@0', 3), 1);
    const records = Buffer.concat([batch(3, 1), batch(4, 2), batch(5, 1)]);
    bench.exchange({ records, highWatermark: 6, logStartOffset: 2 });
    expect(bench.log.logEndOffset).toBe(4);
    expect([bench.log.highWatermark, bench.log.logStartOffset]).toEqual([0, 0]);
  });

  it('nothing if the first batch is of a later epoch; it waits for the metadata', () => {
    const bench = new FollowerBench(MemoryLog.of('0@0', 3), 1);
    bench.exchange({ records: batch(3, 2), highWatermark: 4, logStartOffset: 0 });
    expect([bench.log.logEndOffset, bench.log.highWatermark, bench.kind]).toEqual([3, 0, 'delayed']);
  });

  it('nothing unless it is for the request that it sent', () => {
    const bench = new FollowerBench();
    bench.fetch();
    const first = bench.lastRequestId;
    bench.follow(3, 1);
    bench.fetch();
    expect(bench.answer({ records: batch(0), highWatermark: 1, logStartOffset: 0 }, first)).toEqual([]);
    expect(bench.kind).toBe('fetching');
    bench.answer({ records: batch(0), highWatermark: 1, logStartOffset: 0 });
    bench.settle();
    expect(bench.log.logEndOffset).toBe(1);
    expect(bench.answer({ records: batch(1), highWatermark: 2, logStartOffset: 0 })).toEqual([]);
  });

  it('nothing if something that it appended as a leader has come into the log meanwhile', () => {
    const log = MemoryLog.of('0@0', 3);
    const bench = new FollowerBench(log, 1);
    const left = log.queue(['left over'], 0);
    bench.fetch();
    log.write(left);
    // An answer without records for want of room: the high watermark may be beyond what was compared.
    bench.answer({ highWatermark: 9, logStartOffset: 0 });
    expect([log.highWatermark, bench.kind]).toEqual([0, 'ready']);
    expect(bench.fetch()).toMatchObject({ fetchOffset: 4, lastFetchedEpoch: 0 });
  });
});

describe('R30: a follower tells', () => {
  it('how much it lacks of what is committed', () => {
    const bench = new FollowerBench(MemoryLog.of('0@0', 3));
    bench.exchange({ highWatermark: 10, logStartOffset: 0 });
    expect(bench.follower.lag).toBe(7);
  });
});
