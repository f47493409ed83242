/**
 * A member of a consumer group that works for as long as its process lives: a round of batches is handled, then its offsets
 * are committed, in this order and never the other way round. A consumer that fails is replaced after a pause.
 *
 * A round holds one batch of every partition that has something ready, so that its price (a transaction) is paid once
 * however many partitions there are. The handler must be able to see it again, whole or in part: after a crash, a
 * rebalance or a failed commit it is given once more.
 */
import type {
  AnyTopic,
  ConsumedBatch,
  ConsumedRound,
  Consumer,
  ConsumerOptions,
  KafkaClient,
  PartitionLag,
} from '@seatlog/kafka-client';
import type { Logger } from '@seatlog/observability';

export interface GroupWorkerOptions<T extends AnyTopic> {
  readonly client: Pick<KafkaClient, 'consumer'>;
  readonly consumer: ConsumerOptions<T>;
  /**
   * Resolves when the effects of all batches are durable. Rejecting replaces the consumer, and they are read again. The
   * signal aborts when one of the partitions is taken away, or when the worker is told to stop and its time is up.
   */
  readonly handle: (batches: readonly ConsumedBatch<T>[], signal: AbortSignal) => Promise<void>;
  readonly logger: Logger;
  /** Resolves after so many milliseconds; rejects when the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

const RESTART_PAUSE_MS = 1000;

export class GroupWorker<T extends AnyTopic> {
  readonly #options: GroupWorkerOptions<T>;
  /** Ends the loop after the round in work. */
  readonly #stopping = new AbortController();
  /** Ends the round in work too. */
  readonly #givingUp = new AbortController();
  #consumer: Consumer<T> | null = null;
  #running: Promise<void> = Promise.resolve();

  constructor(options: GroupWorkerOptions<T>) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Finishes the round in work, commits, leaves the group; what is not finished by the deadline is left to be read again. */
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
      for await (const round of consumer.rounds({ signal: this.#stopping.signal })) await this.#work(round);
    } finally {
      this.#consumer = null;
    }
  }

  async #work(round: ConsumedRound<T>): Promise<void> {
    const { handle, logger } = this.#options;
    const signals = round.batches.map(({ signal }) => signal);
    try {
      await handle(round.batches, AbortSignal.any([...signals, this.#givingUp.signal]));
      await round.commit();
    } catch (error) {
      // Taken away in the middle of it: the next owner reads it again from the last commit, and finds the work done. Where
      // only some of the partitions went, the others must be read again here, which another consumer does.
      if (!signals.every(({ aborted }) => aborted)) throw error;
      const partitions = round.batches.map(({ topic, partition, firstOffset, nextOffset }) => ({
        topic,
        partition,
        firstOffset,
        nextOffset,
      }));
      logger.info({ partitions }, 'partitions went to other members before the commit');
    }
  }
}
