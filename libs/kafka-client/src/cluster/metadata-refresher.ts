/**
 * Keeps the metadata cache fresh: one request at a time, never two within the retry pause, going on until it succeeds for
 * as long as somebody asked. Nobody waits for it who can work with what is known: `request()` returns at once, and listeners
 * are told after each answer and each failure.
 */
import { apis } from '@seatlog/kafka-protocol';
import { backoffMs, type BackoffLimits } from '../backoff.ts';
import { retryChannel } from '../diagnostics.ts';
import { KafkaClientError } from '../errors.ts';
import type { BrokerConnection } from '../network/broker-connection.ts';
import type { Cancel, Ports } from '../ports.ts';
import type { MetadataCache } from './metadata-cache.ts';

/** A broker that does not answer in this time is given up and another one is asked: reading twice does no harm. */
const ATTEMPT_TIMEOUT_MS = 5000;

export interface RefresherSettings {
  readonly clientId: string;
  readonly retryBackoff: BackoffLimits;
  readonly metadataMaxAgeMs: number;
  readonly allowAutoTopicCreation: boolean;
  readonly ports: Ports;
}

export type MetadataListener = (failure: KafkaClientError | null) => void;

export class MetadataRefresher {
  readonly #cache: MetadataCache;
  readonly #settings: RefresherSettings;
  readonly #anyConnection: () => Promise<BrokerConnection>;
  readonly #topics = new Set<string>();
  readonly #listeners = new Set<MetadataListener>();
  #wanted = false;
  #running = false;
  #closed = false;
  #failures = 0;
  #lastAttemptAt = -Infinity;
  #cancelPause: Cancel | null = null;
  #cancelMaxAge: Cancel | null = null;

  constructor(
    cache: MetadataCache,
    settings: RefresherSettings,
    anyConnection: () => Promise<BrokerConnection>,
  ) {
    this.#cache = cache;
    this.#settings = settings;
    this.#anyConnection = anyConnection;
  }

  /** Topics that are asked for from now on. True if one of them was not before. */
  addTopics(names: Iterable<string>): boolean {
    const before = this.#topics.size;
    for (const name of names) this.#topics.add(name);
    return this.#topics.size > before;
  }

  listen(listener: MetadataListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Asks for fresh metadata soon. */
  request(): void {
    this.#wanted = true;
    if (this.#running || this.#closed) return;
    this.#running = true;
    void this.#run();
  }

  close(): void {
    this.#closed = true;
    this.#cancelPause?.();
    this.#cancelMaxAge?.();
    this.#listeners.clear();
  }

  /** Never rejects: failures are told to the listeners. */
  async #run(): Promise<void> {
    while (this.#wanted && !this.#closed) {
      await this.#pause();
      if (this.#closed) return;
      this.#wanted = false;
      this.#lastAttemptAt = this.#settings.ports.clock.monotonic();
      const failure = await this.#attempt();
      if (this.#closed) return;
      if (failure !== null) this.#wanted = true;
      for (const listener of Array.from(this.#listeners)) listener(failure);
    }
    this.#running = false;
  }

  async #attempt(): Promise<KafkaClientError | null> {
    const { clientId, allowAutoTopicCreation } = this.#settings;
    const topics = [...this.#topics].map((name) => ({ name }));
    try {
      const connection = await this.#anyConnection();
      const response = await connection.request(
        apis.metadata,
        (version) => ({ topics, ...(version >= 4 ? { allowAutoTopicCreation } : {}) }),
        { timeoutMs: ATTEMPT_TIMEOUT_MS },
      );
      this.#failures = 0;
      this.#cache.apply(response);
      this.#armMaxAge();
      return null;
    } catch (cause) {
      this.#failures += 1;
      const error = asClientError(cause);
      retryChannel.publish({
        clientId,
        operation: 'metadata',
        topic: null,
        partition: null,
        code: error.code,
        attempt: this.#failures,
      });
      return error;
    }
  }

  #pause(): Promise<void> {
    const { ports, retryBackoff } = this.#settings;
    const pause = backoffMs(retryBackoff, this.#failures, ports.random.fraction());
    const wait = this.#lastAttemptAt + pause - ports.clock.monotonic();
    if (wait <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = ports.timers.schedule(wait, resolve);
      this.#cancelPause = () => {
        cancel();
        resolve();
      };
    });
  }

  #armMaxAge(): void {
    this.#cancelMaxAge?.();
    this.#cancelMaxAge = this.#settings.ports.timers.schedule(this.#settings.metadataMaxAgeMs, () =>
      this.request(),
    );
  }
}

function asClientError(cause: unknown): KafkaClientError {
  if (cause instanceof KafkaClientError) return cause;
  return new KafkaClientError('MALFORMED_RESPONSE', 'the metadata could not be read', {
    retriable: true,
    hint: 'look at the cause',
    cause,
  });
}
