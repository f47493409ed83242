/** Writes what a ledger changed: a statement for each kind of row, however many rows there are. */
import {
  partitionKey,
  refundEvents,
  type LedgerChanges,
  type PartitionKeyKind,
  type RefundRequested,
  type StoredOrder,
  type StoredReservation,
} from '@seatlog/booking';
import { sql } from 'kysely';
import { ConcurrentChangeError, isUniqueViolation } from '../database-error.ts';
import { OUTBOX_CHANNEL } from '../outbox-channel.ts';
import type { BookingTransaction } from '../transaction.ts';

export async function writeLedger(
  transaction: BookingTransaction,
  changes: LedgerChanges,
  keyKind: PartitionKeyKind,
): Promise<void> {
  await insertOrders(transaction, changes.insertedOrders);
  await updateOrders(transaction, changes.updatedOrders);
  // Seats are given back before they are taken.
  await updateReservations(transaction, changes.updatedReservations);
  await insertReservations(transaction, changes.insertedReservations);
  await insertRefundRequests(transaction, changes.refunds, keyKind);
}

async function insertOrders(transaction: BookingTransaction, orders: readonly StoredOrder[]): Promise<void> {
  if (orders.length === 0) return;
  const insertion = sql`
    INSERT INTO orders (id, event_id, user_id, seats, currency, status, reason, payment_reference, settled_at)
    SELECT id, event_id, user_id, seats::jsonb, currency, status, reason, payment_reference,
           CASE WHEN status <> 'PENDING' THEN now() END
    FROM unnest(
      ${orders.map((order) => order.orderId)}::uuid[],
      ${orders.map((order) => order.eventId)}::text[],
      ${orders.map((order) => order.userId)}::text[],
      ${orders.map((order) => JSON.stringify(order.seats))}::text[],
      ${orders.map((order) => order.currency)}::text[],
      ${orders.map((order) => order.status)}::text[],
      ${orders.map((order) => order.reason)}::text[],
      ${orders.map((order) => order.paymentReference)}::text[]
    ) AS new_order (id, event_id, user_id, seats, currency, status, reason, payment_reference)`;
  await unlessTheyAreThere(insertion.execute(transaction));
}

async function updateOrders(transaction: BookingTransaction, orders: readonly StoredOrder[]): Promise<void> {
  if (orders.length === 0) return;
  await sql`
    UPDATE orders SET
      status = changed.status,
      reason = changed.reason,
      payment_reference = changed.payment_reference,
      settled_at = CASE WHEN changed.status <> 'PENDING' THEN coalesce(orders.settled_at, now()) END
    FROM unnest(
      ${orders.map((order) => order.orderId)}::uuid[],
      ${orders.map((order) => order.status)}::text[],
      ${orders.map((order) => order.reason)}::text[],
      ${orders.map((order) => order.paymentReference)}::text[]
    ) AS changed (id, status, reason, payment_reference)
    WHERE orders.id = changed.id`.execute(transaction);
}

async function updateReservations(
  transaction: BookingTransaction,
  reservations: readonly StoredReservation[],
): Promise<void> {
  if (reservations.length === 0) return;
  await sql`
    UPDATE reservations SET status = changed.status, reason = changed.reason, ended_at = now()
    FROM unnest(
      ${reservations.map((reservation) => reservation.reservationId)}::uuid[],
      ${reservations.map((reservation) => reservation.status)}::text[],
      ${reservations.map((reservation) => reservation.reason)}::text[]
    ) AS changed (id, status, reason)
    WHERE reservations.id = changed.id`.execute(transaction);
}

/**
 * The ledger has decided under locks, so nothing should stand in the way of these rows. If something does (a worker that
 * went around the locks), the unique index holds, and the transaction is run again on what is stored by then: that is
 * where a duplicate and a seat that is sold are told apart.
 */
async function insertReservations(
  transaction: BookingTransaction,
  reservations: LedgerChanges['insertedReservations'],
): Promise<void> {
  if (reservations.length === 0) return;
  const insertion = sql`
    INSERT INTO reservations (id, order_id, event_id, seat_id, user_id, epoch, status, reason, price, currency,
                              occurred_at, source_partition, source_offset, ended_at)
    SELECT id, order_id, event_id, seat_id, user_id, epoch, status, reason, price, currency,
           to_timestamp(occurred_at / 1000.0), source_partition, source_offset,
           CASE WHEN status <> 'CONFIRMED' THEN now() END
    FROM unnest(
      ${reservations.map((reservation) => reservation.reservationId)}::uuid[],
      ${reservations.map((reservation) => reservation.orderId)}::uuid[],
      ${reservations.map((reservation) => reservation.eventId)}::text[],
      ${reservations.map((reservation) => reservation.seatId)}::text[],
      ${reservations.map((reservation) => reservation.userId)}::text[],
      ${reservations.map((reservation) => reservation.epoch)}::bigint[],
      ${reservations.map((reservation) => reservation.status)}::text[],
      ${reservations.map((reservation) => reservation.reason)}::text[],
      ${reservations.map((reservation) => reservation.price.amount)}::integer[],
      ${reservations.map((reservation) => reservation.price.currency)}::text[],
      ${reservations.map((reservation) => reservation.occurredAt)}::bigint[],
      ${reservations.map((reservation) => reservation.source?.partition ?? null)}::integer[],
      ${reservations.map((reservation) => reservation.source?.offset ?? null)}::bigint[]
    ) AS new_reservation (id, order_id, event_id, seat_id, user_id, epoch, status, reason, price, currency,
                          occurred_at, source_partition, source_offset)`;
  await unlessTheyAreThere(insertion.execute(transaction));
}

/** In the same transaction as what they are owed for; ids rise in the order of the list. */
async function insertRefundRequests(
  transaction: BookingTransaction,
  refunds: readonly RefundRequested[],
  keyKind: PartitionKeyKind,
): Promise<void> {
  if (refunds.length === 0) return;
  await sql`
    INSERT INTO outbox (message_id, topic, record_key, payload)
    SELECT message_id, ${refundEvents.name}, record_key, payload::jsonb
    FROM unnest(
      ${refunds.map((refund) => refund.refundId)}::uuid[],
      ${refunds.map((refund) => partitionKey(keyKind, refund))}::text[],
      ${refunds.map((refund) => JSON.stringify(refund))}::text[]
    ) WITH ORDINALITY AS message (message_id, record_key, payload, position)
    ORDER BY position`.execute(transaction);
  // A hint for the relay, which polls anyway. NOTIFY takes a lock of the whole database at commit, so it is sent on this
  // path only, where rows are few.
  await sql`SELECT pg_notify(${OUTBOX_CHANNEL}, '')`.execute(transaction);
}

/** `ON CONFLICT DO NOTHING` would tell the same by the count of rows, and cost a fifth more for each of them. */
async function unlessTheyAreThere(insertion: Promise<unknown>): Promise<void> {
  try {
    await insertion;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new ConcurrentChangeError('another transaction has inserted a row of these', { cause: error });
  }
}
