/** The notifier's numbers in its registry of metrics. */
import { Counter, type Registry } from '@seatlog/observability';
import type { RefundMeters } from './refund-handler.ts';

export class RefundMetrics implements RefundMeters {
  readonly #notified: Counter;
  readonly #duplicates: Counter;
  readonly #parked: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#notified = new Counter({
      name: 'seatlog_refund_notices_total',
      help: 'Refund notices given',
      registers,
    });
    this.#duplicates = new Counter({
      name: 'seatlog_refund_duplicates_total',
      help: 'Refund requests that came again',
      registers,
    });
    this.#parked = new Counter({
      name: 'seatlog_refund_parked_total',
      help: 'Refund requests that could not be read',
      registers,
    });
  }

  notified(count: number): void {
    this.#notified.inc(count);
  }

  duplicates(count: number): void {
    this.#duplicates.inc(count);
  }

  parked(): void {
    this.#parked.inc();
  }
}
