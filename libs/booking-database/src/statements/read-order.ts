/** The state of one order with its seats, for its buyer. */
import type { EndReason, OrderStatus, ReservationStatus } from '@seatlog/booking';
import type { BookingDatabase } from '../database.ts';

export interface OrderState {
  readonly orderId: string;
  readonly eventId: string;
  readonly userId: string;
  readonly status: OrderStatus;
  readonly reason: EndReason | null;
  readonly createdAt: Date;
  readonly settledAt: Date | null;
  readonly seats: readonly SeatOfOrder[];
}

export interface SeatOfOrder {
  readonly seatId: string;
  readonly reservationId: string;
  readonly epoch: number;
  readonly status: ReservationStatus;
  readonly reason: EndReason | null;
  readonly price: number;
  readonly currency: string;
  readonly recordedAt: Date;
  /** The record that first spoke of it; null if none did. */
  readonly source: { readonly partition: number; readonly offset: number } | null;
}

/** null if nothing of it has been recorded yet. Seats that are not recorded yet are left out. */
export async function readOrder(database: BookingDatabase, orderId: string): Promise<OrderState | null> {
  const rows = await database
    .selectFrom('orders')
    .leftJoin('reservations', 'reservations.order_id', 'orders.id')
    .where('orders.id', '=', orderId)
    .select([
      'orders.id as order_id',
      'orders.event_id',
      'orders.user_id',
      'orders.status as order_status',
      'orders.reason as order_reason',
      'orders.created_at',
      'orders.settled_at',
      'reservations.id as reservation_id',
      'reservations.seat_id',
      'reservations.epoch',
      'reservations.status',
      'reservations.reason',
      'reservations.price',
      'reservations.currency',
      'reservations.recorded_at',
      'reservations.source_partition',
      'reservations.source_offset',
    ])
    .orderBy('reservations.seat_id')
    .execute();
  const [order] = rows;
  if (order === undefined) return null;
  return {
    orderId: order.order_id,
    eventId: order.event_id,
    userId: order.user_id,
    status: order.order_status,
    reason: order.order_reason,
    createdAt: order.created_at,
    settledAt: order.settled_at,
    seats: rows.flatMap(seatOf),
  };
}

type Nullable<T> = { [K in keyof T]: T[K] | null };

function seatOf(
  row: Nullable<{
    reservation_id: string;
    seat_id: string;
    epoch: number;
    status: ReservationStatus;
    reason: EndReason;
    price: number;
    currency: string;
    recorded_at: Date;
    source_partition: number;
    source_offset: number;
  }>,
): SeatOfOrder[] {
  const { reservation_id: reservationId, seat_id: seatId, epoch, status, price, currency, recorded_at } = row;
  if (reservationId === null || seatId === null || epoch === null || status === null) return [];
  if (price === null || currency === null || recorded_at === null) return [];
  const { source_partition: partition, source_offset: offset, reason } = row;
  const source = partition === null || offset === null ? null : { partition, offset };
  return [{ seatId, reservationId, epoch, status, reason, price, currency, recordedAt: recorded_at, source }];
}
