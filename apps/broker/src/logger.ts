/**
 * Log lines of one JSON object each: level, time, msg, fields. Writes are handed to `write` as whole lines.
 */
import type { Clock } from '@seatlog/runtime';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFields = Readonly<Record<string, unknown>>;

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds `fields` to every line. */
  with(fields: LogFields): Logger;
}

const rank: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/** Errors are not enumerable, so JSON would show `{}`: their code, message and stack are what a reader needs. */
function plain(value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const code: unknown = 'code' in value ? value.code : undefined;
  return {
    name: value.name,
    message: value.message,
    ...(code === undefined ? {} : { code }),
    stack: value.stack,
  };
}

export function createLogger(clock: Clock, level: LogLevel, write: (line: string) => void): Logger {
  const threshold = rank[level];
  const make = (bound: LogFields): Logger => {
    const emit = (lineLevel: LogLevel, message: string, fields: LogFields | undefined): void => {
      if (rank[lineLevel] < threshold) return;
      const line: Record<string, unknown> = {
        level: lineLevel,
        time: new Date(clock.now()).toISOString(),
        msg: message,
      };
      for (const source of [bound, fields ?? {}]) {
        for (const [name, value] of Object.entries(source)) line[name] = plain(value);
      }
      write(`${JSON.stringify(line)}\n`);
    };
    return {
      debug: (message, fields) => emit('debug', message, fields),
      info: (message, fields) => emit('info', message, fields),
      warn: (message, fields) => emit('warn', message, fields),
      error: (message, fields) => emit('error', message, fields),
      with: (fields) => make({ ...bound, ...fields }),
    };
  };
  return make({});
}

/** For tests and embedders that want silence. */
export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  with: () => silentLogger,
};
