/**
 * Brings a database to the current schema: the numbered files of `migrations/`, each in a transaction, each once. An
 * advisory lock lets one process do it while others wait. A file that was changed after it ran is refused.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** Any number, as long as nobody else uses it: the lock under which migrations run. */
const MIGRATION_LOCK = 7_283_565;

const FILE_NAME = /^(\d{4})-([a-z0-9-]+)\.sql$/;

export class MigrationError extends Error {
  override readonly name = 'MigrationError';
  readonly code: 'MIGRATION_CHANGED' | 'SCHEMA_NEWER' | 'MIGRATION_FAILED';

  constructor(code: MigrationError['code'], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** Gives the versions that were applied now; none if the schema was current. */
export async function migrate(
  databaseUrl: string,
  migrations: readonly Migration[] = readMigrations(),
): Promise<number[]> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'seatlog-migrate' });
  // A connection that breaks is reported by the statement that was running.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    return await applyPending(client, migrations);
  } finally {
    await client.end();
  }
}

/** In the order of their numbers. */
export function readMigrations(): Migration[] {
  const folder = new URL('./migrations/', import.meta.url);
  return readdirSync(folder)
    .flatMap((file) => {
      const [, version, name] = FILE_NAME.exec(file) ?? [];
      if (version === undefined || name === undefined) return [];
      const sql = readFileSync(new URL(file, folder), 'utf8');
      const checksum = createHash('sha256').update(sql).digest('hex');
      return [{ version: Number(version), name, sql, checksum }];
    })
    .sort((a, b) => a.version - b.version);
}

async function applyPending(client: pg.Client, migrations: readonly Migration[]): Promise<number[]> {
  await client.query(`
    CREATE TABLE IF NOT EXISTS schema_migrations (
      version    integer PRIMARY KEY,
      name       text NOT NULL,
      checksum   text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now()
    )`);
  const { rows } = await client.query<{ version: number; name: string; checksum: string }>(
    'SELECT version, name, checksum FROM schema_migrations ORDER BY version',
  );
  const known = new Map(migrations.map((migration) => [migration.version, migration]));
  for (const { version, name, checksum } of rows) {
    const migration = known.get(version);
    if (migration === undefined) {
      throw new MigrationError(
        'SCHEMA_NEWER',
        `the database has migration ${version} (${name}), which this program does not know`,
      );
    }
    if (migration.checksum !== checksum) {
      throw new MigrationError(
        'MIGRATION_CHANGED',
        `migration ${version} (${name}) was changed after it ran`,
      );
    }
  }
  const applied = new Set(rows.map((row) => row.version));
  const pending = migrations.filter((migration) => !applied.has(migration.version));
  for (const migration of pending) await applyOne(client, migration);
  return pending.map((migration) => migration.version);
}

async function applyOne(client: pg.Client, { version, name, sql, checksum }: Migration): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query(sql);
    const values = [version, name, checksum];
    await client.query('INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)', values);
    await client.query('COMMIT');
  } catch (cause) {
    await client.query('ROLLBACK').catch(() => {});
    throw new MigrationError('MIGRATION_FAILED', `migration ${version} (${name}) failed`, cause);
  }
}
