/**
 * Where tests get PostgreSQL and Redis from: `TEST_SERVICES=auto|containers|embedded|external`.
 * auto: containers where an engine answers, else embedded. external: DATABASE_URL and REDIS_URL. auto never uses
 * those two by itself: they may name data that someone wants to keep.
 */
import { LocalStackError } from '../local-stack-error.ts';

export type TestServicesKind = 'containers' | 'embedded' | 'external';

export interface TestServicesChoice {
  readonly kind: TestServicesKind;
  readonly reason: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

export async function chooseTestServices(
  environment: Environment,
  /** Null when a container engine answers, else why not. */
  probeEngine: () => Promise<string | null>,
): Promise<TestServicesChoice> {
  const wanted = environment['TEST_SERVICES'] ?? 'auto';
  switch (wanted) {
    case 'embedded':
      return { kind: 'embedded', reason: 'TEST_SERVICES=embedded' };
    case 'external':
      requireExternal(environment);
      return { kind: 'external', reason: 'TEST_SERVICES=external' };
    case 'containers': {
      const missing = await probeEngine();
      if (missing === null) return { kind: 'containers', reason: 'TEST_SERVICES=containers' };
      throw new LocalStackError('NO_CONTAINER_ENGINE', `No container engine answers: ${missing}`, {
        hint: 'Start Docker or Podman, or use TEST_SERVICES=embedded.',
      });
    }
    case 'auto': {
      const missing = await probeEngine();
      return missing === null
        ? { kind: 'containers', reason: 'a container engine answers' }
        : { kind: 'embedded', reason: `no container engine: ${missing}` };
    }
    default:
      throw new LocalStackError('TEST_SERVICES_INVALID', `TEST_SERVICES=${wanted} is not known`, {
        hint: 'Use auto, containers, embedded or external.',
      });
  }
}

export interface ExternalUrls {
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

export function requireExternal(environment: Environment): ExternalUrls {
  const databaseUrl = environment['DATABASE_URL'];
  const redisUrl = environment['REDIS_URL'];
  if (databaseUrl === undefined || redisUrl === undefined) {
    const missing = databaseUrl === undefined ? 'DATABASE_URL' : 'REDIS_URL';
    throw new LocalStackError('TEST_SERVICES_INVALID', `TEST_SERVICES=external needs ${missing}`, {
      hint: 'Give both. The user of DATABASE_URL must be allowed to create databases.',
    });
  }
  return { databaseUrl, redisUrl };
}
