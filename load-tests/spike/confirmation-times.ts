/**
 * From the 202 to the row that confirms the order, for every order, read once the run is over instead of asked for while it
 * lasts. Two clocks are compared, the generator's and PostgreSQL's, which are one where both run on one machine. The row's
 * time is the beginning of its transaction, so the figure is short by a commit; and an order that was confirmed before its
 * buyer had the answer counts as 0.
 */
import type { JournalEntry } from '../audit/journal.ts';
import pg from 'pg';
import { isMeasured } from './buyer-names.ts';
import { LatencyHistogram } from './latency-histogram.ts';

/** Milliseconds since the epoch, by order. */
export type SettledTimes = ReadonlyMap<string, number>;

export interface ConfirmationTimes {
  readonly histogram: LatencyHistogram;
  /** The moment of the last one, in milliseconds since the epoch; null if there is none. */
  readonly lastAt: number | null;
  /** Confirmed before the answer was there. */
  readonly early: number;
}

const SETTLED = `
  SELECT id, (extract(epoch FROM settled_at) * 1000)::float8 AS settled_at FROM orders
  WHERE event_id = $1 AND status = 'CONFIRMED'`;

export async function readSettledTimes(databaseUrl: string, eventId: string): Promise<SettledTimes> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'seatlog-load' });
  // A connection that breaks is reported by the statement that was running.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string; settled_at: number }>(SETTLED, [eventId]);
    return new Map(rows.map((row) => [row.id, row.settled_at] as const));
  } finally {
    await client.end();
  }
}

/** Of the orders that were accepted in the measurement. */
export function confirmationTimes(
  journal: readonly JournalEntry[],
  settled: SettledTimes,
  runId: string,
): ConfirmationTimes {
  const histogram = LatencyHistogram.empty();
  let lastAt: number | null = null;
  let early = 0;
  for (const entry of journal) {
    if (entry.request !== 'reserve' || entry.outcome.kind !== 'accepted') continue;
    if (!isMeasured(runId, entry.idempotencyKey)) continue;
    const settledAt = settled.get(entry.outcome.orderId);
    if (settledAt === undefined) continue;
    if (settledAt < entry.at) early += 1;
    histogram.record(settledAt - entry.at);
    lastAt = Math.max(lastAt ?? settledAt, settledAt);
  }
  return { histogram, lastAt, early };
}
