/** Samples the backlog of the worker's group once a second. What cannot be sampled is unknown, and holds nobody back. */
import { reservationEvents } from '@seatlog/booking';
import type { Admin } from '@seatlog/kafka-client';
import type { Logger } from '@seatlog/observability';
import { BacklogEstimator } from './backlog-estimator.ts';

export interface BacklogWatchOptions {
  readonly admin: Pick<Admin, 'describeTopics' | 'fetchOffsets' | 'listOffsets'>;
  readonly group: string;
  readonly logger: Logger;
}

const SAMPLE_INTERVAL_MS = 1000;
/** A sample older than this says nothing about now. */
const SAMPLE_LIFETIME_MS = 10_000;

export class BacklogWatch {
  readonly #options: BacklogWatchOptions;
  readonly #stopping = new AbortController();
  #estimator = new BacklogEstimator();
  #sampledAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #sampling: Promise<void> = Promise.resolve();

  constructor(options: BacklogWatchOptions) {
    this.#options = options;
  }

  start(): void {
    this.#sampling = this.#round();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#sampling;
  }

  get lag(): number | null {
    return this.#isFresh() ? this.#estimator.lag : null;
  }

  estimatedDrainMs(): number | null {
    return this.#isFresh() ? this.#estimator.drainMs(performance.now()) : null;
  }

  #isFresh(): boolean {
    return performance.now() - this.#sampledAt < SAMPLE_LIFETIME_MS;
  }

  async #round(): Promise<void> {
    try {
      await this.#sample();
    } catch (error) {
      const { signal } = this.#stopping;
      if (!signal.aborted) this.#options.logger.debug({ error }, 'the backlog could not be sampled');
    }
    if (this.#stopping.signal.aborted) return;
    this.#timer = setTimeout(() => this.start(), SAMPLE_INTERVAL_MS);
  }

  async #sample(): Promise<void> {
    const { admin, group } = this.#options;
    const { signal } = this.#stopping;
    const [topic] = await admin.describeTopics([reservationEvents.name], { signal });
    if (topic === undefined) return;
    const partitions = topic.partitions.map(({ partition }) => ({ topic: topic.name, partition }));
    const [committed, ends, starts] = await Promise.all([
      admin.fetchOffsets(group, { partitions, signal }),
      admin.listOffsets(partitions, 'latest', { signal }),
      admin.listOffsets(partitions, 'earliest', { signal }),
    ]);
    // A partition of which nothing was ever committed is read from its start.
    const startOf = new Map(starts.map(({ partition, offset }) => [partition, offset ?? 0]));
    const position = committed.map(({ partition, offset }) => offset ?? startOf.get(partition) ?? 0);
    const at = performance.now();
    this.#estimator.add({ at, committed: sum(position), end: sum(ends.map(({ offset }) => offset ?? 0)) });
    this.#sampledAt = at;
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
