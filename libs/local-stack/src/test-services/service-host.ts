/**
 * The one pair of servers of a test run. It starts them when the first caller asks, so a run of unit tests alone pays
 * nothing, and says once where they come from.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isLock, tryLock } from '../folder-lock.ts';
import { startPostgres } from '../postgres/start-postgres.ts';
import { endLeftovers } from '../process-file.ts';
import { startRedis } from '../redis/start-redis.ts';
import { layoutDirectory } from '../repository.ts';
import { wipeDataDirectory } from '../wipe-data-directory.ts';
import { chooseTestServices, requireExternal, type TestServicesKind } from './choice.ts';
import { probeContainerEngine, startContainers } from './containers.ts';
import { dropDatabases } from './test-database.ts';

/** One numbered Redis database per caller; more callers than this in one run are refused. */
export const REDIS_DATABASES = 4096;

export interface RunningServers {
  readonly adminUrl: string;
  readonly redisUrl: string;
  /** For people. */
  readonly description: string;
  stop(): Promise<void>;
}

/** What a caller in another process needs to know. */
export interface SharedServers {
  readonly kind: TestServicesKind;
  readonly adminUrl: string;
  readonly redisUrl: string;
  /** Part of the name of every database of this run. */
  readonly runId: string;
}

export class ServiceHost {
  readonly #runId = randomUUID().replaceAll('-', '').slice(0, 12);
  readonly #say: (line: string) => void;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  #starting: Promise<{ shared: SharedServers; running: RunningServers }> | undefined;

  constructor(
    say: (line: string) => void,
    environment: Readonly<Record<string, string | undefined>> = process.env,
  ) {
    this.#say = say;
    this.#environment = environment;
  }

  async servers(): Promise<SharedServers> {
    this.#starting ??= this.#start();
    return (await this.#starting).shared;
  }

  async stop(): Promise<void> {
    const started = await this.#starting?.catch(() => undefined);
    this.#starting = undefined;
    if (started === undefined) return;
    if (started.shared.kind === 'external') await dropDatabases(started.shared);
    await started.running.stop();
  }

  async #start(): Promise<{ shared: SharedServers; running: RunningServers }> {
    const { kind, reason } = await chooseTestServices(this.#environment, probeContainerEngine);
    const running = await this.#run(kind);
    this.#say(`test services: ${kind} (${reason}): ${running.description}`);
    const { adminUrl, redisUrl } = running;
    return { shared: { kind, adminUrl, redisUrl, runId: this.#runId }, running };
  }

  #run(kind: TestServicesKind): Promise<RunningServers> {
    switch (kind) {
      case 'containers':
        return startContainers(REDIS_DATABASES);
      case 'embedded':
        return startEmbedded(join(layoutDirectory('test-services'), this.#runId), this.#say);
      case 'external': {
        const { databaseUrl, redisUrl } = requireExternal(this.#environment);
        const stop = (): Promise<void> => Promise.resolve();
        return Promise.resolve({ adminUrl: databaseUrl, redisUrl, description: 'the servers given', stop });
      }
      default:
        return Promise.reject(new Error(`unknown kind ${String(kind satisfies never)}`));
    }
  }
}

async function startEmbedded(folder: string, say: (line: string) => void): Promise<RunningServers> {
  await removeDeadRuns(join(folder, '..'));
  const lock = tryLock(`${folder}.lock`);
  if (!isLock(lock)) throw new Error(`${folder} is in use`);
  mkdirSync(folder, { recursive: true });
  const outcomes = await Promise.allSettled([
    startPostgres({ dataDirectory: folder, durable: false }),
    startRedis({ dataDirectory: folder, durable: false, databases: REDIS_DATABASES, onProgress: say }),
  ]);
  const [postgres, redis] = outcomes;
  const stop = async (): Promise<void> => {
    const started = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    await Promise.all(started.map((server) => server.stop()));
    wipeDataDirectory(folder);
    lock.release();
  };
  if (postgres.status === 'fulfilled' && redis.status === 'fulfilled') {
    return {
      adminUrl: postgres.value.adminUrl,
      redisUrl: redis.value.url,
      description: `PostgreSQL from npm, Redis: ${redis.value.origin}`,
      stop,
    };
  }
  await stop();
  throw outcomes.find((outcome) => outcome.status === 'rejected')?.reason;
}

/** Runs whose process was killed leave servers and folders behind; the next run removes both. */
async function removeDeadRuns(parent: string): Promise<void> {
  mkdirSync(parent, { recursive: true });
  for (const file of readdirSync(parent).filter((name) => name.endsWith('.lock'))) {
    const lock = tryLock(join(parent, file));
    if (!isLock(lock)) continue;
    const folder = join(parent, file.slice(0, -'.lock'.length));
    await endLeftovers(folder);
    wipeDataDirectory(folder);
    lock.release();
  }
}
