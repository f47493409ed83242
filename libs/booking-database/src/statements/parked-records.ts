/**
 * Records that can never be handled. Once one is parked its key is parked: later records of that key follow it, so that the
 * order of a seat's events holds when they are replayed.
 */
import { sql } from 'kysely';
import type { BookingDatabase } from '../database.ts';

export interface ParkedRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Stable name of the cause. */
  readonly code: string;
  readonly message: string;
  /** How often handling it was tried. */
  readonly attempts: number;
}

export interface StoredParkedRecord extends ParkedRecord {
  readonly id: number;
  readonly parkedAt: Date;
}

const LONGEST_MESSAGE = 2000;

/** False if it was parked before. */
export async function parkRecord(database: BookingDatabase, record: ParkedRecord): Promise<boolean> {
  const inserted = await database
    .insertInto('parked_records')
    .values({
      topic: record.topic,
      partition: record.partition,
      record_offset: record.offset,
      record_key: record.key === null ? null : Buffer.from(record.key),
      record_value: record.value === null ? null : Buffer.from(record.value),
      headers: JSON.stringify(record.headers),
      code: record.code,
      message: record.message.slice(0, LONGEST_MESSAGE),
      attempts: record.attempts,
    })
    .onConflict((conflict) => conflict.columns(['topic', 'partition', 'record_offset']).doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

/** A key as it stands in the set that `parkedKeys` gives. Records without a key are parked one by one. */
export function parkedKeyOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('base64');
}

/** Keys with records that wait for being replayed. */
export async function parkedKeys(database: BookingDatabase, topic: string): Promise<ReadonlySet<string>> {
  const rows = await database
    .selectFrom('parked_records')
    .select('record_key')
    .distinct()
    .where('topic', '=', topic)
    .where('replayed_at', 'is', null)
    .where('record_key', 'is not', null)
    .execute();
  return new Set(rows.flatMap((row) => (row.record_key === null ? [] : [parkedKeyOf(row.record_key)])));
}

/** Those that wait, in the order in which they are to be replayed. */
export async function readParkedRecords(
  database: BookingDatabase,
  topic: string,
  limit: number,
): Promise<StoredParkedRecord[]> {
  const rows = await database
    .selectFrom('parked_records')
    .selectAll()
    .where('topic', '=', topic)
    .where('replayed_at', 'is', null)
    .orderBy('partition')
    .orderBy('record_offset')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    topic: row.topic,
    partition: row.partition,
    offset: row.record_offset,
    key: row.record_key,
    value: row.record_value,
    headers: row.headers,
    code: row.code,
    message: row.message,
    attempts: row.attempts,
    parkedAt: row.parked_at,
  }));
}

/** They have been handled, or published again: their keys are free. */
export async function markReplayed(database: BookingDatabase, ids: readonly number[]): Promise<void> {
  await sql`
    UPDATE parked_records SET replayed_at = now()
    WHERE id = ANY(${ids}::bigint[]) AND replayed_at IS NULL`.execute(database);
}
