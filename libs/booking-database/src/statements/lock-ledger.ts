/**
 * Locks and reads what a run of events is about. Locks are taken in one order everywhere, so that two workers never wait for
 * each other in a circle: seats by id, then orders by id. Reading comes in statements of its own, after the locks: at READ
 * COMMITTED each statement sees what was committed before it began, and so what the previous owner of the lock wrote.
 *
 * Whoever changes a reservation holds the lock of its order; whoever inserts one holds the locks of its seat and its order.
 */
import type { ReservationEvent, StoredOrder, StoredReservation, StoredState } from '@seatlog/booking';
import { sql } from 'kysely';
import type { BookingTransaction } from '../transaction.ts';
import {
  orderColumns,
  reservationColumns,
  storedOrder,
  storedReservation,
  type OrderRow,
  type ReservationRow,
} from './ledger-rows.ts';

export async function lockLedger(
  transaction: BookingTransaction,
  events: readonly ReservationEvent[],
): Promise<StoredState> {
  const seatIds = await lockSeats(transaction, unique(events.map((event) => event.seatId)));
  const known = new Set(seatIds);
  const processable = events.filter((event) => known.has(event.seatId));
  if (processable.length === 0) return { seatIds, orders: [], reservations: [] };
  await openOrders(transaction, processable);
  const orderIds = unique(processable.map((event) => event.orderId));
  const orders = await lockOrders(transaction, orderIds);
  const reservations = await readReservations(transaction, {
    seatIds,
    orderIds: orders.map((order) => order.orderId),
  });
  return { seatIds, orders, reservations };
}

/** The rows of these orders, locked; those that are not there are left out. */
export async function lockOrders(
  transaction: BookingTransaction,
  orderIds: readonly string[],
): Promise<StoredOrder[]> {
  const rows = await sql<OrderRow>`
    SELECT ${sql.join(orderColumns.map((column) => sql.ref(column)))}
    FROM orders WHERE id = ANY(${orderIds}::uuid[])
    ORDER BY id FOR NO KEY UPDATE`.execute(transaction);
  return rows.rows.map(storedOrder);
}

/** All reservations of these orders, and of each of these seats the live one and the one with the highest epoch. */
export async function readReservations(
  transaction: BookingTransaction,
  of: { readonly seatIds: readonly string[]; readonly orderIds: readonly string[] },
): Promise<StoredReservation[]> {
  const columns = sql.join(reservationColumns.map((column) => sql.ref(`r.${column}`)));
  // One index probe for each id. With `= ANY(...)` the planner scans the whole table for as long as it has no statistics,
  // which is just when sale has begun on an empty one.
  const rows = await sql<ReservationRow>`
    SELECT ${columns} FROM unnest(${of.orderIds}::uuid[]) AS wanted (id)
    CROSS JOIN LATERAL (SELECT * FROM reservations WHERE order_id = wanted.id OFFSET 0) AS r
    UNION ALL
    SELECT ${columns} FROM unnest(${of.seatIds}::text[]) AS wanted (id)
    CROSS JOIN LATERAL (
      SELECT * FROM reservations WHERE seat_id = wanted.id AND status = 'CONFIRMED' LIMIT 1
    ) AS r
    UNION ALL
    SELECT ${columns} FROM unnest(${of.seatIds}::text[]) AS wanted (id)
    CROSS JOIN LATERAL (
      SELECT * FROM reservations WHERE seat_id = wanted.id ORDER BY epoch DESC LIMIT 1
    ) AS r`.execute(transaction);
  return rows.rows.map(storedReservation);
}

async function lockSeats(transaction: BookingTransaction, seatIds: readonly string[]): Promise<string[]> {
  const rows = await sql<{ id: string }>`
    SELECT id FROM seats WHERE id = ANY(${seatIds}::text[]) ORDER BY id FOR NO KEY UPDATE`.execute(
    transaction,
  );
  return rows.rows.map((row) => row.id);
}

/**
 * An order of one seat is guarded by that seat's lock. The seats of a larger order may be with several workers at once, so
 * its row has to be there before it can be locked.
 */
async function openOrders(
  transaction: BookingTransaction,
  events: readonly ReservationEvent[],
): Promise<void> {
  const first = new Map<string, ReservationEvent>();
  for (const event of events) {
    if (event.orderSeats.length > 1 && !first.has(event.orderId)) first.set(event.orderId, event);
  }
  if (first.size === 0) return;
  const orders = [...first.values()];
  await sql`
    INSERT INTO orders (id, event_id, user_id, seats, currency, status, payment_reference)
    SELECT id, event_id, user_id, seats::jsonb, currency, 'PENDING', payment_reference
    FROM unnest(
      ${orders.map((event) => event.orderId)}::uuid[],
      ${orders.map((event) => event.eventId)}::text[],
      ${orders.map((event) => event.userId)}::text[],
      ${orders.map((event) => JSON.stringify(event.orderSeats))}::text[],
      ${orders.map((event) => event.price.currency)}::text[],
      ${orders.map((event) => ('paymentReference' in event ? event.paymentReference : null))}::text[]
    ) AS new_order (id, event_id, user_id, seats, currency, payment_reference)
    ORDER BY id
    ON CONFLICT (id) DO NOTHING`.execute(transaction);
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
