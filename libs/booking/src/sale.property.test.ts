import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLive } from './reservation-state.ts';
import { SaleModel, type SaleStep } from './testing/sale-model.ts';

const steps: fc.Arbitrary<SaleStep> = fc.record({
  kind: fc.constantFrom('buy', 'buy', 'retry', 'expire', 'work', 'work', 'crash', 'cancel', 'give-up'),
  who: fc.nat(7),
  seats: fc.array(fc.nat(3), { minLength: 1, maxLength: 3 }),
  outcome: fc.constantFrom('written', 'written', 'unknown-written', 'unknown-lost', 'partly', 'not-written'),
});
const sales = fc.array(steps, { minLength: 20, maxLength: 80, size: 'max' });

/** What may never be seen, at any moment. */
function violationsNow(sale: SaleModel): string[] {
  const violations: string[] = [];
  const all = [...sale.store.reservations.values()];
  for (const seatId of sale.seatIds) {
    // In the order in which they were recorded: whoever is live came with the highest epoch so far.
    const ofSeat = all.filter((each) => each.seatId === seatId);
    if (ofSeat.filter(isLive).length > 1) violations.push(`${seatId} is sold twice`);
    const live = ofSeat.findIndex(isLive);
    const before = ofSeat.slice(0, Math.max(live, 0)).map((each) => each.epoch);
    const epoch = ofSeat[live]?.epoch ?? Infinity;
    if (before.some((earlier) => earlier >= epoch)) violations.push(`${seatId} is sold under a stale epoch`);
  }
  const refunded = sale.store.refunds.map((refund) => refund.reservationId);
  const owed = all.filter((each) => !isLive(each)).map((each) => each.reservationId);
  if (refunded.toSorted().join() !== owed.toSorted().join()) violations.push('refunds are not what is owed');
  return violations;
}

function violationsOnceDrained(sale: SaleModel): string[] {
  const violations = violationsNow(sale);
  for (const { orderId, status, seats } of sale.store.orders.values()) {
    const ofOrder = [...sale.store.reservations.values()].filter((each) => each.orderId === orderId);
    const live = ofOrder.filter(isLive).length;
    if (live !== (status === 'CONFIRMED' ? seats.length : 0)) violations.push(`${status} with ${live} seats`);
  }
  for (const orderId of sale.accepted.keys()) {
    const status = sale.store.orders.get(orderId)?.status ?? 'nothing';
    if (status === 'PENDING' || status === 'nothing') violations.push(`a 202 came to ${status}`);
  }
  return violations;
}

describe('any interleaving of buyers, retries, expiries, crashes and cancellations', () => {
  it('T3, F61, F63, F65: never two live reservations of a seat, every 202 one outcome, every loss one refund', () => {
    fc.assert(
      fc.property(sales, fc.boolean(), (taken, lockEnabled) => {
        const sale = new SaleModel({ lockEnabled });
        for (const step of taken) {
          sale.take(step);
          expect(violationsNow(sale)).toEqual([]);
        }
        sale.drain();
        expect(violationsOnceDrained(sale)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('an outcome once reached stays: only CONFIRMED may still become CANCELLED', () => {
    fc.assert(
      fc.property(sales, (taken) => {
        const sale = new SaleModel({ lockEnabled: true });
        let before = sale.orderStatuses();
        for (const step of taken) {
          sale.take(step);
          const after = sale.orderStatuses();
          for (const [orderId, status] of before) {
            const allowed = {
              PENDING: ['PENDING', 'CONFIRMED', 'REJECTED', 'CANCELLED'],
              CONFIRMED: ['CONFIRMED', 'CANCELLED'],
              REJECTED: ['REJECTED'],
              CANCELLED: ['CANCELLED'],
            }[status];
            expect(allowed).toContain(after.get(orderId));
          }
          before = after;
        }
      }),
      { numRuns: 300 },
    );
  });

  it('F65: applying the whole log again changes nothing', () => {
    fc.assert(
      fc.property(sales, (taken) => {
        const sale = new SaleModel({ lockEnabled: true });
        for (const step of taken) sale.take(step);
        sale.drain();
        const before = structuredClone([sale.store.orders, sale.store.reservations, sale.store.refunds]);
        for (const events of sale.log) sale.store.apply(...events);
        expect([sale.store.orders, sale.store.reservations, sale.store.refunds]).toEqual(before);
      }),
      { numRuns: 200 },
    );
  });

  it('negative control: the checks see a seat sold twice, a refund missing, an order broken, a 202 lost', () => {
    const sale = new SaleModel({ lockEnabled: true });
    sale.take({ kind: 'buy', who: 1, seats: [0], outcome: 'written' });
    sale.drain();
    const [sold] = sale.store.reservations.values();
    if (sold === undefined) throw new Error('nothing was sold');
    expect(violationsOnceDrained(sale)).toEqual([]);
    sale.store.reservations.set('copy', { ...sold, reservationId: 'copy' });
    expect(violationsNow(sale)).toEqual(['gala:A-1-1 is sold twice']);
    sale.store.reservations.set('copy', {
      ...sold,
      reservationId: 'copy',
      status: 'CANCELLED',
      reason: 'BUYER',
    });
    expect(violationsNow(sale)).toEqual(['refunds are not what is owed']);
    sale.store.reservations.clear();
    expect(violationsOnceDrained(sale)).toEqual(['CONFIRMED with 0 seats']);
    sale.store.orders.clear();
    expect(violationsOnceDrained(sale)).toEqual(['a 202 came to nothing']);
  });
});
