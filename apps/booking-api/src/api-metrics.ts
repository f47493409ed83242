/** What the booking API counts. */
import { Counter, Gauge, Histogram, LATENCY_BUCKETS, type Registry } from '@seatlog/observability';

export interface WatchedFigures {
  reservationsInside(): number;
  readsInside(): number;
  backlog(): number | null;
  estimatedDrainMs(): number | null;
}

export class ApiMetrics {
  readonly #reservations: Counter<'outcome'>;
  readonly #seconds: Histogram<'step'>;
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
    const registers = [registry];
    this.#reservations = new Counter({
      name: 'booking_reservation_requests_total',
      help: 'Requests for reservations by how they were answered: accepted, replayed, or the code of the refusal',
      labelNames: ['outcome'],
      registers,
    });
    this.#seconds = new Histogram({
      name: 'booking_reservation_step_seconds',
      help: 'Time taken by the steps of a reservation request, and by all of it',
      labelNames: ['step'],
      buckets: LATENCY_BUCKETS,
      registers,
    });
  }

  answered(outcome: string): void {
    this.#reservations.inc({ outcome });
  }

  took(step: 'lock' | 'payment' | 'publish' | 'total', ms: number): void {
    this.#seconds.observe({ step }, ms / 1000);
  }

  watch(figures: WatchedFigures): void {
    const gauge = (name: string, help: string, read: () => number | null) => {
      const collect = function collect(this: Gauge): void {
        this.set(read() ?? Number.NaN);
      };
      return new Gauge({ name, help, collect, registers: [this.#registry] });
    };
    gauge(
      'booking_reservations_under_way',
      'Reservation requests being served now',
      figures.reservationsInside,
    );
    gauge('booking_reads_under_way', 'Requests for states being served now', figures.readsInside);
    gauge('booking_backlog_records', 'Records the worker has not handled yet', figures.backlog);
    gauge('booking_backlog_drain_ms', 'Estimated time until it will have', figures.estimatedDrainMs);
  }
}
