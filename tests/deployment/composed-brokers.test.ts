/**
 * The brokers of docker-compose.yml as processes of this machine: their environment as it stands, but for addresses and
 * folders. They are one cluster, inside by one listener and outside by another.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@seatlog/kafka-client';
import { childEnvironment, freePort, repositoryRoot } from '@seatlog/local-stack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../faults/until.ts';
import { readCompose } from '../repository/compose-file.ts';

const names = ['broker-1', 'broker-2', 'broker-3'] as const;
type Name = (typeof names)[number];

/** Ports of the containers, each to be one of this machine's. */
const inside = { internal: 19_092, external: 9_092, controller: 9_093, http: 9_404 } as const;
type Ports = Readonly<Record<keyof typeof inside, number>>;

const folder = mkdtempSync(join(tmpdir(), 'seatlog-composed-'));
const ports = new Map<Name, Ports>();
const brokers = new Map<Name, ChildProcess>();

const portsOf = (name: string): Ports => {
  const found = ports.get(name as Name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
};

/** What Docker would do: names become addresses, what listens on all interfaces listens on a port of its own. */
function placed(name: Name, value: string): string {
  const own = portsOf(name);
  return value
    .replaceAll(/0\.0\.0\.0:(\d+)/g, (_, port) => `127.0.0.1:${own[roleOf(Number(port))]}`)
    .replaceAll(/(broker-\d):(\d+)/g, (_, host, port) => `127.0.0.1:${portsOf(host)[roleOf(Number(port))]}`)
    .replaceAll(/localhost:\d+/g, `127.0.0.1:${own.external}`)
    .replaceAll('/var/lib/seatlog/broker', join(folder, name));
}

function roleOf(port: number): keyof Ports {
  const found = (Object.keys(inside) as (keyof Ports)[]).find((role) => inside[role] === port);
  if (found === undefined) throw new Error(`nothing of a broker listens on ${port}`);
  return found;
}

const logOf = (name: Name): string => join(folder, `${name}.log`);

const lastWordsOf = (name: Name): string =>
  readFileSync(logOf(name), 'utf8').trimEnd().split('\n').slice(-10).join('\n');

beforeAll(async () => {
  const { services } = readCompose('docker-compose.yml');
  for (const name of names) {
    const [internal, external, controller, http] = await Promise.all(
      Array.from({ length: 4 }, () => freePort()),
    );
    ports.set(name, { internal, external, controller, http } as Ports);
  }
  for (const name of names) {
    const environment = Object.entries(services[name]?.environment ?? {});
    const own = environment.map(([variable, value]) => [variable, placed(name, value ?? '')] as const);
    const env = childEnvironment({ SEATLOG_PARENT_PID: String(process.pid), ...Object.fromEntries(own) });
    const program = join(repositoryRoot, 'apps/broker/src/main.ts');
    const log = openSync(logOf(name), 'w');
    brokers.set(name, spawn(process.execPath, [program], { env, stdio: ['ignore', log, log] }));
  }
  for (const name of names) {
    const { http } = portsOf(name);
    const hopeless = () => (brokers.get(name)?.exitCode === null ? null : `it ended: ${lastWordsOf(name)}`);
    const serves = async () => (await fetch(`http://127.0.0.1:${http}/healthz`)).ok;
    await until(`${name} serves`, serves, { hopeless }).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${lastWordsOf(name)}`);
    });
  }
}, 240_000);

afterAll(async () => {
  const living = [...brokers.values()].filter(
    ({ exitCode, signalCode }) => exitCode === null && signalCode === null,
  );
  const ends = living.map((broker) => once(broker, 'exit'));
  for (const broker of living) broker.kill('SIGKILL');
  await Promise.all(ends);
  rmSync(folder, { recursive: true, force: true });
});

describe('the brokers of docker-compose.yml', () => {
  it.each(['internal', 'external'] as const)(
    'are one cluster to those who come by the %s listener',
    async (listener) => {
      const bootstrap = `127.0.0.1:${portsOf('broker-2')[listener]}`;
      await using client = createClient({ brokers: bootstrap, clientId: 'composed-brokers-test' });
      // One that serves knows it a moment before the others hear of it.
      const portsTold = async () => (await client.admin().describeCluster()).brokers.map(({ port }) => port);
      await expect.poll(portsTold).toEqual(names.map((name) => portsOf(name)[listener]));

      const [topic] = await client.admin().createTopics([{ name: listener, partitions: 3 }]);
      expect(topic).toMatchObject({ replicationFactor: 3 });
      const { offset } = await client.producer().send({ topic: listener, key: 'seat', value: 'taken' });
      expect(offset).toBe(0);
      const [description] = await client.admin().describeTopics([listener]);
      expect(description?.partitions.map(({ replicas }) => replicas.length)).toEqual([3, 3, 3]);
    },
  );

  it('stop in order when Compose asks them to', async () => {
    for (const name of names) {
      const broker = brokers.get(name);
      if (broker === undefined) throw new Error(`there is no ${name}`);
      const exited = once(broker, 'exit');
      broker.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
    }
  });
});
