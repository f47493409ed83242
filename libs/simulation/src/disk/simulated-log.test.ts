import { SeededRandom } from '@seatlog/runtime/testing';
import { describe, expect, it } from 'vitest';
import { sampleBatch } from '../client/sample-batch.ts';
import { DiskCondition } from './disk-condition.ts';
import { type Durability, SimulatedLog } from './simulated-log.ts';

class Bench {
  readonly condition = new DiskCondition();
  readonly log: SimulatedLog;
  readonly #writes: (() => void)[] = [];
  #name = 0;

  constructor(durability: Durability = 'page-cache', trusts = false) {
    this.log = new SimulatedLog({
      durability,
      writes: (_label, action) => this.#writes.push(action),
      condition: this.condition,
      trusts,
    });
  }

  append(count = 1): void {
    this.log.append(sampleBatch(`batch-${this.#name++}`, count, null), 0, () => {});
  }

  settle(): void {
    for (const write of this.#writes.splice(0)) write();
  }
}

const SEEDS = 200;

describe('a simulated log', () => {
  it('assigns offsets at once, and ends further when the write is done', () => {
    const writing = new Bench();
    writing.append(2);
    writing.append(3);
    expect([writing.log.nextAppendOffset, writing.log.logEndOffset]).toEqual([5, 0]);
    writing.settle();
    expect(writing.log.logEndOffset).toBe(5);
  });

  it.each(['retry', 'done'] as const)(
    'tells a retry of a batch on its way what becomes of the batch: %s',
    (fate) => {
      const bench = new Bench();
      const batch = sampleBatch('batch', 1, { producerId: 7, producerEpoch: 0, baseSequence: 0 });
      const told: string[] = [];
      const append = (name: string) =>
        bench.log.append(batch, 0, (outcome) => told.push(`${name} ${outcome}`));
      bench.condition.isFull = fate === 'retry';
      expect([append('first'), append('second')].map(({ kind }) => kind)).toEqual(['queued', 'queued']);
      bench.settle();
      expect(told).toEqual([`first ${fate}`, `second ${fate}`]);
      bench.condition.isFull = false;
      expect(append('third').kind).toBe(fate === 'done' ? 'duplicate' : 'queued');
    },
  );

  it('F1, F2: keeps after a power cut what was synced, and of the rest a beginning', () => {
    const ends = new Set<number>();
    for (let seed = 0; seed < SEEDS; seed++) {
      const bench = new Bench();
      for (let count = 0; count < 3; count++) bench.append();
      bench.settle();
      bench.log.writeBack();
      for (let count = 0; count < 3; count++) bench.append();
      bench.settle();
      bench.log.processDied(new SeededRandom(seed));
      bench.log.powerCut(new SeededRandom(seed));
      bench.log.recover(0, false);
      ends.add(bench.log.logEndOffset);
      expect(bench.log.batches.map(({ baseOffset }) => baseOffset)).toEqual(
        Array.from({ length: bench.log.logEndOffset }, (_, at) => at),
      );
    }
    expect([...ends].toSorted((one, other) => one - other)).toEqual([3, 4, 5, 6]);
  });

  it('F2: loses nothing that it said to hold where each write is synced', () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const bench = new Bench('flush');
      bench.append();
      bench.append();
      bench.settle();
      bench.append();
      bench.log.processDied(new SeededRandom(seed));
      bench.log.powerCut(new SeededRandom(seed));
      bench.log.recover(0, false);
      expect(bench.log.logEndOffset).toBeGreaterThanOrEqual(2);
    }
  });

  it('F3: ends after rot before the batch that rotted', () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const bench = new Bench('flush');
      for (let count = 0; count < 4; count++) bench.append();
      bench.settle();
      expect(bench.log.rot(new SeededRandom(seed))).toBe(true);
      bench.log.recover(0, false);
      expect(bench.log.logEndOffset).toBeLessThan(4);
    }
  });

  it('F7: takes nothing while there is no room, tells of it, and goes on where it was', () => {
    const bench = new Bench();
    const outcomes: string[] = [];
    bench.log.failed = () => outcomes.push('failed');
    bench.append();
    bench.settle();
    bench.condition.isFull = true;
    for (const name of ['one', 'two'])
      bench.log.append(sampleBatch(name, 1, null), 0, (outcome) => outcomes.push(outcome));
    bench.settle();
    expect([outcomes, bench.log.failure]).toEqual([['failed', 'retry', 'retry'], null]);
    expect([bench.log.logEndOffset, bench.log.nextAppendOffset]).toEqual([1, 1]);
    bench.condition.isFull = false;
    bench.append();
    bench.settle();
    expect(bench.log.logEndOffset).toBe(2);
  });

  it.each(['write', 'sync'] as const)(
    'F8: takes no more after a %s that failed, till it is opened anew',
    (what) => {
      const bench = new Bench('flush');
      bench.append();
      bench.settle();
      bench.condition.failsNext = what;
      const outcomes: string[] = [];
      bench.log.append(sampleBatch('failing', 1, null), 0, (outcome) => outcomes.push(outcome));
      bench.settle();
      expect([outcomes, bench.log.logEndOffset, bench.log.failure?.by]).toEqual([['failed'], 1, what]);
      expect(bench.log.append(sampleBatch('late', 1, null), 0, () => {}).kind).toBe('refused');
      bench.log.processDied(new SeededRandom(1));
      bench.log.recover(0, false);
      expect(bench.log.failure).toBeNull();
      expect(bench.log.logEndOffset).toBeGreaterThanOrEqual(1);
    },
  );

  it('F3: that trusts what was synced keeps rot over a start, until it is read and distrusted', () => {
    const bench = new Bench('flush', true);
    for (let count = 0; count < 4; count++) bench.append();
    bench.settle();
    bench.log.checkpoint();
    bench.log.rotAt(2, new SeededRandom(1));
    bench.log.recover(0, false);
    expect(bench.log.logEndOffset).toBe(4);
    expect(bench.log.read(0, 4, 10_000)?.length).toBe(bench.log.read(0, 2, 10_000)?.length);
    expect([bench.log.read(2, 4, 10_000), bench.log.hasFoundRot]).toEqual([null, true]);
    bench.log.recover(0, false);
    expect([bench.log.logEndOffset, bench.log.read(2, 4, 10_000)]).toEqual([4, null]);
    bench.log.distrust();
    bench.log.recover(0, false);
    expect([bench.log.logEndOffset, bench.log.failure]).toEqual([2, null]);
  });

  it('gives up what is queued when it is cut', () => {
    const bench = new Bench();
    bench.append(2);
    bench.settle();
    const outcomes: string[] = [];
    bench.log.append(sampleBatch('late', 1, null), 0, (outcome) => outcomes.push(outcome));
    bench.log.truncateTo(0, (outcome) => outcomes.push(`cut ${outcome}`));
    bench.settle();
    expect([outcomes, bench.log.logEndOffset]).toEqual([['retry', 'cut done'], 0]);
  });
});
