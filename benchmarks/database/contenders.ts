/** Ways of inserting the same reservations, each on a connection of its own, a transaction for each call. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openDatabase, writeLedger } from '@seatlog/booking-database';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { changesOf, type ReservationRow } from './rows.ts';

export type ContenderName = 'unnest' | 'copy' | 'singles';

export interface Contender {
  readonly name: ContenderName;
  /** Of the server's process that serves it. */
  readonly serverProcessId: number;
  insert(rows: readonly ReservationRow[]): Promise<void>;
  close(): Promise<void>;
}

const COLUMNS =
  'id, order_id, event_id, seat_id, user_id, epoch, status, reason, price, currency, occurred_at, ' +
  'source_partition, source_offset, ended_at';

/** The worker's own statement. */
export async function unnest(url: string): Promise<Contender> {
  const applicationName = 'benchmark-unnest';
  const database = openDatabase({ url, applicationName, poolSize: 1 });
  await database.selectFrom('events').select('id').execute();
  return {
    name: 'unnest',
    serverProcessId: await serverProcessOf(url, applicationName),
    insert: (rows) =>
      database
        .transaction()
        .setIsolationLevel('read committed')
        .execute((transaction) =>
          writeLedger(transaction, changesOf({ insertedReservations: rows }), 'seat'),
        ),
    close: () => database.destroy(),
  };
}

export async function copy(url: string): Promise<Contender> {
  const client = await connected(url, 'benchmark-copy');
  return {
    name: 'copy',
    serverProcessId: await serverProcessOf(url, 'benchmark-copy'),
    insert: async (rows) => {
      const lines = rows.map(
        (row) =>
          `${fieldsOf(row)
            .map((field) => (field === null ? '\\N' : String(field)))
            .join('\t')}\n`,
      );
      const target = client.query(copyFrom(`COPY reservations (${COLUMNS}) FROM STDIN`));
      await pipeline(Readable.from([Buffer.from(lines.join(''))]), target);
    },
    close: () => client.end(),
  };
}

export async function singles(url: string): Promise<Contender> {
  const client = await connected(url, 'benchmark-singles');
  const places = Array.from({ length: COLUMNS.split(',').length }, (_, index) => `$${index + 1}`);
  const text = `INSERT INTO reservations (${COLUMNS}) VALUES (${places.join(', ')})`;
  return {
    name: 'singles',
    serverProcessId: await serverProcessOf(url, 'benchmark-singles'),
    insert: async (rows) => {
      await client.query('BEGIN');
      for (const row of rows) await client.query({ name: 'insert', text, values: fieldsOf(row) });
      await client.query('COMMIT');
    },
    close: () => client.end(),
  };
}

/** In the order of COLUMNS. */
function fieldsOf(row: ReservationRow): (string | number | null)[] {
  return [
    row.reservationId,
    row.orderId,
    row.eventId,
    row.seatId,
    row.userId,
    row.epoch,
    row.status,
    row.reason,
    row.price.amount,
    row.price.currency,
    new Date(row.occurredAt).toISOString(),
    row.source?.partition ?? null,
    row.source?.offset ?? null,
    null,
  ];
}

async function connected(url: string, applicationName: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: applicationName });
  await client.connect();
  return client;
}

async function serverProcessOf(url: string, applicationName: string): Promise<number> {
  const client = await connected(url, 'benchmark-asks');
  try {
    const { rows } = await client.query<{ pid: number }>(
      'SELECT pid FROM pg_stat_activity WHERE application_name = $1',
      [applicationName],
    );
    const [found] = rows;
    if (found === undefined) throw new Error(`no server process serves ${applicationName}`);
    return found.pid;
  } finally {
    await client.end();
  }
}
