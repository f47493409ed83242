/** Refunds are applied once each, however often their message comes: inbox and refund in one statement. */
import type { RefundRequested } from '@seatlog/booking';
import { sql } from 'kysely';
import type { BookingDatabase } from '../database.ts';

export interface RecordedRefunds {
  /** Ids of the refunds that were recorded now: whatever else has to be done once for each is done for these. */
  readonly recorded: readonly string[];
  readonly duplicates: number;
}

/** `consumer` names who applies them; the same name for all processes of one kind. */
export async function recordRefunds(
  database: BookingDatabase,
  consumer: string,
  refunds: readonly RefundRequested[],
): Promise<RecordedRefunds> {
  const once = [...new Map(refunds.map((refund) => [refund.refundId, refund])).values()];
  if (once.length === 0) return { recorded: [], duplicates: 0 };
  const recorded = await sql<{ id: string }>`
    WITH message AS (
      SELECT * FROM unnest(
        ${once.map((refund) => refund.refundId)}::uuid[],
        ${once.map((refund) => refund.reservationId)}::uuid[],
        ${once.map((refund) => refund.orderId)}::uuid[],
        ${once.map((refund) => refund.userId)}::text[],
        ${once.map((refund) => refund.seatId)}::text[],
        ${once.map((refund) => refund.price.amount)}::integer[],
        ${once.map((refund) => refund.price.currency)}::text[],
        ${once.map((refund) => refund.reason)}::text[],
        ${once.map((refund) => refund.paymentReference)}::text[],
        ${once.map((refund) => refund.occurredAt)}::bigint[]
      ) AS of (id, reservation_id, order_id, user_id, seat_id, amount, currency, reason, payment_reference, occurred_at)
    ), first_seen AS (
      INSERT INTO inbox (consumer, message_id) SELECT ${consumer}, id FROM message ORDER BY id
      ON CONFLICT DO NOTHING RETURNING message_id
    )
    INSERT INTO refunds (id, reservation_id, order_id, user_id, seat_id, amount, currency, reason, payment_reference,
                         requested_at)
    SELECT id, reservation_id, order_id, user_id, seat_id, amount, currency, reason, payment_reference,
           to_timestamp(occurred_at / 1000.0)
    FROM message JOIN first_seen ON message_id = id
    ORDER BY id
    ON CONFLICT DO NOTHING RETURNING id`.execute(database);
  const ids = recorded.rows.map((row) => row.id);
  return { recorded: ids, duplicates: refunds.length - ids.length };
}
