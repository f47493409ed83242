/**
 * Lets a framework write through our logger. It has the shape of Nest's LoggerService (message first, the name of the
 * speaker last), without knowing Nest.
 */
import type { Logger } from './logger.ts';

export class FrameworkLogger {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  log(message: unknown, ...rest: unknown[]): void {
    // What a framework says about its own start is no news to those who run it.
    this.#write('debug', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.#write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.#write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.#write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.#write('trace', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.#write('fatal', message, rest);
  }

  #write(
    level: 'trace' | 'debug' | 'warn' | 'error' | 'fatal',
    message: unknown,
    rest: readonly unknown[],
  ): void {
    const speaker = rest.at(-1);
    const fields: Record<string, unknown> = typeof speaker === 'string' ? { context: speaker } : {};
    const details = rest.slice(0, -1);
    if (details.length > 0) fields['details'] = details;
    if (message instanceof Error) this.#logger[level]({ ...fields, error: message }, message.message);
    else this.#logger[level](fields, String(message));
  }
}
