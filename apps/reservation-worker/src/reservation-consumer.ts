/**
 * The worker's loop: a batch is handled, then its offset is committed, in this order and never the other way round. A
 * consumer that fails is replaced after a pause, for as long as the process lives.
 */
import { reservationEvents } from '@seatlog/booking';
import type { Consumer, ConsumedBatch, KafkaClient } from '@seatlog/kafka-client';
import type { Logger } from '@seatlog/observability';
import type { BatchHandler } from './batch-handler.ts';

type ReservationTopic = typeof reservationEvents;

export interface ReservationConsumerOptions {
  readonly client: KafkaClient;
  readonly handler: BatchHandler;
  readonly logger: Logger;
  readonly groupId: string;
  readonly maxRecords: number;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** A passing fault may hold a batch up for long; handing the partition to another member would not end it sooner. */
const MAX_POLL_INTERVAL_MS = 60 * 60_000;
const RESTART_PAUSE_MS = 1000;

export class ReservationConsumer {
  readonly #options: ReservationConsumerOptions;
  /** Ends the loop after the batch in work. */
  readonly #stopping = new AbortController();
  /** Ends the batch in work too. */
  readonly #givingUp = new AbortController();
  #consumer: Consumer<ReservationTopic> | null = null;
  #running: Promise<void> = Promise.resolve();

  constructor(options: ReservationConsumerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Finishes the batch in work, commits, leaves the group; what is not finished by the deadline is left to be read again. */
  async stop(deadlineMs: number): Promise<void> {
    this.#stopping.abort();
    const timer = setTimeout(() => this.#givingUp.abort(), deadlineMs);
    try {
      await this.#running;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Throws while this member has no live session. */
  check(): void {
    const health = this.#consumer?.health();
    if (health?.healthy !== true || health.state !== 'stable') {
      throw new Error(`consumer is ${health?.state ?? 'not running'}`);
    }
  }

  lag(): ReturnType<Consumer['lag']> {
    return this.#consumer?.lag() ?? [];
  }

  async #run(): Promise<void> {
    const { logger, pause } = this.#options;
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#consume();
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        logger.error({ error, pauseMs: RESTART_PAUSE_MS }, 'consumer failed, starting another');
        await pause(RESTART_PAUSE_MS, this.#stopping.signal).catch(() => {});
      }
    }
  }

  async #consume(): Promise<void> {
    const { client, groupId, maxRecords, handler } = this.#options;
    await using consumer = client.consumer<ReservationTopic>({
      groupId,
      topics: [reservationEvents],
      autoOffsetReset: 'earliest',
      maxPollRecords: maxRecords,
      maxPollIntervalMs: MAX_POLL_INTERVAL_MS,
      onAssigned: () => handler.forgetParkedKeys(),
    });
    this.#consumer = consumer;
    try {
      for await (const batch of consumer.batches({ signal: this.#stopping.signal })) await this.#work(batch);
    } finally {
      this.#consumer = null;
    }
  }

  async #work(batch: ConsumedBatch<ReservationTopic>): Promise<void> {
    const { handler, logger } = this.#options;
    const { partition, firstOffset, nextOffset } = batch;
    try {
      await handler.handle(batch.records, AbortSignal.any([batch.signal, this.#givingUp.signal]));
      await batch.commit();
    } catch (error) {
      // Taken away in the middle of it: its new owner reads it again from the last commit, and finds the work done.
      if (!batch.signal.aborted) throw error;
      logger.info(
        { partition, firstOffset, nextOffset },
        'partition went to another member before the commit',
      );
    }
  }
}
