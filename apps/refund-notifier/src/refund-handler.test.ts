import { refundEvents, type RefundRequested } from '@seatlog/booking';
import type { ParkedRecord } from '@seatlog/booking-database';
import { createLogger } from '@seatlog/observability';
import { describe, expect, it } from 'vitest';
import { RefundHandler, type RefundRecord } from './refund-handler.ts';

function recordOf(offset: number, refundId: string | null): RefundRecord {
  return {
    topic: refundEvents.name,
    partition: 0,
    offset,
    timestamp: 0,
    key: 'seat',
    get value() {
      if (refundId === null) throw new Error('no JSON');
      return { refundId, reservationId: `r-${refundId}` } as RefundRequested;
    },
    headers: [],
    keyBytes: null,
    valueBytes: null,
  };
}

const REFUSED = 'refused';

function world() {
  const recorded = new Set<string>();
  const parked: ParkedRecord[] = [];
  const counts = { notified: 0, duplicates: 0, parked: 0 };
  let faults = 0;
  const handler = new RefundHandler({
    store: {
      async record(refunds) {
        if (faults > 0) {
          faults -= 1;
          throw new Error('database away');
        }
        if (refunds.some(({ refundId }) => refundId === REFUSED)) throw new Error('value out of range');
        const fresh = [...new Set(refunds.map(({ refundId }) => refundId))].filter((id) => !recorded.has(id));
        for (const id of fresh) recorded.add(id);
        return { recorded: fresh, duplicates: refunds.length - fresh.length };
      },
      park: async (record) => void parked.push(record),
      isPassing: (error) => error instanceof Error && error.message === 'database away',
    },
    meters: {
      notified: (count) => void (counts.notified += count),
      duplicates: (count) => void (counts.duplicates += count),
      parked: () => void (counts.parked += 1),
    },
    logger: createLogger({ service: 'test', level: 'silent' }),
    pause: async () => {},
    chance: () => 0,
  });
  return { handler, parked, counts, failTimes: (times: number) => void (faults = times) };
}

const never = new AbortController().signal;

describe('a batch of refund requests', () => {
  it('T6: gives one notice for each refund, however often its request comes', async () => {
    const { handler, counts } = world();
    await handler.handle([recordOf(0, 'x'), recordOf(1, 'y'), recordOf(2, 'x')], never);
    await handler.handle([recordOf(1, 'y')], never);
    expect(counts).toEqual({ notified: 2, duplicates: 2, parked: 0 });
  });

  it('T7: parks what it cannot read and goes on', async () => {
    const { handler, counts, parked } = world();
    await handler.handle([recordOf(0, null), recordOf(1, 'x')], never);
    expect(parked.map(({ offset, code }) => ({ offset, code }))).toEqual([
      { offset: 0, code: 'DECODE_FAILED' },
    ]);
    expect(counts).toEqual({ notified: 1, duplicates: 0, parked: 1 });
  });

  it('T7: parks what the database refuses, and gives all other notices', async () => {
    const { handler, counts, parked } = world();
    await handler.handle(
      ['a', 'b', REFUSED, 'c', REFUSED].map((refundId, offset) => recordOf(offset, refundId)),
      never,
    );
    expect(parked.map(({ offset, code }) => ({ offset, code }))).toEqual([
      { offset: 2, code: 'DATABASE_REFUSED' },
      { offset: 4, code: 'DATABASE_REFUSED' },
    ]);
    expect(counts).toEqual({ notified: 3, duplicates: 0, parked: 2 });
  });

  it('T7: waits a passing fault out', async () => {
    const { handler, counts, failTimes } = world();
    failTimes(3);
    await handler.handle([recordOf(0, 'x')], never);
    expect(counts.notified).toBe(1);
  });
});
