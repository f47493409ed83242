/**
 * A connection that fails fast: while Redis is away commands are refused at once (no queue that grows), an answer that does
 * not come is given up on, and nothing is sent a second time behind the caller's back.
 *
 * It follows a failover: a connection on which nothing is answered any more (the machine is gone, and nobody closed it) and
 * one to a server that has become a replica are given up, and the address is asked anew.
 */
import { Redis, type RedisOptions } from 'ioredis';
import { SeatLockError, seatLockError } from './seat-lock-error.ts';

/** Together with one retry of the caller's this stays under a second. */
export const COMMAND_TIMEOUT_MS = 400;
/** A connection that owes answers and is silent for so many command timeouts is dead. */
const SILENT_TIMEOUTS = 2.5;
const CONNECT_TIMEOUT_MS = 2000;
const LONGEST_RECONNECT_PAUSE_MS = 500;

export interface RedisConnectionOptions {
  readonly url: string;
  /** Shown in CLIENT LIST. */
  readonly clientName: string;
  readonly commandTimeoutMs?: number;
  /** Told about connection errors, for the log; the connection mends itself. */
  readonly onConnectionError?: (error: Error) => void;
}

export async function connectRedis(options: RedisConnectionOptions): Promise<Redis> {
  const commandTimeout = options.commandTimeoutMs ?? COMMAND_TIMEOUT_MS;
  const settings = {
    lazyConnect: true,
    connectionName: options.clientName,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout,
    socketTimeout: Math.ceil(commandTimeout * SILENT_TIMEOUTS),
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt: number) => Math.min(50 * attempt, LONGEST_RECONNECT_PAUSE_MS),
  } satisfies RedisOptions;
  const redis = new Redis(options.url, settings);
  const report = options.onConnectionError ?? (() => {});
  redis.on('error', report);
  try {
    await redis.connect();
    await refuseEviction(redis);
    return redis;
  } catch (error) {
    redis.disconnect();
    throw seatLockError(error);
  }
}

/** A Redis that evicts throws locks away without a word, and with them the guard against selling twice. */
async function refuseEviction(redis: Redis): Promise<void> {
  const policy = /^maxmemory_policy:(\S+)/m.exec(await redis.info('memory'))?.[1];
  if (policy === 'noeviction') return;
  throw new SeatLockError(
    'REDIS_EVICTS',
    `Redis runs with maxmemory-policy ${policy ?? 'unknown'}: it may throw seat locks away`,
    'Set maxmemory-policy to noeviction, or give the seat lock a Redis of its own.',
  );
}
