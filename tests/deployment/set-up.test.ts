/** `apps/set-up` as a process, against a database and a broker: what the services of a deployment wait for. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openDatabase, readSeats } from '@seatlog/booking-database';
import { createClient } from '@seatlog/kafka-client';
import {
  type BrokerServer,
  childEnvironment,
  freePort,
  repositoryRoot,
  startBroker,
  testServices,
  type TestServices,
} from '@seatlog/local-stack';
import { demoEvent, ticketingTopics } from '@seatlog/ticketing-setup';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let folder: string;
let services: TestServices;
let broker: BrokerServer;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'seatlog-set-up-'));
  [services, broker] = await Promise.all([testServices(), startBroker({ dataDirectory: folder })]);
});

afterAll(async () => {
  await Promise.all([services?.stop(), broker?.stop()]);
  rmSync(folder, { recursive: true });
});

interface Outcome {
  readonly code: unknown;
  readonly log: readonly Readonly<Record<string, unknown>>[];
}

async function setUp(environment: Readonly<Record<string, string>>): Promise<Outcome> {
  const child = spawn(process.execPath, [path.join(repositoryRoot, 'apps/set-up/src/main.ts')], {
    env: childEnvironment(environment),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  const [code] = await once(child, 'close');
  const log = output.split('\n').filter((line) => line !== '');
  return { code, log: log.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>) };
}

const everything = (): Readonly<Record<string, string>> => ({
  BROKERS: broker.address,
  DATABASE_URL: services.databaseUrl,
  REPLICATION_FACTOR: '1',
  SEED_DEMO_EVENT: 'true',
  TOKEN_SECRET_FILE: path.join(folder, 'token.env'),
});

async function whatIsThere(): Promise<unknown> {
  const client = createClient({ brokers: broker.address, clientId: 'set-up-test' });
  const names = ticketingTopics(1).map(({ name }) => name);
  const database = openDatabase({ url: services.databaseUrl, applicationName: 'set-up-test' });
  try {
    const topics = await client.admin().describeTopics(names);
    const seats = await readSeats(database, demoEvent.eventId);
    return {
      topics: topics.map(({ name, topicId, partitions }) => [name, topicId, partitions.length]),
      seats: seats.length,
      secret: readFileSync(path.join(folder, 'token.env'), 'utf8'),
    };
  } finally {
    await client.close();
    await database.destroy();
  }
}

describe('the set-up', () => {
  it('makes schema, topics, event and secret, and changes nothing when it runs again', async () => {
    expect(await setUp(everything())).toMatchObject({ code: 0 });
    const first = await whatIsThere();
    expect(first).toMatchObject({
      topics: ticketingTopics(1).map(({ name, partitions }) => [name, expect.any(String), partitions]),
      seats: 1000,
      secret: expect.stringMatching(/^TOKEN_SECRET=[\w-]{43}\n$/),
    });
    expect(await setUp(everything())).toMatchObject({ code: 0 });
    expect(await whatIsThere()).toEqual(first);
  });

  it('refuses an environment by the names of its fields, with a code that says so', async () => {
    const { code, log } = await setUp({ BROKERS: 'broker', DATABASE_URL: services.databaseUrl });
    expect(code).toBe(78);
    expect(log.at(-1)).toMatchObject({ level: 'fatal', fields: ['BROKERS', 'REPLICATION_FACTOR'] });
  });

  it('fails where the database cannot be reached, and says why', async () => {
    const nobody = `postgres://127.0.0.1:${await freePort()}/seatlog`;
    const { code, log } = await setUp({ ...everything(), DATABASE_URL: nobody });
    expect(code).toBe(1);
    expect(log.at(-1)).toMatchObject({ level: 'fatal', error: { code: 'ECONNREFUSED' } });
  });

  it('fails where the cluster cannot carry the replicas that are asked for', async () => {
    const client = createClient({ brokers: broker.address, clientId: 'set-up-test' });
    const names = ticketingTopics(1).map(({ name }) => name);
    await client.admin().deleteTopics(names);
    await client.close();
    const { code, log } = await setUp({ ...everything(), REPLICATION_FACTOR: '3' });
    expect(code).toBe(1);
    expect(JSON.stringify(log.at(-1))).toContain('INVALID_REPLICATION_FACTOR');
  });
});
