/**
 * A PostgreSQL server of its own as a child process, on 127.0.0.1, for one data folder.
 *
 * Promises: it serves when the promise resolves; a server that an earlier, killed owner left on the same folder is
 * stopped first; trust authentication, loopback only, so it is no place for anything but development.
 * Expects: nobody else starts on the same folder meanwhile (a stack holds the folder's lock).
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { waitUntil } from '../deadline.ts';
import { portOrFree } from '../free-port.ts';
import { ChildOfStack, type ManagedProcess } from '../managed-process.ts';
import { endLeftovers } from '../process-file.ts';
import { endLeftoverServer, initializeCluster } from './postgres-cluster.ts';
import { noteWhereItBelongs, removeAbandonedClusters } from './outlying-clusters.ts';
import { postgresBinaries } from './postgres-binaries.ts';
import { ownedFolder, userForPostgres } from './unprivileged-user.ts';

/** Start includes recovery after a crash. */
export const POSTGRES_START_DEADLINE_MS = 60_000;
export const POSTGRES_USER = 'seatlog';
const MAX_CONNECTIONS = 200;
/** What a server says while children of one that was killed on the same folder have not noticed yet that they are orphans. */
const CHILDREN_LEFT = 'pre-existing shared memory block';

export interface PostgresOptions {
  /** The cluster lies in `<dataDirectory>/postgres`, the log in `<dataDirectory>/logs`. */
  readonly dataDirectory: string;
  readonly port?: number;
  /** False switches fsync off: for tests whose data may be lost. Default true. */
  readonly durable?: boolean;
  /** The database that `url` names; it is created if it is missing. Default `seatlog`. */
  readonly database?: string;
  readonly signal?: AbortSignal;
}

export interface PostgresServer extends AsyncDisposable {
  /** Of the database asked for. */
  readonly url: string;
  /** Of the maintenance database, for CREATE DATABASE and the like. */
  readonly adminUrl: string;
  readonly port: number;
  readonly process: ManagedProcess;
  stop(): Promise<void>;
}

export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const { database = 'seatlog', durable = true } = options;
  const dataDirectory = resolve(options.dataDirectory);
  mkdirSync(dataDirectory, { recursive: true });
  const user = userForPostgres();
  const binaries = postgresBinaries(user);
  await removeAbandonedClusters();
  const wanted = join(dataDirectory, 'postgres');
  const cluster = ownedFolder(user, wanted);
  noteWhereItBelongs(cluster, wanted);
  await endLeftovers(dataDirectory, 'postgres');
  await endLeftoverServer(cluster);
  await initializeCluster({ binaries, cluster, user, superuser: POSTGRES_USER, durable });
  const port = await portOrFree(options.port, 'PostgreSQL');
  const adminUrl = `postgres://${POSTGRES_USER}@127.0.0.1:${port}/postgres`;
  const child = new ChildOfStack({
    name: 'postgres',
    command: binaries.postgres,
    args: [
      '-D',
      cluster,
      ...settings({
        port,
        // Clients come over TCP; a socket's path would have to be short and reachable for all.
        unix_socket_directories: '',
        listen_addresses: '127.0.0.1',
        max_connections: MAX_CONNECTIONS,
        timezone: 'UTC',
        log_timezone: 'UTC',
        ...(durable ? {} : { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
      }),
    ],
    environment: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', TZ: 'UTC' },
    dataDirectory,
    workingDirectory: cluster,
    // Fast shutdown: sessions are ended, the data folder is left clean.
    stopSignal: 'SIGINT',
    ...(user === undefined ? {} : { user }),
    ready: (_, signal) => waitUntil(() => query(adminUrl, 'SELECT 1').then(() => true), signal),
    readyWithinMs: POSTGRES_START_DEADLINE_MS,
    isTooEarly: (said) => said.includes(CHILDREN_LEFT),
  });
  await child.start(options.signal);
  const stop = async (): Promise<void> => void (await child.stop());
  try {
    await createIfMissing(adminUrl, database);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `postgres://${POSTGRES_USER}@127.0.0.1:${port}/${database}`,
    adminUrl,
    port,
    process: child,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function settings(values: Readonly<Record<string, string | number>>): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function createIfMissing(adminUrl: string, database: string): Promise<void> {
  const { rowCount } = await query(adminUrl, 'SELECT FROM pg_database WHERE datname = $1', [database]);
  if (rowCount === 0) await query(adminUrl, `CREATE DATABASE ${pg.escapeIdentifier(database)}`);
}

/** One statement on a connection of its own. */
export async function query(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<pg.QueryResult<Record<string, unknown>>> {
  const client = new pg.Client({ connectionString: url });
  // A connection that breaks while idle is reported by the statement that follows.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await client.query(text, [...values]);
  } finally {
    await client.end();
  }
}
