/**
 * PostgreSQL and Redis for a test file:
 *
 *     const services = await testServices({ template: { name: 'booking', prepare: migrate } });
 *     // services.databaseUrl, services.redisUrl: this caller's own
 *     await services.stop();
 *
 * All callers of a Vitest run share one pair of servers through the global setup (`vitest-global-setup.ts`); without
 * it a process has its own pair, which ends with it.
 */
import { LocalStackError, type LocalStackErrorCode } from '../local-stack-error.ts';
import type { TestServicesKind } from './choice.ts';
import { ServiceHost, type SharedServers } from './service-host.ts';
import { createTestDatabase, type DatabaseTemplate, dropTestDatabase } from './test-database.ts';
import { claimRedisDatabase, releaseRedisDatabase } from './test-redis.ts';

/** Where a run's host listens; set by the global setup for the workers. */
export const HOST_VARIABLE = 'SEATLOG_TEST_SERVICES';

export interface TestServicesOptions {
  /** The state that the caller's database begins with. Default: empty. */
  readonly template?: DatabaseTemplate;
}

export interface TestServices extends AsyncDisposable {
  readonly kind: TestServicesKind;
  /** A database of the caller's own. */
  readonly databaseUrl: string;
  /** A numbered Redis database of the caller's own. */
  readonly redisUrl: string;
  /** Drops both. Connections that are still open are cut. */
  stop(): Promise<void>;
}

export async function testServices(options: TestServicesOptions = {}): Promise<TestServices> {
  const servers = await sharedServers();
  const databaseUrl = await createTestDatabase(servers, options.template);
  const redisUrl = await claimRedisDatabase(servers);
  const stop = async (): Promise<void> => {
    await Promise.all([dropTestDatabase(servers, databaseUrl), releaseRedisDatabase(redisUrl)]);
  };
  return { kind: servers.kind, databaseUrl, redisUrl, stop, [Symbol.asyncDispose]: stop };
}

/** The answer of the run's host over HTTP. */
export type HostAnswer =
  | { readonly servers: SharedServers }
  | { readonly code: LocalStackErrorCode; readonly what: string; readonly hint: string }
  | { readonly message: string };

let ownHost: ServiceHost | undefined;

async function sharedServers(): Promise<SharedServers> {
  const address = process.env[HOST_VARIABLE];
  if (address === undefined) {
    // The servers end with this process, by the exit guard.
    ownHost ??= new ServiceHost((line) => process.stderr.write(`${line}\n`));
    return ownHost.servers();
  }
  const response = await fetch(address);
  const answer = (await response.json()) as HostAnswer;
  if ('servers' in answer) return answer.servers;
  if ('message' in answer) throw new Error(answer.message);
  throw new LocalStackError(answer.code, answer.what, { hint: answer.hint });
}

/** Ends the servers that this process started for itself; those of a run's global setup are not touched. */
export async function stopOwnTestServices(): Promise<void> {
  await ownHost?.stop();
  ownHost = undefined;
}
