/**
 * A member of a consumer group that works for as long as its process lives: a batch is handled, then its offset is
 * committed, in this order and never the other way round. A consumer that fails is replaced after a pause.
 *
 * The handler must be able to see a batch again: after a crash, a rebalance or a failed commit it is given once more.
 */
import type {
  AnyTopic,
  ConsumedBatch,
  Consumer,
  ConsumerOptions,
  KafkaClient,
  PartitionLag,
} from '@seatlog/kafka-client';
import type { Logger } from '@seatlog/observability';

export interface GroupWorkerOptions<T extends AnyTopic> {
  readonly client: KafkaClient;
  readonly consumer: ConsumerOptions<T>;
  /**
   * Resolves when the batch's effects are durable. Rejecting replaces the consumer, and the batch is read again. The signal
   * aborts when the partition is taken away, or when the worker is told to stop and its time is up.
   */
  readonly handle: (batch: ConsumedBatch<T>, signal: AbortSignal) => Promise<void>;
  readonly logger: Logger;
  /** Resolves after so many milliseconds; rejects when the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

const RESTART_PAUSE_MS = 1000;

export class GroupWorker<T extends AnyTopic> {
  readonly #options: GroupWorkerOptions<T>;
  /** Ends the loop after the batch in work. */
  readonly #stopping = new AbortController();
  /** Ends the batch in work too. */
  readonly #givingUp = new AbortController();
  #consumer: Consumer<T> | null = null;
  #running: Promise<void> = Promise.resolve();

  constructor(options: GroupWorkerOptions<T>) {
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

  /** Throws while this member has no live session: a health check. */
  check(): void {
    const health = this.#consumer?.health();
    if (health?.healthy !== true || health.state !== 'stable') {
      throw new Error(`consumer is ${health?.state ?? 'not running'}`);
    }
  }

  lag(): readonly PartitionLag[] {
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
    await using consumer = this.#options.client.consumer<T>(this.#options.consumer);
    this.#consumer = consumer;
    try {
      for await (const batch of consumer.batches({ signal: this.#stopping.signal })) await this.#work(batch);
    } finally {
      this.#consumer = null;
    }
  }

  async #work(batch: ConsumedBatch<T>): Promise<void> {
    const { handle, logger } = this.#options;
    const { topic, partition, firstOffset, nextOffset } = batch;
    try {
      await handle(batch, AbortSignal.any([batch.signal, this.#givingUp.signal]));
      await batch.commit();
    } catch (error) {
      // Taken away in the middle of it: its next owner reads it again from the last commit, and finds the work done.
      if (!batch.signal.aborted) throw error;
      logger.info(
        { topic, partition, firstOffset, nextOffset },
        'partition went to another member before the commit',
      );
    }
  }
}
