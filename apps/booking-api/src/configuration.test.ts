import { readConfiguration } from '@seatlog/observability';
import { describe, expect, it } from 'vitest';
import { configurationSchema } from './configuration.ts';

const least = {
  BROKERS: 'localhost:9092,other:9093',
  DATABASE_URL: 'postgres://seatlog@localhost/seatlog',
  REDIS_URL: 'redis://localhost:6379',
  TOKEN_SECRET: 'x'.repeat(32),
};

describe('the configuration of the booking API', () => {
  it('needs no more than where things are, and a secret', () => {
    expect(readConfiguration(configurationSchema, least)).toMatchObject({
      HTTP_HOST: '127.0.0.1',
      PARTITION_KEY: 'seat',
      PRODUCER_ACKS: 'all',
      SEAT_LOCK_TTL_MS: 120_000,
    });
  });

  const wrong: [string, Record<string, string>][] = [
    ['BROKERS', { BROKERS: 'localhost' }],
    ['DATABASE_URL', { DATABASE_URL: 'mysql://x' }],
    ['REDIS_URL', { REDIS_URL: '' }],
    ['TOKEN_SECRET', { TOKEN_SECRET: 'too short' }],
    ['HTTP_PORT', { HTTP_PORT: '70000' }],
    ['PARTITION_KEY', { PARTITION_KEY: 'colour' }],
    // Relations between limits.
    ['REQUEST_LEASE_MS', { PAYMENT_TIMEOUT_MS: '9000', PUBLISH_TIMEOUT_MS: '9000' }],
    ['SEAT_LOCK_TTL_MS', { SEAT_LOCK_TTL_MS: '10000' }],
  ];
  it.each(wrong)('refuses a wrong %s by its name', (field, environment) => {
    expect(() => readConfiguration(configurationSchema, { ...least, ...environment })).toThrow(
      expect.objectContaining({ code: 'CONFIGURATION_INVALID', fields: [field] }),
    );
  });

  it('never prints a value', () => {
    const secret = 'hunter2';
    expect(() => readConfiguration(configurationSchema, { ...least, TOKEN_SECRET: secret })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(secret) }),
    );
  });
});
