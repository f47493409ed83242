/** Rows of orders and reservations, as the ledger of `booking` knows them. */
import type { StoredOrder, StoredReservation } from '@seatlog/booking';
import type { Selectable } from 'kysely';
import type { OrdersTable, ReservationsTable } from '../schema.ts';

export const orderColumns = [
  'id',
  'event_id',
  'user_id',
  'seats',
  'currency',
  'status',
  'reason',
  'payment_reference',
] as const;

export type OrderRow = Pick<Selectable<OrdersTable>, (typeof orderColumns)[number]>;

export function storedOrder(row: OrderRow): StoredOrder {
  return {
    orderId: row.id,
    eventId: row.event_id,
    userId: row.user_id,
    seats: row.seats,
    currency: row.currency,
    status: row.status,
    reason: row.reason,
    paymentReference: row.payment_reference,
  };
}

export const reservationColumns = [
  'id',
  'order_id',
  'event_id',
  'seat_id',
  'user_id',
  'epoch',
  'status',
  'reason',
  'price',
  'currency',
  'occurred_at',
] as const;

export type ReservationRow = Pick<Selectable<ReservationsTable>, (typeof reservationColumns)[number]>;

export function storedReservation(row: ReservationRow): StoredReservation {
  return {
    reservationId: row.id,
    orderId: row.order_id,
    eventId: row.event_id,
    seatId: row.seat_id,
    userId: row.user_id,
    epoch: row.epoch,
    status: row.status,
    reason: row.reason,
    price: { amount: row.price, currency: row.currency },
    occurredAt: row.occurred_at.getTime(),
  };
}
