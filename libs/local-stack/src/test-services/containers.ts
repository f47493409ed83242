/** PostgreSQL and Redis from containers. testcontainers is loaded only here: it is large, and most runs do without. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { StartedTestContainer } from 'testcontainers';
import type { RunningServers } from './service-host.ts';

const POSTGRES_IMAGE = 'postgres:18-alpine';
const REDIS_IMAGE = 'redis:7-alpine';
const POSTGRES_PORT = 5432;
const REDIS_PORT = 6379;

/** Null when an engine answers, else why not. A machine without any engine is told apart without loading anything. */
export async function probeContainerEngine(): Promise<string | null> {
  const sockets = [
    '/var/run/docker.sock',
    join(homedir(), '.docker/run/docker.sock'),
    join(homedir(), '.docker/desktop/docker.sock'),
    join(process.env['XDG_RUNTIME_DIR'] ?? `/run/user/${process.getuid?.() ?? 0}`, 'docker.sock'),
    join(process.env['XDG_RUNTIME_DIR'] ?? `/run/user/${process.getuid?.() ?? 0}`, 'podman/podman.sock'),
  ];
  const configured = ['DOCKER_HOST', 'TESTCONTAINERS_HOST_OVERRIDE'].some(
    (name) => process.env[name] !== undefined,
  );
  const properties = existsSync(join(homedir(), '.testcontainers.properties'));
  if (!configured && !properties && !sockets.some((socket) => existsSync(socket))) {
    return 'no socket of Docker or Podman, and no DOCKER_HOST';
  }
  const { getContainerRuntimeClient } = await import('testcontainers');
  try {
    await getContainerRuntimeClient();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export async function startContainers(redisDatabases: number): Promise<RunningServers> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const starting = [
    new GenericContainer(POSTGRES_IMAGE)
      .withEnvironment({ POSTGRES_USER: 'seatlog', POSTGRES_HOST_AUTH_METHOD: 'trust' })
      .withCommand(['-c', 'fsync=off', '-c', 'max_connections=200'])
      .withExposedPorts(POSTGRES_PORT)
      // The image starts the server twice; it serves after the second time.
      .withWaitStrategy(Wait.forLogMessage('database system is ready to accept connections', 2))
      .start(),
    new GenericContainer(REDIS_IMAGE)
      .withCommand([
        'redis-server',
        '--save',
        '',
        '--maxmemory-policy',
        'noeviction',
        '--databases',
        String(redisDatabases),
      ])
      .withExposedPorts(REDIS_PORT)
      .start(),
  ] as const;
  const outcomes = await Promise.allSettled(starting);
  const started = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const stop = async (): Promise<void> =>
    void (await Promise.all(started.map((container) => container.stop())));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  const [postgres, redis] = started;
  if (failed !== undefined || postgres === undefined || redis === undefined) {
    await stop();
    throw failed?.reason;
  }
  return {
    adminUrl: `postgres://seatlog@${addressOf(postgres, POSTGRES_PORT)}/postgres`,
    redisUrl: `redis://${addressOf(redis, REDIS_PORT)}`,
    description: `${POSTGRES_IMAGE}, ${REDIS_IMAGE}`,
    stop,
  };
}

function addressOf(container: StartedTestContainer, port: number): string {
  return `${container.getHost()}:${container.getMappedPort(port)}`;
}
