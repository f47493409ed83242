/**
 * One JSON line for each event on stdout: level, time, service, msg, and whatever fields were given. Errors are written
 * with code, message, stack and cause.
 */
import {
  pino,
  stdSerializers,
  stdTimeFunctions,
  type DestinationStream,
  type Logger as PinoLogger,
} from 'pino';

export type Logger = PinoLogger;

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LoggerOptions {
  readonly service: string;
  readonly level?: LogLevel;
  /** Where lines go; default: stdout. */
  readonly destination?: DestinationStream;
}

/** Fields whose values never reach a log. Top level only: a wildcard path would be walked on every line. */
const SECRET_FIELDS = ['cardToken', 'authorization', 'token', 'password'];

export function createLogger(options: LoggerOptions): Logger {
  const settings = {
    level: options.level ?? 'info',
    base: { service: options.service },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: stdSerializers.errWithCause, err: stdSerializers.errWithCause },
    redact: { paths: SECRET_FIELDS, censor: '[hidden]' },
  };
  return options.destination === undefined ? pino(settings) : pino(settings, options.destination);
}
