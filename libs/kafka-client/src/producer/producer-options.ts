/** Defaults and rules of the producer's options, applied once. Pure. */
import { Compression } from '@seatlog/kafka-protocol';
import { KafkaClientError } from '../errors.ts';
import type { Partitioner, ProducerOptions } from './types.ts';

export interface ProducerSettings {
  readonly acks: -1 | 0 | 1;
  readonly idempotent: boolean;
  readonly lingerMs: number;
  readonly batchSize: number;
  readonly bufferMemory: number;
  readonly maxRequestSize: number;
  readonly maxInFlight: number;
  readonly retries: number;
  readonly deliveryTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly maxBlockMs: number;
  readonly compression: number;
  readonly partitioner: Partitioner | null;
}

/** As many numbered batches of a partition as a broker keeps apart. */
const MAX_IN_FLIGHT_IDEMPOTENT = 5;
const MOST_RETRIES = 2_147_483_647;

export function producerSettings(options: ProducerOptions, requestTimeoutMs: number): ProducerSettings {
  const acks = options.acks === 'all' || options.acks === undefined ? -1 : options.acks;
  const settings: ProducerSettings = {
    acks,
    idempotent: options.enableIdempotence ?? acks === -1,
    lingerMs: options.lingerMs ?? 0,
    batchSize: options.batchSize ?? 16_384,
    bufferMemory: options.bufferMemory ?? 33_554_432,
    maxRequestSize: options.maxRequestSize ?? 1_048_576,
    maxInFlight: options.maxInFlightRequestsPerConnection ?? 5,
    retries: options.retries ?? MOST_RETRIES,
    deliveryTimeoutMs: options.deliveryTimeoutMs ?? 120_000,
    requestTimeoutMs: options.requestTimeoutMs ?? requestTimeoutMs,
    maxBlockMs: options.maxBlockMs ?? 60_000,
    compression: Compression[options.compression ?? 'none'],
    partitioner: options.partitioner ?? null,
  };
  requireNumbers(settings);
  requireRelations(settings);
  return Object.freeze(settings);
}

function requireNumbers(settings: ProducerSettings): void {
  const least: readonly [name: string, value: number, least: number][] = [
    ['lingerMs', settings.lingerMs, 0],
    ['batchSize', settings.batchSize, 0],
    ['bufferMemory', settings.bufferMemory, 1],
    ['maxRequestSize', settings.maxRequestSize, 128],
    ['maxInFlightRequestsPerConnection', settings.maxInFlight, 1],
    ['retries', settings.retries, 0],
    ['deliveryTimeoutMs', settings.deliveryTimeoutMs, 1],
    ['requestTimeoutMs', settings.requestTimeoutMs, 1],
    ['maxBlockMs', settings.maxBlockMs, 0],
  ];
  for (const [name, value, minimum] of least) {
    if (!Number.isFinite(value) || value < minimum) {
      throw invalid(`${name} is ${value}, at least ${minimum} is needed`, `change ${name}`);
    }
  }
}

function requireRelations(settings: ProducerSettings): void {
  const { acks, idempotent, maxInFlight, deliveryTimeoutMs, lingerMs, requestTimeoutMs } = settings;
  if (![-1, 0, 1].includes(acks)) throw invalid(`acks is ${acks}`, "use 'all', 1 or 0");
  if (settings.compression === undefined)
    throw invalid('compression is unknown', 'none, gzip, snappy, lz4 or zstd');
  if (idempotent && acks !== -1) {
    throw invalid('enableIdempotence needs acks all', "use acks 'all', or leave enableIdempotence out");
  }
  if (idempotent && settings.retries === 0) {
    throw invalid('enableIdempotence needs retries', 'raise retries, or give enableIdempotence: false');
  }
  if (idempotent && maxInFlight > MAX_IN_FLIGHT_IDEMPOTENT) {
    throw invalid(
      `enableIdempotence needs at most ${MAX_IN_FLIGHT_IDEMPOTENT} requests in flight`,
      'lower maxInFlightRequestsPerConnection',
    );
  }
  if (deliveryTimeoutMs < lingerMs + requestTimeoutMs) {
    throw invalid(
      `deliveryTimeoutMs ${deliveryTimeoutMs} is less than lingerMs + requestTimeoutMs (${lingerMs + requestTimeoutMs})`,
      'raise deliveryTimeoutMs or lower requestTimeoutMs',
    );
  }
}

function invalid(message: string, hint: string): KafkaClientError {
  return new KafkaClientError('INVALID_CONFIGURATION', `producer: ${message}`, { retriable: false, hint });
}
