/**
 * Looks for what must not be, once everything has drained; reads only. Every figure of `violations` has to be 0. The unique
 * index makes some of them impossible, and they are looked for all the same: an audit that trusts its subject is none.
 * 30,000 sold seats take a tenth of a second; for millions, open the database with a longer `statementTimeoutMs`.
 */
import { sql } from 'kysely';
import type { BookingDatabase } from '../database.ts';

export interface AuditReport {
  readonly violations: AuditViolations;
  readonly totals: AuditTotals;
}

export interface AuditViolations {
  /** Seats with more than one live reservation. */
  readonly doubledSeats: number;
  /** Live reservations of seats that are not there. */
  readonly soldUnknownSeats: number;
  /** Live reservations recorded after one of the same seat with a later epoch: a stale epoch was let in. */
  readonly staleSales: number;
  /** Orders still PENDING. */
  readonly pendingOrders: number;
  /** CONFIRMED orders not all of whose seats are live, and failed ones with a live seat. */
  readonly brokenOrders: number;
  /** Ended reservations without their refund. */
  readonly missingRefunds: number;
  /** Refunds of reservations that are live, or not there, or of another amount. */
  readonly wrongRefunds: number;
  readonly outboxMessages: number;
  readonly parkedRecords: number;
}

export interface AuditTotals {
  readonly seats: number;
  readonly sold: number;
  readonly free: number;
  readonly confirmedOrders: number;
  readonly rejectedOrders: number;
  readonly cancelledOrders: number;
  /** Reservations refused although their buyer had been given a lock. */
  readonly lateRejections: number;
  readonly refunds: number;
}

export async function audit(database: BookingDatabase): Promise<AuditReport> {
  return database
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (transaction) => {
      // Whole tables are compared: that has to be done by hashing, also before there are statistics to tell the planner so.
      await sql`SET LOCAL enable_nestloop = off`.execute(transaction);
      const { rows } = await figuresOf.execute(transaction);
      const [figures] = rows;
      if (figures === undefined) throw new Error('the audit gave no row');
      return reportOf(figures);
    });
}

const figuresOf = sql<AuditViolations & AuditTotals>`
  WITH live AS (SELECT * FROM reservations WHERE status = 'CONFIRMED'),
       ended AS (SELECT * FROM reservations WHERE status <> 'CONFIRMED'),
       live_of_order AS (SELECT order_id, count(*) AS seats FROM live GROUP BY order_id)
  SELECT
    (SELECT count(*) FROM (SELECT FROM live GROUP BY seat_id HAVING count(*) > 1) AS doubled) AS "doubledSeats",
    (SELECT count(*) FROM live WHERE NOT EXISTS (SELECT FROM seats WHERE id = seat_id)) AS "soldUnknownSeats",
    (SELECT count(*) FROM live WHERE EXISTS (
      SELECT FROM ended AS later
      WHERE later.seat_id = live.seat_id AND later.epoch > live.epoch AND later.recorded_at < live.recorded_at
    )) AS "staleSales",
    (SELECT count(*) FROM orders WHERE status = 'PENDING') AS "pendingOrders",
    (SELECT count(*) FROM orders LEFT JOIN live_of_order ON order_id = orders.id
     WHERE status <> 'PENDING' AND coalesce(live_of_order.seats, 0) <>
           CASE status WHEN 'CONFIRMED' THEN jsonb_array_length(orders.seats) ELSE 0 END) AS "brokenOrders",
    (SELECT count(*) FROM ended WHERE NOT EXISTS (SELECT FROM refunds WHERE reservation_id = ended.id))
      AS "missingRefunds",
    (SELECT count(*) FROM refunds WHERE NOT EXISTS (
      SELECT FROM ended WHERE ended.id = reservation_id AND ended.price = refunds.amount
    )) AS "wrongRefunds",
    (SELECT count(*) FROM outbox) AS "outboxMessages",
    (SELECT count(*) FROM parked_records WHERE replayed_at IS NULL) AS "parkedRecords",
    (SELECT count(*) FROM seats) AS "seats",
    (SELECT count(*) FROM live) AS "sold",
    (SELECT count(*) FROM seats WHERE NOT EXISTS (SELECT FROM live WHERE seat_id = seats.id)) AS "free",
    (SELECT count(*) FROM orders WHERE status = 'CONFIRMED') AS "confirmedOrders",
    (SELECT count(*) FROM orders WHERE status = 'REJECTED') AS "rejectedOrders",
    (SELECT count(*) FROM orders WHERE status = 'CANCELLED') AS "cancelledOrders",
    (SELECT count(*) FROM reservations WHERE status = 'REJECTED') AS "lateRejections",
    (SELECT count(*) FROM refunds) AS "refunds"`;

function reportOf(figures: AuditViolations & AuditTotals): AuditReport {
  const { doubledSeats, soldUnknownSeats, staleSales, pendingOrders, brokenOrders, ...rest } = figures;
  const { missingRefunds, wrongRefunds, outboxMessages, parkedRecords, ...totals } = rest;
  return {
    violations: {
      doubledSeats,
      soldUnknownSeats,
      staleSales,
      pendingOrders,
      brokenOrders,
      missingRefunds,
      wrongRefunds,
      outboxMessages,
      parkedRecords,
    },
    totals,
  };
}

/** Of the orders that buyers were given a 202 for, those without a terminal state: lost ones and PENDING ones. */
export async function ordersWithoutOutcome(
  database: BookingDatabase,
  orderIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT accepted.id FROM unnest(${orderIds}::uuid[]) AS accepted (id)
    WHERE NOT EXISTS (SELECT FROM orders WHERE orders.id = accepted.id AND status <> 'PENDING')`.execute(
    database,
  );
  return rows.map((row) => row.id);
}
