// docker-compose.yml against its schema, against the programs that it starts, and within itself.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { brokerProperties } from '@seatlog/local-stack';
import { PARTITIONS } from '@seatlog/ticketing-setup';
import { Ajv } from 'ajv';
import { default as formats } from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  endpointsOf,
  mountOf,
  ownServicesOf,
  publishedPort,
  readCompose,
  readText,
  repository,
  type Service,
  servicesOf,
} from './compose-file.ts';
import type { Probe } from './configuration-probe.ts';

const COMPOSE = 'docker-compose.yml';
const PUBLISHED_STORES = 'infra/docker/published-stores.yml';
const compose = readCompose(COMPOSE);
const services = servicesOf(compose);
const ownServices = ownServicesOf(compose);
const service = (name: string): Service => {
  const found = compose.services[name];
  if (found === undefined) throw new Error(`there is no service ${name}`);
  return found;
};

/** The folder below apps/ whose program a service starts; a broker's is the default of its image. */
const appOf = (name: string): string =>
  service(name)
    .command?.map((word) => /^apps\/[^/]+/.exec(word)?.[0])
    .find((app) => app !== undefined) ?? `apps/${name.replace(/-\d$/, '')}`;

const brokers = ['broker-1', 'broker-2', 'broker-3'] as const;

const isOneShot = (candidate: Service): boolean => candidate.restart === 'no';

/** As a container gets it when TOKEN_SECRET comes from outside. */
const environmentOf = (name: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(service(name).environment ?? {}).map(([variable, value]) => [
      variable,
      value ?? 'handed in from outside, of enough characters',
    ]),
  );

function probed(app: string, environment: Readonly<Record<string, string>>): Probe {
  const program = path.join(import.meta.dirname, 'configuration-probe.ts');
  const output = execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', program, app], {
    cwd: repository,
    input: JSON.stringify(environment),
    encoding: 'utf8',
  });
  return JSON.parse(output) as Probe;
}

describe('the format', () => {
  const packageFile = findPackageJSON('docker-compose', import.meta.url) ?? '';
  const schema = JSON.parse(
    readFileSync(path.join(path.dirname(packageFile), 'schema/compose-spec.json'), 'utf8'),
  ) as object;
  const ajv = formats.default(new Ajv({ allErrors: true, strict: false }));
  // The package names the meta schema by another address.
  const validate = ajv.compile({ ...schema, $schema: 'http://json-schema.org/draft-07/schema#' });
  const errorsOf = (document: unknown): unknown => {
    validate(document);
    return validate.errors ?? [];
  };

  it.each([COMPOSE, PUBLISHED_STORES])('%s is what the Compose Specification asks for', (file) => {
    expect(errorsOf(readCompose(file))).toEqual([]);
  });

  it('is refused where the specification does not allow it', () => {
    expect(errorsOf({ services: { redis: { image: 'redis:7', helthcheck: {} } } })).not.toEqual([]);
  });
});

describe('the environment', () => {
  it.each(ownServices.map(([name]) => name))('of %s is one that its program accepts', (name) => {
    const { complaints, unknown, required } = probed(appOf(name), environmentOf(name));
    expect(complaints).toEqual([]);
    expect(unknown).toEqual([]);
    // The program does refuse an environment that lacks something: this could fail.
    const needed = name.startsWith('broker') ? 'KAFKA_LISTENER_SECURITY_PROTOCOL_MAP' : 'DATABASE_URL';
    expect(required).toContain(needed);
  });

  it.each(brokers)('gives %s the settings that it has in the demo, but for addresses and folders', (name) => {
    const settings = Object.fromEntries(
      Object.entries(environmentOf(name)).map(([variable, value]) => [
        variable
          .replace(/^KAFKA_/, '')
          .toLowerCase()
          .replaceAll('_', '.'),
        value,
      ]),
    );
    const ports = { kafka: 9092, controller: 9093, http: 9404 };
    const voters = brokers.map((broker, index) => `${index + 1}@${broker}:9093`).join(',');
    const nodeId = brokers.indexOf(name) + 1;
    const demo = brokerProperties({ nodeId, ports, voters, logDirectory: '/' });
    const placed = ['listeners', 'advertised.listeners', 'log.dirs', 'seatlog.http.listener'];
    const same = Object.entries(demo).filter(([setting]) => !placed.includes(setting));
    expect(settings).toMatchObject(Object.fromEntries(same));
    for (const setting of placed) expect(settings).toHaveProperty([setting]);
  });

  it('holds no secret', () => {
    // Before variables are put in: a default would be a secret that everyone knows.
    const { services: written } = parse(readText(COMPOSE), { merge: true }) as typeof compose;
    const given = Object.values(written).flatMap(({ environment = {} }) => Object.entries(environment));
    const secrets = given.filter(
      ([name]) => /SECRET|PASSWORD|TOKEN|_KEY$/.test(name) && !name.endsWith('_FILE'),
    );
    expect(secrets.map(([name]) => name)).toContain('TOKEN_SECRET');
    expect(secrets.filter(([, value]) => value !== null)).toEqual([]);
    const urls = given.flatMap(([, value]) => (value?.includes('://') ? value.split(',') : []));
    expect(urls.filter((url) => /:\/\/[^/@]*:[^/@]*@/.test(url))).toEqual([]);
  });
});

describe('the wiring', () => {
  const brokerListeners = (name: string, key: string): ReadonlyMap<string, string> =>
    new Map(
      (service(name).environment?.[key] ?? '')
        .split(',')
        .map((listener) => listener.split('://') as [string, string]),
    );

  it('connects services to ports that are listened on', () => {
    const internal = brokers.map((name) =>
      brokerListeners(name, 'KAFKA_ADVERTISED_LISTENERS').get('INTERNAL'),
    );
    expect(internal).toEqual(brokers.map((name) => `${name}:19092`));
    for (const name of brokers) {
      expect(brokerListeners(name, 'KAFKA_LISTENERS').get('INTERNAL')).toBe('0.0.0.0:19092');
    }
    const listening = [...internal, 'postgres:5432', 'redis:6379'];
    const reached = ownServices
      .flatMap(([, one]) => endpointsOf(one))
      .map(({ host, port }) => `${host}:${port}`);
    expect(reached.length).toBeGreaterThan(services.length);
    expect(reached.filter((address) => !listening.includes(address))).toEqual([]);
  });

  it.each([
    ['broker-1', 'BROKER_PORT', 9092],
    ['broker-2', 'BROKER_2_PORT', 9093],
    ['broker-3', 'BROKER_3_PORT', 9094],
  ] as const)('tells this machine to connect to the port of %s that is published', (name, variable, port) => {
    for (const wanted of [port, 19_999]) {
      const broker = readCompose(COMPOSE, { [variable]: String(wanted) }).services[name];
      const outside = broker?.ports?.map(publishedPort).find(({ target }) => target === 9092);
      expect(outside?.published).toBe(wanted);
      expect(broker?.environment?.['KAFKA_ADVERTISED_LISTENERS']).toContain(
        `EXTERNAL://localhost:${outside?.published}`,
      );
    }
    expect(service(name).ports?.map(publishedPort)).toContainEqual(
      expect.objectContaining({ published: port }),
    );
    expect(brokerListeners(name, 'KAFKA_LISTENERS').get('EXTERNAL')).toBe('0.0.0.0:9092');
  });

  it('publishes to this machine only, each port once', () => {
    const stores = servicesOf(readCompose(PUBLISHED_STORES));
    const ports = [...services, ...stores].flatMap(([, one]) => one.ports ?? []).map(publishedPort);
    expect(ports.filter(({ address }) => address !== '127.0.0.1')).toEqual([]);
    const published = ports.map(({ published: port }) => port);
    expect(new Set(published).size).toBe(published.length);
    expect(published).toEqual(expect.arrayContaining([8080, 9092, 9093, 9094]));
  });

  it('has services wait for what they connect to, and the applications for the set-up', () => {
    for (const [name, one] of ownServices) {
      const waits = new Map(
        Object.entries(one.depends_on ?? {}).map(([on, { condition }]) => [on, condition]),
      );
      for (const { host } of endpointsOf(one))
        expect([name, host, waits.get(host)]).toEqual([name, host, 'service_healthy']);
      if (name.startsWith('broker') || isOneShot(one)) continue;
      expect([name, waits.get('set-up')]).toEqual([name, 'service_completed_successfully']);
    }
  });

  it('waits only for what can come about', () => {
    for (const [name, one] of services) {
      for (const [on, { condition }] of Object.entries(one.depends_on ?? {})) {
        const target = service(on);
        const comes = isOneShot(target)
          ? condition === 'service_completed_successfully'
          : condition === 'service_started' || target.healthcheck?.test !== undefined;
        expect([name, on, comes]).toEqual([name, on, true]);
      }
    }
  });

  it('declares the volumes that it mounts, and mounts those that it declares', () => {
    const mounted = services.flatMap(([, one]) => one.volumes ?? []).map((text) => mountOf(text).volume);
    expect([...new Set(mounted)].toSorted()).toEqual(Object.keys(compose.volumes ?? {}).toSorted());
  });
});

describe('a service', () => {
  it.each(services.filter(([, one]) => !isOneShot(one)))('%s is looked after while it runs', (_, one) => {
    expect(one.restart).toBe('unless-stopped');
    expect(one.healthcheck?.test?.length).toBeGreaterThan(1);
  });

  it('that runs once is the set-up, which nobody asks for its health', () => {
    const once = services.filter(([, one]) => isOneShot(one));
    expect(once.map(([name, { healthcheck }]) => [name, healthcheck])).toEqual([
      ['set-up', { disable: true }],
    ]);
  });

  it.each(services)('%s is bounded, has a reaper, and is given time to stop', (_, one) => {
    expect(one.init).toBe(true);
    expect(one.deploy?.resources?.limits?.memory).toMatch(/^\d+[mg]$/);
    expect(Number.parseInt(one.stop_grace_period ?? '', 10)).toBeGreaterThan(10);
  });

  it.each(ownServices.filter(([, one]) => !isOneShot(one)))(
    '%s is asked for its health where it answers',
    (_, one) => {
      const url = new URL(one.healthcheck?.test?.at(-1) ?? '');
      const { HTTP_PORT, KAFKA_SEATLOG_HTTP_LISTENER } = one.environment ?? {};
      expect(url.hostname).toBe('127.0.0.1');
      expect(url.port).toBe(HTTP_PORT ?? KAFKA_SEATLOG_HTTP_LISTENER?.split(':')[1]);
    },
  );

  it('names the release of its image, which for our own is that of the repository', () => {
    const { version } = JSON.parse(readText('package.json')) as { readonly version: string };
    const tags = services.map(
      ([name, { image }]) => [name, /^[a-z/-]+:([\w.-]+)$/.exec(image)?.[1]] as const,
    );
    expect(tags.filter(([, tag]) => tag === undefined || tag === 'latest')).toEqual([]);
    const ownTags = tags.filter(([name]) => service(name).build !== undefined);
    expect(ownTags.filter(([, tag]) => tag !== version)).toEqual([]);
  });

  it('of workers runs more than once, and no more often than there are partitions to work on', () => {
    const { scale = 1 } = service('reservation-worker');
    expect(scale).toBeGreaterThan(1);
    expect(scale).toBeLessThanOrEqual(PARTITIONS);
  });

  it('of Redis keeps what it was given, and refuses before memory runs out', () => {
    const { command = [], deploy } = service('redis');
    const settings = Object.fromEntries(
      command.flatMap((word, index) =>
        word.startsWith('--') ? [[word.slice(2), command[index + 1]] as const] : [],
      ),
    );
    expect(settings).toMatchObject({ 'maxmemory-policy': 'noeviction', appendonly: 'yes' });
    const megabytes = (text: string | undefined) => Number.parseInt(text ?? '', 10);
    // A rewrite of the append-only file may copy every page.
    expect(megabytes(settings['maxmemory']) * 2).toBeLessThanOrEqual(
      megabytes(deploy?.resources?.limits?.memory),
    );
  });
});
