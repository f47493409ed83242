/** What Postgres holds, read in one snapshot: all tables as of one moment. */
import type { EndReason, OrderSeat, OrderStatus, ReservationStatus } from '@seatlog/booking';
import pg from 'pg';
import type { DatabaseFacts } from '../audit/facts.ts';

interface OrderRow {
  readonly id: string;
  readonly user_id: string;
  readonly seats: readonly OrderSeat[];
  readonly status: OrderStatus;
  readonly reason: EndReason | null;
}

interface ReservationRow {
  readonly id: string;
  readonly order_id: string;
  readonly seat_id: string;
  readonly user_id: string;
  readonly epoch: number;
  readonly status: ReservationStatus;
  readonly reason: EndReason | null;
  readonly price: number;
  readonly currency: string;
  readonly source_partition: number | null;
  readonly source_offset: number | null;
}

interface RefundRow {
  readonly id: string;
  readonly reservation_id: string;
  readonly amount: number;
  readonly currency: string;
}

/** bigint columns are cast, because the driver gives them as text: all of them lie below 2^53. */
const ORDERS = 'SELECT id, user_id, seats, status, reason FROM orders';
const RESERVATIONS = `
  SELECT id, order_id, seat_id, user_id, epoch::float8, status, reason, price, currency,
         source_partition, source_offset::float8
  FROM reservations`;
const REFUNDS = 'SELECT id, reservation_id, amount, currency FROM refunds';
const OUTBOX = 'SELECT message_id AS id FROM outbox ORDER BY id';
const PARKED = `
  SELECT topic || '-' || partition || '@' || record_offset AS id FROM parked_records
  WHERE replayed_at IS NULL ORDER BY parked_records.id`;

export async function collectDatabase(databaseUrl: string): Promise<DatabaseFacts> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'seatlog-audit' });
  // A connection that breaks is reported by the statement that was running.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const ids = async (text: string): Promise<readonly string[]> =>
      (await client.query<{ id: string }>(text)).rows.map(({ id }) => id);
    return {
      seatIds: await ids('SELECT id FROM seats'),
      orders: (await client.query<OrderRow>(ORDERS)).rows.map(toOrder),
      reservations: (await client.query<ReservationRow>(RESERVATIONS)).rows.map(toReservation),
      refunds: (await client.query<RefundRow>(REFUNDS)).rows.map(toRefund),
      outbox: await ids(OUTBOX),
      parked: await ids(PARKED),
    };
  } finally {
    await client.end();
  }
}

function toOrder(row: OrderRow): DatabaseFacts['orders'][number] {
  return { orderId: row.id, userId: row.user_id, seats: row.seats, status: row.status, reason: row.reason };
}

function toReservation(row: ReservationRow): DatabaseFacts['reservations'][number] {
  const { source_partition: partition, source_offset: offset } = row;
  return {
    reservationId: row.id,
    orderId: row.order_id,
    seatId: row.seat_id,
    userId: row.user_id,
    epoch: row.epoch,
    status: row.status,
    reason: row.reason,
    price: { amount: row.price, currency: row.currency },
    source: partition === null || offset === null ? null : { partition, offset },
  };
}

function toRefund(row: RefundRow): DatabaseFacts['refunds'][number] {
  return {
    refundId: row.id,
    reservationId: row.reservation_id,
    price: { amount: row.amount, currency: row.currency },
  };
}
