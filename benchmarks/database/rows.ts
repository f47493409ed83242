/** Reservations as the worker writes them, each with an order and a seat of its own. */
import { randomUUID } from 'node:crypto';
import type { LedgerChanges, StoredOrder } from '@seatlog/booking';

export type ReservationRow = LedgerChanges['insertedReservations'][number];

const EVENT = 'benchmark';
const CURRENCY = 'EUR';
const PRICE = 4500;
const OCCURRED_AT = Date.UTC(2030, 4, 18);

export function makeRows(count: number): { orders: readonly StoredOrder[]; rows: readonly ReservationRow[] } {
  const rows = Array.from(
    { length: count },
    (_, index): ReservationRow => ({
      reservationId: randomUUID(),
      orderId: randomUUID(),
      eventId: EVENT,
      seatId: `${EVENT}:A-${1 + Math.floor(index / 100)}-${1 + (index % 100)}`,
      userId: `buyer-${index}`,
      epoch: 1_790_000_000_000_000 + index,
      status: 'CONFIRMED',
      reason: null,
      price: { amount: PRICE, currency: CURRENCY },
      occurredAt: OCCURRED_AT + index,
      source: { partition: index % 6, offset: index },
    }),
  );
  const orders = rows.map(
    ({ orderId, seatId, userId, epoch }): StoredOrder => ({
      orderId,
      eventId: EVENT,
      userId,
      seats: [{ seatId, epoch, amount: PRICE }],
      currency: CURRENCY,
      status: 'CONFIRMED',
      reason: null,
      paymentReference: `payment-${orderId}`,
    }),
  );
  return { orders, rows };
}

export function changesOf(changes: Partial<LedgerChanges>): LedgerChanges {
  return {
    insertedOrders: [],
    updatedOrders: [],
    updatedReservations: [],
    insertedReservations: [],
    refunds: [],
    ...changes,
  };
}
