/** The relay's numbers. The backlog is read from the database when metrics are asked for. */
import { outboxBacklog, type BookingDatabase } from '@seatlog/booking-database';
import { Counter, Gauge, type Registry } from '@seatlog/observability';
import type { RelayMeters } from './relay-round.ts';

export class RelayMetrics implements RelayMeters {
  readonly #relayed: Counter;
  readonly #failed: Counter;

  constructor(registry: Registry, database: BookingDatabase) {
    const registers = [registry];
    this.#relayed = new Counter({
      name: 'seatlog_outbox_relayed_total',
      help: 'Messages published',
      registers,
    });
    this.#failed = new Counter({
      name: 'seatlog_outbox_failed_total',
      help: 'Publications that failed and are tried again',
      registers,
    });
    const oldest = new Gauge({
      name: 'seatlog_outbox_oldest_seconds',
      help: 'Age of the oldest message',
      registers,
    });
    const messages = new Gauge({
      name: 'seatlog_outbox_messages',
      help: 'Messages that wait',
      registers: [],
      async collect() {
        const backlog = await outboxBacklog(database);
        this.set(backlog.messages);
        oldest.set(backlog.oldestAgeMs / 1000);
      },
    });
    registry.registerMetric(messages);
  }

  relayed(count: number): void {
    this.#relayed.inc(count);
  }

  failed(count: number): void {
    this.#failed.inc(count);
  }
}
