/**
 * Gives up on orders whose missing seats did not come: the API died between two records, or could not write one of them and
 * the buyer never asked again. Their seats go free, and all that was paid is refunded.
 */
import { ReservationLedger, type PartitionKeyKind, type SeatSettlement } from '@seatlog/booking';
import { sql } from 'kysely';
import type { BookingDatabase } from '../database.ts';
import { inTransaction } from '../transaction.ts';
import { lockOrders, readReservations } from './lock-ledger.ts';
import { writeLedger } from './write-ledger.ts';

export interface RejectIncompleteOptions {
  /** Far longer than the worker's worst lag: the missing record may still be on its way. */
  readonly olderThanMs: number;
  readonly limit: number;
  readonly now: number;
  readonly keyKind?: PartitionKeyKind;
}

export interface RejectedOrders {
  readonly orderIds: readonly string[];
  readonly settlements: readonly SeatSettlement[];
}

export async function rejectIncompleteOrders(
  database: BookingDatabase,
  options: RejectIncompleteOptions,
): Promise<RejectedOrders> {
  const { olderThanMs, limit, now, keyKind = 'seat' } = options;
  return inTransaction(database, async (transaction) => {
    const candidates = await sql<{ id: string }>`
      SELECT id FROM orders
      WHERE status = 'PENDING' AND created_at < now() - ${olderThanMs} * interval '1 millisecond'
      ORDER BY created_at LIMIT ${limit}`.execute(transaction);
    if (candidates.rows.length === 0) return { orderIds: [], settlements: [] };
    const orders = await lockOrders(
      transaction,
      candidates.rows.map((row) => row.id),
    );
    const orderIds = orders.map((order) => order.orderId);
    const reservations = await readReservations(transaction, { seatIds: [], orderIds });
    const ledger = new ReservationLedger({ seatIds: [], orders, reservations }, now);
    const rejected = orderIds.filter((orderId) => ledger.rejectIncomplete(orderId));
    await writeLedger(transaction, ledger.changes(), keyKind);
    return { orderIds: rejected, settlements: ledger.settlements() };
  });
}
