import { describe, expect, it } from 'vitest';
import type { JournalEntry } from '../audit/journal.ts';
import { buyerName, isMeasured } from './buyer-names.ts';
import { confirmationTimes } from './confirmation-times.ts';

const accepted = (
  orderId: string,
  at: number,
  section: 'warm-up' | 'measurement' = 'measurement',
): JournalEntry => ({
  at,
  userId: orderId,
  eventId: 'gala',
  idempotencyKey: buyerName('run', section, 7),
  request: 'reserve',
  seatIds: ['gala:S1-1-1'],
  outcome: { kind: 'accepted', orderId, reservationIds: [`r-${orderId}`] },
});
const refused: JournalEntry = {
  ...accepted('x', 1_000),
  request: 'reserve',
  seatIds: [],
  outcome: { kind: 'refused', status: 409, code: 'SEAT_TAKEN' },
};

describe('confirmation times', () => {
  it('are those of measured, accepted and confirmed orders', () => {
    const journal = [
      accepted('warm-up', 900, 'warm-up'),
      accepted('a', 1_000),
      accepted('b', 1_100),
      refused,
      accepted('open', 1_200),
    ];
    const settled = new Map([
      ['warm-up', 950],
      ['a', 1_020],
      ['b', 1_500],
      ['x', 1_600],
    ]);
    const { histogram, lastAt, early } = confirmationTimes(journal, settled, 'run');
    expect(histogram.figures()).toMatchObject({ count: 2 });
    expect(histogram.figures().p50).toBeCloseTo(20, 0);
    expect(histogram.figures().max).toBeCloseTo(400, -1);
    expect([lastAt, early]).toEqual([1_500, 0]);
  });

  it('are 0 for an order that was confirmed before its buyer knew', () => {
    const { histogram, early } = confirmationTimes([accepted('a', 1_000)], new Map([['a', 990]]), 'run');
    expect(histogram.figures()).toMatchObject({ count: 1, max: 0 });
    expect(early).toBe(1);
  });
});

describe('names of the crowd', () => {
  it('tell the measurement from the warm-up, and this run from others', () => {
    expect(isMeasured('run-1', buyerName('run-1', 'measurement', 12))).toBe(true);
    expect(isMeasured('run-1', buyerName('run-1', 'warm-up', 12))).toBe(false);
    expect(isMeasured('run-1', buyerName('run-12', 'measurement', 1))).toBe(false);
  });
});
