/**
 * The outbox from the relay's side: claim, publish, delete. A claim is a lease, not an open transaction, so that publishing
 * holds no lock; a relay that dies leaves it to run out. Whoever claims a key claims a run from its oldest message on, and
 * while the oldest is claimed by one, or waits after a failure, nobody else gets a later one: the order of a key holds with
 * any number of relays. A message may be published twice (the relay died before deleting, or overran its lease), under the
 * same message id.
 */
import { sql } from 'kysely';
import type { BookingDatabase } from '../database.ts';

export interface OutboxMessage {
  readonly id: number;
  readonly messageId: string;
  readonly topic: string;
  readonly recordKey: string;
  readonly payload: object;
  /** Times it was claimed before. */
  readonly attempts: number;
  readonly createdAt: Date;
}

export interface ClaimOptions {
  /** Names this relay: unique among those running. */
  readonly claimant: string;
  readonly limit: number;
  /** Longer than publishing can take. */
  readonly leaseMs: number;
}

interface OutboxRow {
  readonly id: number;
  readonly message_id: string;
  readonly topic: string;
  readonly record_key: string;
  readonly payload: object;
  readonly attempts: number;
  readonly created_at: Date;
}

/** Sorted by id; publish the messages of one key in this order, and none of it after one that failed. */
export async function claimOutbox(
  database: BookingDatabase,
  options: ClaimOptions,
): Promise<OutboxMessage[]> {
  const { claimant, limit, leaseMs } = options;
  const claimed = await sql<OutboxRow>`
    WITH heads AS (
      SELECT head.id, head.topic, head.record_key FROM outbox AS head
      WHERE (head.claimed_until IS NULL OR head.claimed_until < now())
        AND NOT EXISTS (
          SELECT FROM outbox AS earlier
          WHERE earlier.topic = head.topic AND earlier.record_key = head.record_key AND earlier.id < head.id
        )
      ORDER BY head.id LIMIT ${limit}
      FOR UPDATE SKIP LOCKED
    ), runs AS (
      SELECT message.id FROM heads JOIN outbox AS message USING (topic, record_key)
      ORDER BY message.id LIMIT ${limit}
    )
    UPDATE outbox SET
      claimed_by = ${claimant},
      claimed_until = now() + ${leaseMs} * interval '1 millisecond',
      attempts = attempts + 1
    WHERE id IN (SELECT id FROM runs)
    RETURNING id, message_id, topic, record_key, payload, attempts - 1 AS attempts, created_at`.execute(
    database,
  );
  return claimed.rows
    .map((row) => ({
      id: row.id,
      messageId: row.message_id,
      topic: row.topic,
      recordKey: row.record_key,
      payload: row.payload,
      attempts: row.attempts,
      createdAt: row.created_at,
    }))
    .sort((a, b) => a.id - b.id);
}

/** For messages that the broker has acknowledged. Gives how many of them were still this relay's. */
export async function deleteFromOutbox(
  database: BookingDatabase,
  claimant: string,
  ids: readonly number[],
): Promise<number> {
  const deleted = await sql`
    DELETE FROM outbox WHERE id = ANY(${ids}::bigint[]) AND claimed_by = ${claimant}`.execute(database);
  return Number(deleted.numAffectedRows ?? 0n);
}

/** For messages that could not be published: they, and all later ones of their keys, wait for `delayMs`. */
export async function postponeOutbox(
  database: BookingDatabase,
  claimant: string,
  ids: readonly number[],
  delayMs: number,
): Promise<void> {
  await sql`
    UPDATE outbox SET claimed_until = now() + ${delayMs} * interval '1 millisecond'
    WHERE id = ANY(${ids}::bigint[]) AND claimed_by = ${claimant}`.execute(database);
}

export interface OutboxBacklog {
  readonly messages: number;
  /** 0 if there are none. */
  readonly oldestAgeMs: number;
}

export async function outboxBacklog(database: BookingDatabase): Promise<OutboxBacklog> {
  const { rows } = await sql<{ messages: number; oldest_age_ms: number }>`
    SELECT count(*) AS messages,
           coalesce(extract(epoch FROM now() - min(created_at)) * 1000, 0)::float8 AS oldest_age_ms
    FROM outbox`.execute(database);
  return { messages: rows[0]?.messages ?? 0, oldestAgeMs: rows[0]?.oldest_age_ms ?? 0 };
}
