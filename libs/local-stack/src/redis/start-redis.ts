/**
 * A Redis (or Valkey) server of its own as a child process, on 127.0.0.1, for one data folder.
 *
 * Promises: it serves when the promise resolves, never evicts a key (`noeviction`: seat locks are no cache), and a
 * server that a killed owner left on the folder is ended first.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Redis } from 'ioredis';
import { waitUntil } from '../deadline.ts';
import { portOrFree } from '../free-port.ts';
import { ChildOfStack, type ManagedProcess } from '../managed-process.ts';
import { endLeftovers } from '../process-file.ts';
import { redisProgram } from './redis-program.ts';

/** Start includes reading the append-only file. */
export const REDIS_START_DEADLINE_MS = 60_000;
const PROBE_DEADLINE_MS = 1_000;

export interface RedisOptions {
  /** Data lies in `<dataDirectory>/redis`, the log in `<dataDirectory>/logs`. */
  readonly dataDirectory: string;
  readonly port?: number;
  /** True keeps an append-only file, synced every second. Default true; tests do without. */
  readonly durable?: boolean;
  /** How many numbered databases it has. Default 16. */
  readonly databases?: number;
  readonly onProgress?: (message: string) => void;
  readonly signal?: AbortSignal;
}

export interface RedisServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Which program it is, for people. */
  readonly origin: string;
  readonly process: ManagedProcess;
  stop(): Promise<void>;
}

export async function startRedis(options: RedisOptions): Promise<RedisServer> {
  const { durable = true, databases = 16 } = options;
  const dataDirectory = resolve(options.dataDirectory);
  const program = await redisProgram(options.onProgress);
  const folder = join(dataDirectory, 'redis');
  mkdirSync(folder, { recursive: true });
  await endLeftovers(dataDirectory, 'redis');
  const port = await portOrFree(options.port, 'Redis');
  const settings: Readonly<Record<string, string | number>> = {
    bind: '127.0.0.1',
    port,
    dir: folder,
    databases,
    'maxmemory-policy': 'noeviction',
    appendonly: durable ? 'yes' : 'no',
    appendfsync: 'everysec',
    // The append-only file is the one copy; without it nothing is kept.
    save: '',
    daemonize: 'no',
    'protected-mode': 'yes',
  };
  const child = new ChildOfStack({
    name: 'redis',
    command: program.command,
    args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
    environment: {
      PATH: process.env['PATH'],
      LC_ALL: 'C',
      ...(program.libraryPath === undefined ? {} : { LD_LIBRARY_PATH: program.libraryPath }),
    },
    dataDirectory,
    workingDirectory: folder,
    ready: (_, signal) => waitUntil(() => answersPing(port), signal),
    readyWithinMs: REDIS_START_DEADLINE_MS,
  });
  await child.start(options.signal);
  const stop = async (): Promise<void> => void (await child.stop());
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    origin: program.origin,
    process: child,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** While it reads its file it answers LOADING, which is not yet serving. */
async function answersPing(port: number): Promise<boolean> {
  const probe = new Redis({
    port,
    host: '127.0.0.1',
    lazyConnect: true,
    retryStrategy: () => null,
    connectTimeout: PROBE_DEADLINE_MS,
    enableReadyCheck: false,
  });
  // The rejection of connect() says the same.
  probe.on('error', () => undefined);
  try {
    await probe.connect();
    return (await probe.ping()) === 'PONG';
  } finally {
    probe.disconnect();
  }
}
