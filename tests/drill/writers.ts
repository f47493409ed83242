/**
 * Producers that send by the clock, whether or not earlier sends have been answered, up to a bound. Each has a client of
 * its own and its own keys; each value is sent once in the whole drill.
 */
import { createClient, type KafkaClient, KafkaClientError, type Producer } from '@seatlog/kafka-client';
import type { HistoryRecorder } from '@seatlog/history';
import { TOPIC } from './drill-cluster.ts';

const KEYS = 24;
const TICK_MS = 10;
/** Sends of one producer that wait for an answer; beyond it the clock is not kept. */
const MOST_UNANSWERED = 4_000;
/** Longer than any fault lasts: a record whose fate is unknown says less. */
const DELIVERY_TIMEOUT_MS = 120_000;
const REQUEST_TIMEOUT_MS = 10_000;

export interface WriterOptions {
  readonly brokers: string;
  readonly clientIds: readonly string[];
  readonly partitions: number;
  readonly rate: number;
  readonly recorder: HistoryRecorder;
  /** A record was acknowledged whose send began at this moment (`performance.now()`). */
  readonly onAcked: (partition: number, beganAt: number) => void;
}

export interface WriterCounts {
  acked: number;
  failed: number;
  unknown: number;
}

export class Writers {
  readonly counts: WriterCounts = { acked: 0, failed: 0, unknown: 0 };
  /** Codes of what was not acknowledged, with how often. */
  readonly refusals = new Map<string, number>();
  readonly #options: WriterOptions;
  readonly #writers: readonly {
    readonly client: KafkaClient;
    readonly producer: Producer;
    readonly name: string;
  }[];
  readonly #timer: NodeJS.Timeout;
  readonly #unanswered = new Map<string, number>();
  readonly #began = performance.now();
  #due = 0;
  #value = 0;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#writers = options.clientIds.map((name) => {
      const client = createClient({
        brokers: options.brokers,
        clientId: name,
        connectTimeoutMs: 3_000,
        requestTimeoutMs: REQUEST_TIMEOUT_MS,
      });
      return { name, client, producer: client.producer({ deliveryTimeoutMs: DELIVERY_TIMEOUT_MS }) };
    });
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  /** Values sent so far. */
  get sent(): number {
    return this.#value;
  }

  /** Those that have no answer yet. */
  get waiting(): number {
    const { acked, failed, unknown } = this.counts;
    return this.#value - acked - failed - unknown;
  }

  /** Sends no more and waits for all that was sent. */
  async finish(): Promise<void> {
    clearInterval(this.#timer);
    for (const { producer } of this.#writers) await producer.flush().catch(() => undefined);
    for (const { client } of this.#writers) await client.close();
  }

  #tick(): void {
    const due = Math.floor(((performance.now() - this.#began) / 1000) * this.#options.rate);
    for (; this.#due < due; this.#due += 1) {
      const writer = this.#writers[this.#due % this.#writers.length];
      if (writer !== undefined && (this.#unanswered.get(writer.name) ?? 0) < MOST_UNANSWERED) {
        void this.#send(writer.name, writer.producer);
      }
    }
  }

  async #send(name: string, producer: Producer): Promise<void> {
    const { partitions, recorder, onAcked } = this.#options;
    this.#value += 1;
    const value = this.#value;
    const key = value % KEYS;
    const partition = key % partitions;
    const beganAt = performance.now();
    this.#unanswered.set(name, (this.#unanswered.get(name) ?? 0) + 1);
    const sending = recorder.begin(name, [
      { kind: 'send', partition: `${TOPIC}-${partition}`, value, offset: null },
    ]);
    try {
      const { offset } = await producer.send({
        topic: TOPIC,
        partition,
        key: `key-${key}`,
        value: String(value),
      });
      sending.succeeded([offset]);
      this.counts.acked += 1;
      onAcked(partition, beganAt);
    } catch (error) {
      const isKnown = error instanceof KafkaClientError;
      const code = isKnown ? error.code : String(error);
      this.refusals.set(code, (this.refusals.get(code) ?? 0) + 1);
      if (isKnown && error.outcome === 'not-written') {
        sending.failed();
        this.counts.failed += 1;
      } else {
        sending.unknown();
        this.counts.unknown += 1;
      }
    } finally {
      this.#unanswered.set(name, (this.#unanswered.get(name) ?? 1) - 1);
    }
  }
}
