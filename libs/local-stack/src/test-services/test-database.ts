/** Databases of a test run: one per caller, cloned from a template that is prepared once per run. */
import { createHash, randomUUID } from 'node:crypto';
import pg from 'pg';
import { query } from '../postgres/start-postgres.ts';
import type { SharedServers } from './service-host.ts';

export interface DatabaseTemplate {
  /** Callers that give the same name in one run share the template. */
  readonly name: string;
  /** Brings an empty database to the wanted state (migrations); runs once per run and name. */
  prepare(databaseUrl: string): Promise<void>;
}

const prefixOf = (servers: SharedServers): string => `seatlog_test_${servers.runId}_`;

export async function createTestDatabase(
  servers: SharedServers,
  template: DatabaseTemplate | undefined,
): Promise<string> {
  const name = `${prefixOf(servers)}${randomUUID().replaceAll('-', '').slice(0, 12)}`;
  const source = template === undefined ? 'template0' : await preparedTemplate(servers, template);
  await createDatabase(servers.adminUrl, name, source);
  return urlOf(servers.adminUrl, name);
}

export async function dropTestDatabase(servers: SharedServers, databaseUrl: string): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1);
  await query(servers.adminUrl, `DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`);
}

/** All that this run left, templates too. */
export async function dropDatabases(servers: SharedServers): Promise<void> {
  const { rows } = await query(
    servers.adminUrl,
    'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
    [prefixOf(servers)],
  );
  for (const { datname } of rows) await dropTestDatabase(servers, urlOf(servers.adminUrl, String(datname)));
}

/** Several workers may want the template at once: an advisory lock lets one prepare it while the others wait. */
async function preparedTemplate(servers: SharedServers, template: DatabaseTemplate): Promise<string> {
  const hash = createHash('sha256').update(template.name).digest();
  const name = `${prefixOf(servers)}template_${hash.toString('hex').slice(0, 12)}`;
  const client = new pg.Client({ connectionString: servers.adminUrl });
  // A connection that breaks while idle is reported by the statement that follows.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [hash.readInt32BE(0)]);
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await prepare(servers, template, name);
  } finally {
    // Ending the session frees the lock.
    await client.end();
  }
  return name;
}

/** Under another name first: a template that has its name is whole, also when preparing it fails half-way. */
async function prepare(servers: SharedServers, template: DatabaseTemplate, name: string): Promise<void> {
  const unfinished = `${name}_unfinished`;
  const url = urlOf(servers.adminUrl, unfinished);
  await dropTestDatabase(servers, url);
  await createDatabase(servers.adminUrl, unfinished, 'template0');
  await template.prepare(url);
  await query(servers.adminUrl, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1`, [
    unfinished,
  ]);
  const [from, to] = [pg.escapeIdentifier(unfinished), pg.escapeIdentifier(name)];
  await query(servers.adminUrl, `ALTER DATABASE ${from} RENAME TO ${to}`);
}

async function createDatabase(adminUrl: string, name: string, source: string): Promise<void> {
  const [created, template] = [pg.escapeIdentifier(name), pg.escapeIdentifier(source)];
  await query(adminUrl, `CREATE DATABASE ${created} TEMPLATE ${template}`);
}

function urlOf(adminUrl: string, database: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  return url.href;
}
