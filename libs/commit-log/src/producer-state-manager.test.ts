import { BatchHeaders, stampBaseOffset } from '@seatlog/kafka-protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProducerStateManager, producerBatchOf } from './producer-state-manager.ts';
import { type TestBatchOptions, testBatch } from './testing/test-batch.ts';

const LARGEST_SEQUENCE = 2 ** 31 - 1;

class Log {
  readonly producers = new ProducerStateManager(0);
  #next = 0;

  check(options: TestBatchOptions): string {
    const verdict = this.producers.check(producerBatchOf(batch(options), 0));
    if (verdict.outcome === 'refused') return verdict.error.code;
    return verdict.outcome === 'duplicate' ? `duplicate of ${verdict.firstOffset}` : 'next';
  }

  /** Stages a batch and commits it, as a write that succeeds does. */
  append(options: TestBatchOptions): void {
    const entry = this.stage(options);
    if (entry !== null) this.producers.commit(entry);
  }

  stage(options: TestBatchOptions) {
    const bytes = batch(options);
    stampBaseOffset(bytes, 0, this.#next);
    this.#next += options.count ?? 1;
    return this.producers.stage(bytes, 0);
  }
}

function batch(options: TestBatchOptions): Uint8Array {
  return testBatch({ producerId: 1, producerEpoch: 0, ...options });
}

const byProducer = ({ entries }: ProducerStateManager) =>
  [...entries].toSorted((left, right) => left.producerId - right.producerId);

describe('producers', () => {
  it('K15: may go on where they stopped, and nowhere else', () => {
    const log = new Log();
    log.append({ sequence: 0, count: 3 });
    expect(log.check({ sequence: 3 })).toBe('next');
    expect(log.check({ sequence: 4 })).toBe('OUT_OF_ORDER_SEQUENCE_NUMBER');
    expect(log.check({ sequence: 1 })).toBe('OUT_OF_ORDER_SEQUENCE_NUMBER');
    expect(log.check({ producerId: 2, sequence: 77 }), 'an unknown producer begins anywhere').toBe('next');
  });

  it('K15: get the original offset of any of their last five batches', () => {
    const log = new Log();
    for (let round = 0; round < 7; round += 1) log.append({ sequence: round * 2, count: 2 });
    for (let round = 2; round < 7; round += 1) {
      expect(log.check({ sequence: round * 2, count: 2 })).toBe(`duplicate of ${round * 2}`);
    }
    expect(log.check({ sequence: 2, count: 2 }), 'the sixth last').toBe('OUT_OF_ORDER_SEQUENCE_NUMBER');
    expect(log.check({ sequence: 12, count: 1 }), 'a part of the last').toBe('OUT_OF_ORDER_SEQUENCE_NUMBER');
  });

  it('K15: count on from the largest sequence to 0', () => {
    const log = new Log();
    log.append({ sequence: LARGEST_SEQUENCE - 1, count: 2 });
    expect(log.check({ sequence: 0 })).toBe('next');
    log.append({ sequence: 0 });
    expect(log.check({ sequence: LARGEST_SEQUENCE - 1, count: 2 })).toBe('duplicate of 0');
    const spanning = new Log();
    spanning.append({ sequence: LARGEST_SEQUENCE, count: 3 });
    expect(spanning.check({ sequence: LARGEST_SEQUENCE, count: 3 })).toBe('duplicate of 0');
    expect(spanning.check({ sequence: 2 })).toBe('next');
  });

  it('K15: begin a later epoch with sequence 0, and are refused with an earlier one', () => {
    const log = new Log();
    log.append({ sequence: 5, producerEpoch: 2 });
    expect(log.check({ sequence: 6, producerEpoch: 1 })).toBe('INVALID_PRODUCER_EPOCH');
    expect(log.check({ sequence: 6, producerEpoch: 3 })).toBe('OUT_OF_ORDER_SEQUENCE_NUMBER');
    expect(log.check({ sequence: 0, producerEpoch: 3 })).toBe('next');
    log.append({ sequence: 0, producerEpoch: 3 });
    expect(log.check({ sequence: 5, producerEpoch: 2 }), 'no duplicate over epochs').toBe(
      'INVALID_PRODUCER_EPOCH',
    );
  });

  it('are checked against what is on its way, which a failed write takes back', () => {
    const log = new Log();
    log.append({ sequence: 0 });
    log.stage({ sequence: 1 });
    log.stage({ sequence: 2 });
    expect(log.check({ sequence: 3 })).toBe('next');
    expect(log.check({ sequence: 2 })).toBe('duplicate of 2');
    log.producers.dropStaged();
    expect(log.check({ sequence: 1 })).toBe('next');
    expect(log.producers.describe()[0]?.lastSequence).toBe(0);
  });

  it('replay a log to the same state, passing over what they know', () => {
    const appended = new Log();
    const replayed = new ProducerStateManager(0);
    for (let round = 0; round < 8; round += 1) {
      const options = { producerId: round % 2, sequence: Math.floor(round / 2) };
      appended.append(options);
      const bytes = testBatch({ producerEpoch: 0, ...options, baseOffset: round });
      const headers = new BatchHeaders(bytes);
      replayed.replay(bytes, 0, headers, round);
      replayed.replay(bytes, 0, headers, round);
    }
    expect([...replayed.entries]).toEqual([...appended.producers.entries]);
  });

  it('replay any log to the state that appending it gives, whenever they are asked', () => {
    const batch = fc.record({
      producerId: fc.integer({ min: -1, max: 3 }),
      newEpoch: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
      kind: fc.constantFrom('plain', 'plain', 'plain', 'transactional', 'end'),
      isAsked: fc.integer({ min: 0, max: 4 }).map((chance) => chance === 0),
    });
    fc.assert(
      fc.property(fc.array(batch, { maxLength: 60 }), (batches) => {
        const appended = new ProducerStateManager(0);
        const replayed = new ProducerStateManager(0);
        const epochs = new Map<number, number>();
        const sequences = new Map<number, number>();
        batches.forEach(({ producerId, newEpoch, kind, isAsked }, baseOffset) => {
          if (newEpoch) {
            epochs.set(producerId, (epochs.get(producerId) ?? 0) + 1);
            sequences.delete(producerId);
          }
          const sequence = sequences.get(producerId) ?? 0;
          const bytes = testBatch({
            producerId,
            producerEpoch: producerId < 0 ? -1 : (epochs.get(producerId) ?? 0),
            sequence: kind === 'end' ? -1 : sequence,
            baseOffset,
            attributes: kind === 'plain' ? 0 : kind === 'end' ? TRANSACTIONAL | CONTROL : TRANSACTIONAL,
          });
          if (kind !== 'end') sequences.set(producerId, sequence + 1);
          const entry = appended.stage(bytes, 0);
          if (entry !== null) appended.commit(entry);
          replayed.replay(bytes, 0, new BatchHeaders(bytes), baseOffset);
          if (isAsked) expect(byProducer(replayed)).toEqual(byProducer(appended));
        });
        expect(byProducer(replayed)).toEqual(byProducer(appended));
        expect(replayed.firstUnstableOffset).toBe(appended.firstUnstableOffset);
      }),
    );
  });

  it('bound the last stable offset while a transaction is open, and not after its end', () => {
    const log = new Log();
    log.append({ sequence: 0 });
    log.append({ sequence: 1, attributes: TRANSACTIONAL });
    log.append({ sequence: 2, attributes: TRANSACTIONAL });
    expect(log.producers.firstUnstableOffset).toBe(1);
    log.append({ attributes: TRANSACTIONAL | CONTROL });
    expect(log.producers.firstUnstableOffset).toBeNull();
    expect(log.check({ sequence: 3 })).toBe('next');
  });

  it('are forgotten after long silence, unless a transaction is open', () => {
    const log = new Log();
    log.append({ producerId: 1, sequence: 0, timestamp: 1000 });
    log.append({ producerId: 2, sequence: 0, timestamp: 1000, attributes: TRANSACTIONAL });
    log.append({ producerId: 3, sequence: 0, timestamp: 1500 });
    log.producers.removeExpired(2000, 1000);
    expect(log.producers.describe().map((producer) => producer.producerId)).toEqual([2, 3]);
  });
});

const TRANSACTIONAL = 0x10;
const CONTROL = 0x20;
