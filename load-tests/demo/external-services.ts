/** Servers that the environment names are used as they are. */
import type { ExternalServices } from '@seatlog/local-stack';

export function externalServices(environment: NodeJS.ProcessEnv = process.env): ExternalServices {
  const { DATABASE_URL, REDIS_URL, BROKERS } = environment;
  return {
    ...(DATABASE_URL === undefined ? {} : { databaseUrl: DATABASE_URL }),
    ...(REDIS_URL === undefined ? {} : { redisUrl: REDIS_URL }),
    ...(BROKERS === undefined ? {} : { brokers: BROKERS }),
  };
}
