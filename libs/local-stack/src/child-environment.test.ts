import { describe, expect, it } from 'vitest';
import { childEnvironment } from './child-environment.ts';

describe('the environment of a child', () => {
  it('holds what a program needs, what it is given, and nothing that would change its configuration', () => {
    const parent = {
      PATH: '/bin',
      TZ: 'UTC',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector',
      KAFKA_LOG_DIRS: '/elsewhere',
      DATABASE_URL: 'postgres://precious',
      NODE_OPTIONS: '--inspect',
    };
    expect(childEnvironment({ LOG_LEVEL: 'warn', TZ: 'Europe/Vienna' }, parent)).toEqual({
      PATH: '/bin',
      TZ: 'Europe/Vienna',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector',
      LOG_LEVEL: 'warn',
    });
  });
});
