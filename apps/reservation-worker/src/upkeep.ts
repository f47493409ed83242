/**
 * What the worker does by the clock: gives up orders whose missing seats did not come, and makes good the marks that the
 * seat lock missed. One round at a time; a round that fails is logged and the next one tries again.
 */
import type { PartitionKeyKind } from '@seatlog/booking';
import { rejectIncompleteOrders, type BookingDatabase } from '@seatlog/booking-database';
import type { Logger } from '@seatlog/observability';
import type { RedisSeatMarks } from './seat-marks.ts';

export interface UpkeepOptions {
  readonly database: BookingDatabase;
  readonly seats: RedisSeatMarks;
  readonly logger: Logger;
  readonly olderThanMs: number;
  readonly keyKind: PartitionKeyKind;
  readonly now: () => number;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

const ROUND_MS = 1000;
const ORDERS_A_ROUND = 100;

export class Upkeep {
  readonly #options: UpkeepOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { logger, pause } = this.#options;
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#round();
      } catch (error) {
        logger.warn({ error }, 'a round of upkeep failed');
      }
      await pause(ROUND_MS, this.#stopping.signal).catch(() => {});
    }
  }

  async #round(): Promise<void> {
    const { database, seats, logger, olderThanMs, keyKind, now } = this.#options;
    await seats.catchUp();
    const { orderIds, settlements } = await rejectIncompleteOrders(database, {
      olderThanMs,
      limit: ORDERS_A_ROUND,
      now: now(),
      keyKind,
    });
    if (orderIds.length === 0) return;
    logger.warn({ orderIds }, 'incomplete orders given up and refunded');
    await seats.settle(settlements);
  }
}
