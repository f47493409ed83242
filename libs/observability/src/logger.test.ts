import { describe, expect, it } from 'vitest';
import { FrameworkLogger } from './framework-logger.ts';
import { createLogger, type LogLevel } from './logger.ts';

function loggerTo(level?: LogLevel) {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const logger = createLogger({
    service: 'booking-api',
    destination,
    ...(level === undefined ? {} : { level }),
  });
  return { lines, logger };
}

describe('the logger', () => {
  it('writes one JSON line with level, time, service, message and fields', () => {
    const { lines, logger } = loggerTo();
    logger.info({ reservationId: 'r1' }, 'accepted');
    expect(lines).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        service: 'booking-api',
        reservationId: 'r1',
        msg: 'accepted',
      },
    ]);
  });

  it('writes errors with their code, stack and cause', () => {
    const { lines, logger } = loggerTo();
    const cause = new Error('the socket broke');
    logger.error(
      { error: Object.assign(new Error('no answer', { cause }), { code: 'REDIS_UNAVAILABLE' }) },
      'failed',
    );
    expect(lines[0]?.['error']).toMatchObject({
      message: 'no answer',
      code: 'REDIS_UNAVAILABLE',
      stack: expect.stringContaining('logger.test'),
      cause: { message: 'the socket broke' },
    });
  });

  it('hides what is secret, and leaves out what is below its level', () => {
    const { lines, logger } = loggerTo('warn');
    logger.info('not written');
    logger.warn({ token: 'abc', cardToken: 'tok_1', authorization: 'Bearer x', password: 'p' }, 'written');
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toMatch(/abc|tok_1|Bearer/);
  });
});

describe('the logger of a framework', () => {
  it('keeps the name of the speaker, and the error that is spoken of', () => {
    const { lines, logger } = loggerTo('debug');
    const framework = new FrameworkLogger(logger);
    framework.log('Nest started', 'NestApplication');
    framework.error(new Error('broken'), 'Router');
    framework.warn('odd', { seen: 2 }, 'Router');
    expect(lines).toMatchObject([
      { level: 'debug', msg: 'Nest started', context: 'NestApplication' },
      { level: 'error', msg: 'broken', context: 'Router', error: { message: 'broken' } },
      { level: 'warn', msg: 'odd', details: [{ seen: 2 }] },
    ]);
  });
});
