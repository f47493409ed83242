/**
 * Everything that sells tickets, on this machine: servers, the application's steps, apps. The order, with what can run
 * at one time in one line:
 *
 *     PostgreSQL, Redis, brokers
 *     migrations (once Postgres serves), topics (once the brokers do)
 *     seed
 *     apps
 *
 * Promises: all of it serves when the promise resolves; if a part fails or the signal fires, what had started is
 * stopped before the promise rejects; one stack per folder.
 */
import { mkdirSync } from 'node:fs';
import { startApp } from '../start-app.ts';
import { startPostgres } from '../postgres/start-postgres.ts';
import { startRedis } from '../redis/start-redis.ts';
import { planApps } from './app-plan.ts';
import { startBrokers } from './broker-nodes.ts';
import { layoutOf, type Layout } from './layout.ts';
import { StackFolder } from './stack-folder.ts';
import { removeStackFile, writeStackFile } from './stack-file.ts';
import { STOP_RANK, StackParts } from './stack-parts.ts';
import type { ServiceEndpoints, Stack, StackEndpoints, StackOptions, StackProgress } from './stack-types.ts';
import { together } from './together.ts';

export async function startStack(options: StackOptions): Promise<Stack> {
  const layout = layoutOf(options);
  const folder = StackFolder.claim(layout.dataDirectory);
  const parts = new StackParts();
  const release = async (): Promise<void> => {
    removeStackFile(layout.dataDirectory);
    await parts.stop();
    folder.release();
  };
  try {
    await folder.prepare(layout, options.fresh ?? false);
    mkdirSync(layout.dataDirectory, { recursive: true });
    const endpoints = await new Starting(options, layout, folder, parts).run();
    const pids = [...parts.processes].map(([name, process]) => [name, process.pid] as const);
    writeStackFile(layout.dataDirectory, { endpoints, processes: Object.fromEntries(pids) });
    let stopping: Promise<void> | undefined;
    const stop = (): Promise<void> => (stopping ??= release());
    const { dataDirectory } = layout;
    return { dataDirectory, endpoints, processes: parts.processes, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await release();
    throw error;
  }
}

/** The start of one stack. */
class Starting {
  readonly #options: StackOptions;
  readonly #layout: Layout;
  readonly #folder: StackFolder;
  readonly #parts: StackParts;
  /** Fires when the caller gives up or a part has failed: the others need not go on. */
  readonly #givenUp = new AbortController();

  constructor(options: StackOptions, layout: Layout, folder: StackFolder, parts: StackParts) {
    this.#options = options;
    this.#layout = layout;
    this.#folder = folder;
    this.#parts = parts;
  }

  async run(): Promise<StackEndpoints> {
    const { signal, steps } = this.#options;
    const giveUp = (): void => this.#givenUp.abort(signal?.reason);
    signal?.addEventListener('abort', giveUp, { once: true });
    if (signal?.aborted === true) giveUp();
    try {
      const [databaseUrl, redisUrl, { brokers, brokerHttpUrls }] = await this.#together([
        this.#migratedDatabase(),
        this.#redis(),
        this.#brokersWithTopics(),
      ]);
      const services = { databaseUrl, redisUrl, brokers };
      await this.#step('seed', () => steps.seed(services));
      const apps = await this.#apps(services);
      const bookingApiUrl = apps['booking-api'] ?? '';
      return { ...services, brokerHttpUrl: brokerHttpUrls[0] ?? null, brokerHttpUrls, bookingApiUrl, apps };
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  async #migratedDatabase(): Promise<string> {
    const { external, ports, durable, steps } = this.#options;
    let databaseUrl = external?.databaseUrl;
    if (databaseUrl === undefined) {
      const server = await this.#step('PostgreSQL', () =>
        startPostgres(this.#child({ port: ports?.postgres, durable })),
      );
      this.#parts.add(server.process, STOP_RANK.store);
      databaseUrl = server.url;
    }
    const url = databaseUrl;
    await this.#step('migrations', () => steps.migrate({ databaseUrl: url }));
    return url;
  }

  async #redis(): Promise<string> {
    const { external, ports, durable } = this.#options;
    if (external?.redisUrl !== undefined) return external.redisUrl;
    const onProgress = (detail: string): void => this.#tell({ step: 'Redis', state: 'started', detail });
    const options = { ...this.#child({ port: ports?.redis, durable }), onProgress };
    const server = await this.#step('Redis', () => startRedis(options));
    this.#parts.add(server.process, STOP_RANK.store);
    return server.url;
  }

  async #brokersWithTopics(): Promise<{ brokers: string; brokerHttpUrls: readonly string[] }> {
    const { external, steps, ports, brokerProperties } = this.#options;
    const count = this.#layout.brokers;
    let brokers = external?.brokers;
    let brokerHttpUrls: readonly string[] = [];
    if (brokers === undefined) {
      const cluster = await this.#step(count === 1 ? 'broker' : `${count} brokers`, () =>
        startBrokers({ ...this.#child({}), count, ports, properties: brokerProperties }),
      );
      for (const node of cluster.nodes) this.#parts.add(node.process, STOP_RANK.broker);
      brokers = cluster.bootstrap;
      brokerHttpUrls = cluster.nodes.map((node) => node.httpUrl);
    }
    const list = brokers;
    const replicationFactor = external?.brokers === undefined ? count : list.split(',').length;
    await this.#step('topics', () => steps.createTopics({ brokers: list, replicationFactor }));
    return { brokers: list, brokerHttpUrls };
  }

  async #apps(services: ServiceEndpoints): Promise<Readonly<Record<string, string>>> {
    const { appEnvironment, ports, workers } = this.#options;
    const environment = {
      DATABASE_URL: services.databaseUrl,
      REDIS_URL: services.redisUrl,
      BROKERS: services.brokers,
      TOKEN_SECRET: this.#folder.tokenSecret(),
      ...appEnvironment,
    };
    const started = await this.#together(
      planApps({ workers: workers ?? 1, bookingApiPort: ports?.bookingApi }).map(async (plan) => {
        const options = {
          ...this.#child({ port: plan.port }),
          app: plan.app,
          name: plan.name,
          // A process that is killed and started anew takes its partitions up again at once.
          environment: { ...environment, GROUP_INSTANCE_ID: plan.name },
        };
        const app = await this.#step(plan.name, () => startApp(options));
        this.#parts.add(app.process, plan.app === 'booking-api' ? STOP_RANK.entrance : STOP_RANK.app);
        return [plan.name, app.url] as const;
      }),
    );
    return Object.fromEntries(started);
  }

  /** What every child gets; options that were not given are left out. */
  #child(options: {
    readonly port?: number | undefined;
    readonly durable?: boolean | undefined;
  }): ChildOptions {
    const { port, durable } = options;
    return {
      dataDirectory: this.#layout.dataDirectory,
      signal: this.#givenUp.signal,
      ...(port === undefined ? {} : { port }),
      ...(durable === undefined ? {} : { durable }),
    };
  }

  /** Waits for all; the first failure makes the others give up, and is what the caller gets. */
  #together<T extends readonly unknown[]>(promises: { readonly [K in keyof T]: Promise<T[K]> }): Promise<T>;
  #together<T>(promises: readonly Promise<T>[]): Promise<readonly T[]>;
  #together(promises: readonly Promise<unknown>[]): Promise<readonly unknown[]> {
    return together(promises, (error) => this.#givenUp.abort(error));
  }

  async #step<T>(step: string, action: () => Promise<T>): Promise<T> {
    this.#givenUp.signal.throwIfAborted();
    const begin = performance.now();
    const took = (): number => Math.round(performance.now() - begin);
    this.#tell({ step, state: 'started' });
    try {
      const result = await action();
      this.#tell({ step, state: 'done', tookMs: took() });
      return result;
    } catch (error) {
      this.#tell({ step, state: 'failed', tookMs: took() });
      throw error;
    }
  }

  #tell(progress: StackProgress): void {
    this.#options.onProgress?.(progress);
  }
}

interface ChildOptions {
  readonly dataDirectory: string;
  readonly signal: AbortSignal;
  readonly port?: number;
  readonly durable?: boolean;
}
