/** What followers know of producers, and what they say to a retry once they lead (F29). */
import { batchBaseOffset, batchBaseSequence, batchesIn, batchProducerId } from '@seatlog/kafka-protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogError } from './log-error.ts';
import type { PartitionLog } from './partition-log.ts';
import { testBatch } from './testing/test-batch.ts';
import { openTestDirectory, type TestDirectory } from './testing/test-directory.ts';

const SMALL_SEGMENTS = { config: { segmentBytes: 250 } };

const batchOf = (sequence: number, producerId = 1): Uint8Array =>
  testBatch({ producerId, producerEpoch: 0, sequence, fill: sequence });

/** Copies what the follower lacks, as one answer of the leader after another. */
function copy(leader: TestDirectory, follower: TestDirectory): void {
  const [from, to] = [leader.log(), follower.log()];
  while (to.nextAppendOffset < from.logEndOffset) {
    const read = from.read(to.nextAppendOffset, { maxBytes: 250, upperBound: from.logEndOffset });
    const records = Uint8Array.from(read.records.flatMap((part) => [...part]));
    read.release();
    expect(to.appendAsFollower(records, () => undefined).accepted).toBe(true);
    follower.turns.endAll();
  }
}

function truncate(test: TestDirectory, offset: number): void {
  let outcome: LogError | null | undefined;
  test.log().truncateTo(offset, (error) => {
    outcome = error;
  });
  test.turns.endAll();
  expect(outcome).toBeNull();
}

/** `duplicate of n`, `appended at n`, or the refusal. */
function send(test: TestDirectory, sequence: number, leaderEpoch: number, producerId = 1): string {
  const result = test.log().append(batchOf(sequence, producerId), leaderEpoch, () => undefined);
  test.turns.endAll();
  if (!result.accepted) return result.error.code;
  return `${result.duplicate ? 'duplicate of' : 'appended at'} ${result.firstOffset}`;
}

const lastSequences = (log: PartitionLog) =>
  log.producers.map(({ producerId, lastSequence }) => [producerId, lastSequence]);

describe('a follower that becomes leader', () => {
  it('F29: gives retries the original offset, and lets producers go on where they were', () => {
    const [leader, follower] = [openTestDirectory(SMALL_SEGMENTS), openTestDirectory(SMALL_SEGMENTS)];
    for (let sequence = 0; sequence < 7; sequence += 1) {
      send(leader, sequence, 0, 1);
      send(leader, sequence, 0, 2);
    }
    copy(leader, follower);
    expect(follower.log().producers).toEqual(leader.log().producers);
    for (let sequence = 2; sequence < 7; sequence += 1) {
      expect(send(follower, sequence, 1, 2)).toBe(`duplicate of ${2 * sequence + 1}`);
    }
    expect(send(follower, 8, 1)).toBe('OUT_OF_ORDER_SEQUENCE_NUMBER');
    expect(send(follower, 7, 1)).toBe('appended at 14');
    expect(send(follower, 7, 1)).toBe('duplicate of 14');
  });

  it.each(['clean', 'process', 'power'] as const)(
    'F29: knows them after a restart and over rolled segments as well (%s)',
    (end) => {
      const leader = openTestDirectory();
      let follower = openTestDirectory(SMALL_SEGMENTS);
      for (let sequence = 0; sequence < 9; sequence += 1) send(leader, sequence, 0);
      copy(leader, follower);
      expect(follower.log().describeSegments().length).toBeGreaterThan(2);
      if (end === 'power') follower.log().flush(() => undefined);
      follower = end === 'clean' ? follower.restart() : follower.crash(end);
      for (let sequence = 4; sequence < 9; sequence += 1) {
        expect(send(follower, sequence, 1)).toBe(`duplicate of ${sequence}`);
      }
      expect(send(follower, 9, 1)).toBe('appended at 9');
    },
  );

  it('F29: takes a batch that it never got for what comes next', () => {
    const [leader, follower] = [openTestDirectory(), openTestDirectory()];
    for (const sequence of [0, 1]) send(leader, sequence, 0);
    copy(leader, follower);
    send(leader, 2, 0);
    expect(send(follower, 2, 1)).toBe('appended at 2');
    expect(send(follower, 3, 1)).toBe('appended at 3');
  });
});

describe('a log that is cut', () => {
  it('F29: forgets the batches that went, and knows the offsets of those that come in their place', () => {
    const [former, leader] = [openTestDirectory(SMALL_SEGMENTS), openTestDirectory(SMALL_SEGMENTS)];
    for (const sequence of [0, 1, 2]) send(former, sequence, 0);
    copy(former, leader);
    for (const sequence of [3, 4, 5]) send(former, sequence, 0);
    // Another producer is first at the leader that follows, then the retries come.
    send(leader, 0, 1, 2);
    for (const sequence of [3, 4, 5]) send(leader, sequence, 1);
    truncate(former, 3);
    expect(lastSequences(former.log())).toEqual([[1, 2]]);
    copy(leader, former);
    expect(former.log().producers).toEqual(leader.log().producers);
    for (const sequence of [3, 4, 5]) expect(send(former, sequence, 2)).toBe(`duplicate of ${sequence + 1}`);
  });

  it('F29: knows again the five batches before the cut', () => {
    const test = openTestDirectory(SMALL_SEGMENTS);
    for (let sequence = 0; sequence < 12; sequence += 1) send(test, sequence, 0);
    truncate(test, 6);
    for (let sequence = 1; sequence < 6; sequence += 1) {
      expect(send(test, sequence, 1)).toBe(`duplicate of ${sequence}`);
    }
    expect(send(test, 6, 1)).toBe('appended at 6');
  });

  it('F29: a producer whose every batch went is unknown, also after a restart', () => {
    let test = openTestDirectory();
    send(test, 0, 0, 1);
    for (const sequence of [0, 1]) send(test, sequence, 0, 2);
    truncate(test, 1);
    expect(lastSequences(test.log())).toEqual([[1, 0]]);
    test = test.restart();
    expect(lastSequences(test.log())).toEqual([[1, 0]]);
    expect(send(test, 0, 1, 2)).toBe('appended at 1');
  });

  it('R26, F29: begins without producers when it begins anew', () => {
    const test = openTestDirectory();
    for (const sequence of [0, 1]) send(test, sequence, 0);
    test.log().truncateFullyAndStartAt(50, (error) => expect(error).toBeNull());
    test.turns.endAll();
    expect(test.log().producers).toEqual([]);
  });
});

describe('histories of failovers', () => {
  const step = fc.oneof(
    {
      arbitrary: fc.record({ kind: fc.constant('send' as const), producer: fc.constantFrom(1, 2) }),
      weight: 5,
    },
    { arbitrary: fc.record({ kind: fc.constant('copy' as const), to: fc.nat({ max: 2 }) }), weight: 4 },
    { arbitrary: fc.record({ kind: fc.constant('elect' as const), who: fc.nat({ max: 2 }) }), weight: 2 },
    {
      arbitrary: fc.record({
        kind: fc.constant('restart' as const),
        who: fc.nat({ max: 2 }),
        isClean: fc.boolean(),
      }),
      weight: 2,
    },
  );

  it('F29: each batch is in the log once, in order, at the offset that its retry is told', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50, size: 'max' }), (steps) => {
        const replicas = [0, 1, 2].map(() => openTestDirectory(SMALL_SEGMENTS));
        const replica = (id: number): TestDirectory => {
          const found = replicas[id];
          if (found === undefined) throw new Error(`there is no replica ${id}`);
          return found;
        };
        const next = new Map([
          [1, 0],
          [2, 0],
        ]);
        let [leader, epoch] = [0, 0];
        for (const each of steps) {
          if (each.kind === 'send') {
            const sequence = next.get(each.producer) ?? 0;
            expect(send(replica(leader), sequence, epoch, each.producer)).toMatch('appended');
            next.set(each.producer, sequence + 1);
          } else if (each.kind === 'copy') {
            if (each.to !== leader) copy(replica(leader), replica(each.to));
          } else if (each.kind === 'restart') {
            const { who, isClean } = each;
            replicas[who] = isClean ? replica(who).restart() : replica(who).crash('process');
          } else {
            leader = each.who;
            epoch += 1;
            const end = replica(leader).log().logEndOffset;
            for (const other of replicas) if (other.log().logEndOffset > end) truncate(other, end);
            retryAll(replica(leader), next, epoch);
          }
          checkOrder(replica(leader));
        }
      }),
      { numRuns: 60 },
    );
  });
});

/** Both producers send their last five batches again, as one does that was answered nothing. */
function retryAll(leader: TestDirectory, next: ReadonlyMap<number, number>, epoch: number): void {
  for (const [producer, end] of next) {
    const offsets = new Map(
      batchesOf(leader.log())
        .filter(([id]) => id === producer)
        .map(([, s, o]) => [s, o]),
    );
    // A producer has five batches under way: those before were answered, and so copied.
    for (let sequence = offsets.size; sequence < end - 5; sequence += 1)
      send(leader, sequence, epoch, producer);
    for (let sequence = Math.max(0, end - 5); sequence < end; sequence += 1) {
      const offset = offsets.get(sequence);
      const told = send(leader, sequence, epoch, producer);
      if (offset !== undefined) expect(told).toBe(`duplicate of ${offset}`);
      else expect(told).toMatch('appended');
    }
  }
}

/** Producer, sequence and offset of every batch. */
function batchesOf(log: PartitionLog): readonly (readonly [number, number, number])[] {
  const found: (readonly [number, number, number])[] = [];
  for (let offset = log.logStartOffset; offset < log.logEndOffset; ) {
    const read = log.read(offset, { maxBytes: 10_000, upperBound: log.logEndOffset });
    for (const bytes of read.records) {
      for (const batch of batchesIn(bytes)) {
        found.push([batchProducerId(batch, 0), batchBaseSequence(batch, 0), batchBaseOffset(batch, 0)]);
      }
    }
    offset = read.nextOffset;
    read.release();
  }
  return found;
}

function checkOrder(leader: TestDirectory): void {
  const expected = new Map<number, number>();
  for (const [producer, sequence] of batchesOf(leader.log())) {
    expect(sequence).toBe(expected.get(producer) ?? 0);
    expected.set(producer, sequence + 1);
  }
}
