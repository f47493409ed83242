/**
 * Keeps the catalogue up to date, and Redis in line with the database: a Redis that knows nothing of an event (a new event,
 * or a Redis that lost its data) is told what is sold before a seat of it can be had, and each event is compared from time
 * to time. A round that fails is logged and the next one tries again; until then the last catalogue is used.
 */
import type { Logger } from '@seatlog/observability';
import type { SeatLock } from '@seatlog/seat-lock';
import { entryOf, type Catalogue, type EventEntry } from './catalogue.ts';
import type { CatalogueSource } from './catalogue-source.ts';

export interface CatalogueKeeperOptions {
  readonly catalogue: Catalogue;
  readonly source: CatalogueSource;
  readonly seatLock: Pick<SeatLock, 'isWarm' | 'reconcile'>;
  readonly logger: Logger;
  readonly refreshMs: number;
  readonly reconcileMs: number;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
}

export class CatalogueKeeper {
  readonly #options: CatalogueKeeperOptions;
  readonly #reconciledAt = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | null = null;
  #stopped = false;

  constructor(options: CatalogueKeeperOptions) {
    this.#options = options;
  }

  start(): void {
    this.wake();
  }

  /** Runs a round now, or leaves it to the one that runs. */
  wake(): void {
    if (this.#stopped || this.#running !== null) return;
    clearTimeout(this.#timer);
    this.#running = this.#round().finally(() => {
      this.#running = null;
      if (!this.#stopped) this.#timer = setTimeout(() => this.wake(), this.#options.refreshMs);
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #round(): Promise<void> {
    const { catalogue, logger } = this.#options;
    try {
      await this.refresh();
    } catch (error) {
      logger.warn({ error }, 'the catalogue could not be read, the last one is used');
    }
    for (const entry of catalogue.events) {
      if (this.#stopped) return;
      try {
        await this.#align(entry);
      } catch (error) {
        logger.warn({ error, eventId: entry.event.eventId }, 'seats could not be compared with the database');
      }
    }
  }

  /** Reads the events, and the seats of those that have changed. */
  async refresh(): Promise<void> {
    const { catalogue, source, logger } = this.#options;
    const entries: EventEntry[] = [];
    for (const event of await source.readEvents()) {
      const known = catalogue.find(event.eventId);
      if (known?.event.revision === event.revision) {
        entries.push(known);
        continue;
      }
      const entry = entryOf(event, await source.readSeats(event.eventId));
      logger.info({ eventId: event.eventId, seats: entry.seats.length }, 'event read');
      entries.push(entry);
    }
    catalogue.replace(entries);
  }

  async #align({ event, seats }: EventEntry): Promise<void> {
    const { source, seatLock, logger, reconcileMs, monotonic } = this.#options;
    const { eventId } = event;
    const last = this.#reconciledAt.get(eventId);
    const isDue = last === undefined || monotonic() - last >= reconcileMs;
    if (!isDue && (await seatLock.isWarm(eventId))) return;
    const seatIds = seats.map((seat) => seat.seatId);
    const report = await seatLock.reconcile(eventId, seatIds, () => source.readSold(eventId));
    this.#reconciledAt.set(eventId, monotonic());
    if (report.restored + report.cleared > 0) logger.warn({ eventId, ...report }, 'seats brought in line');
  }
}
