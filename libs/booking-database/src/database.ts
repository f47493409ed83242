/**
 * A pool of connections. A connection that breaks, idle or not, is replaced; what was running on it fails with a transient
 * error (database-error.ts). Nothing waits for ever: connecting, statements and transactions left open have deadlines.
 */
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { MortalPool } from './mortal-pool.ts';
import type { Schema } from './schema.ts';

export type BookingDatabase = Kysely<Schema>;

export interface DatabaseOptions {
  readonly url: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly poolSize?: number;
  readonly statementTimeoutMs?: number;
  /** Told about idle connections that broke, for the log. */
  readonly onIdleError?: (error: Error) => void;
}

const DEFAULT_POOL_SIZE = 4;
const DEFAULT_STATEMENT_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5000;
/** The server's own deadline comes first; this one is for a server that has stopped answering. */
const CLIENT_GRACE_MS = 2000;

const INT8 = 20;

/** Nothing connects before the first statement. `destroy()` waits for running statements and closes the pool. */
export function openDatabase(options: DatabaseOptions): BookingDatabase {
  const statementTimeoutMs = options.statementTimeoutMs ?? DEFAULT_STATEMENT_TIMEOUT_MS;
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.poolSize ?? DEFAULT_POOL_SIZE,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + CLIENT_GRACE_MS,
    idle_in_transaction_session_timeout: statementTimeoutMs + CLIENT_GRACE_MS,
    keepAlive: true,
    types: bigintsAsNumbers,
  });
  // Without these two listeners a connection that is reset would end the process: the first hears of idle ones, the second
  // of those in use, which also fail the statement that runs on them.
  pool.on('error', options.onIdleError ?? (() => {}));
  pool.on('connect', (client) => client.on('error', () => {}));
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool: new MortalPool(pool) }) });
}

/** Epochs, offsets and row ids are below 2^53; one that is not is refused and not rounded. */
const bigintsAsNumbers: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 && format !== 'binary'
      ? safeInteger
      : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is past 2^53 - 1`);
  return value;
}
