/** The worker's numbers in its registry of metrics. */
import { Counter, Gauge, Histogram, LATENCY_BUCKETS, type Registry } from '@seatlog/observability';
import type { WorkerMeters } from './ports.ts';

const BATCH_BUCKETS = [1, 5, 10, 25, 50, 100, 250, 500, 1000];

export class WorkerMetrics implements WorkerMeters {
  readonly #decisions: Counter<'kind'>;
  readonly #lateRejections: Counter;
  readonly #deadLetters: Counter<'code'>;
  readonly #retries: Counter<'what'>;
  readonly #seconds: Histogram;
  readonly #sizes: Histogram;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#decisions = new Counter({
      name: 'seatlog_reservation_decisions_total',
      help: 'Events by what was decided about them',
      labelNames: ['kind'],
      registers,
    });
    this.#lateRejections = new Counter({
      name: 'seatlog_late_rejections_total',
      help: 'Accepted reservations that the database refused: the seat lock let two buyers through',
      registers,
    });
    this.#deadLetters = new Counter({
      name: 'seatlog_dead_letters_total',
      help: 'Records sent to the dead letters, by cause',
      labelNames: ['code'],
      registers,
    });
    this.#retries = new Counter({
      name: 'seatlog_worker_retries_total',
      help: 'Passing faults that were waited out',
      labelNames: ['what'],
      registers,
    });
    this.#seconds = new Histogram({
      name: 'seatlog_apply_seconds',
      help: 'From the first attempt to the commit of a batch of events',
      buckets: LATENCY_BUCKETS,
      registers,
    });
    this.#sizes = new Histogram({
      name: 'seatlog_apply_events',
      help: 'Events in one transaction',
      buckets: BATCH_BUCKETS,
      registers,
    });
  }

  /** Reads the lag when metrics are asked for. */
  watchLag(
    registry: Registry,
    lag: () => readonly { readonly partition: number; readonly lag: number | null }[],
  ): void {
    const lagGauge = new Gauge({
      name: 'seatlog_consumer_lag',
      help: 'Records behind the high watermark, by partition of this member',
      labelNames: ['partition'],
      registers: [],
      collect() {
        this.reset();
        for (const { partition, lag: records } of lag()) {
          if (records !== null) this.set({ partition: String(partition) }, records);
        }
      },
    });
    registry.registerMetric(lagGauge);
  }

  decided(kind: string): void {
    this.#decisions.inc({ kind });
    if (kind === 'reject') this.#lateRejections.inc();
  }

  deadLettered(code: string): void {
    this.#deadLetters.inc({ code });
  }

  retried(what: string): void {
    this.#retries.inc({ what });
  }

  applied(events: number, seconds: number): void {
    this.#seconds.observe(seconds);
    this.#sizes.observe(events);
  }
}
