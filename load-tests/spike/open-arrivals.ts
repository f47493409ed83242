/**
 * Open load: arrivals are taken up when the clock says so, never when an earlier one is done. What cannot be started within
 * a second of its moment is dropped. Pure: clock and timers are arguments.
 *
 * The caller starts an arrival synchronously in `start` and tells its end by the promise, which must not reject. All waits
 * are counted from the moment for which an arrival was scheduled, so that a generator or a system that stalls cannot hide it.
 */
import type { Cancel, Clock, Timers } from '@seatlog/runtime';
import type { ArrivalSchedule } from './arrival-schedule.ts';

/** How long an arrival may wait to be started. */
export const PATIENCE_MS = 1000;

export interface Arrival {
  readonly index: number;
  /** By the clock's monotonic time. */
  readonly scheduledAt: number;
}

export interface OpenArrivalsOptions {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly schedule: ArrivalSchedule;
  /** Most under way at one time. */
  readonly slots: number;
  readonly start: (arrival: Arrival) => Promise<void>;
  /** It was due, and this is how late that was noticed: what the generator itself adds to every latency. */
  readonly onDue?: (arrival: Arrival, latenessMs: number) => void;
  readonly onDropped: (arrival: Arrival) => void;
}

export class OpenArrivals {
  readonly #options: OpenArrivalsOptions;
  readonly #waiting: Arrival[] = [];
  readonly #ended = Promise.withResolvers<void>();
  #begunAt: number | null = null;
  #next = 0;
  #underWay = 0;
  #cancelTimer: Cancel = () => undefined;

  constructor(options: OpenArrivalsOptions) {
    this.#options = options;
  }

  get underWay(): number {
    return this.#underWay;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Begins now; resolves once each arrival has ended or was dropped. */
  run(): Promise<void> {
    if (this.#begunAt === null) {
      this.#begunAt = this.#options.clock.monotonic();
      this.#turn();
    }
    return this.#ended.promise;
  }

  #turn(): void {
    this.#cancelTimer();
    const now = this.#options.clock.monotonic();
    this.#takeUp(now);
    this.#dropLate(now);
    while (this.#waiting.length > 0 && this.#underWay < this.#options.slots) this.#startFirst();
    this.#sleep();
  }

  #takeUp(now: number): void {
    const { onDue } = this.#options;
    for (
      let next = this.#nextArrival();
      next !== null && next.scheduledAt <= now;
      next = this.#nextArrival()
    ) {
      this.#next += 1;
      this.#waiting.push(next);
      onDue?.(next, now - next.scheduledAt);
    }
  }

  #nextArrival(): Arrival | null {
    const { schedule } = this.#options;
    if (this.#begunAt === null || this.#next >= schedule.count) return null;
    return { index: this.#next, scheduledAt: this.#begunAt + schedule.at(this.#next) };
  }

  #dropLate(now: number): void {
    const isLate = ({ scheduledAt }: Arrival): boolean => now - scheduledAt > PATIENCE_MS;
    for (let [first] = this.#waiting; first !== undefined && isLate(first); [first] = this.#waiting) {
      this.#waiting.shift();
      this.#options.onDropped(first);
    }
  }

  #startFirst(): void {
    const arrival = this.#waiting.shift();
    if (arrival === undefined) return;
    this.#underWay += 1;
    void this.#options.start(arrival).then(() => {
      this.#underWay -= 1;
      this.#turn();
    });
  }

  /** Until the next arrival is due or the first of those that wait runs out of patience; an end wakes it by itself. */
  #sleep(): void {
    const { clock, timers } = this.#options;
    const [first] = this.#waiting;
    const next = this.#nextArrival();
    if (first === undefined && next === null) {
      if (this.#underWay === 0) this.#ended.resolve();
      return;
    }
    // A moment after its patience: an arrival that waited exactly that long may still be started.
    const patienceEnds = first === undefined ? Infinity : first.scheduledAt + PATIENCE_MS + 1;
    const wakeAt = Math.min(patienceEnds, next?.scheduledAt ?? Infinity);
    this.#cancelTimer = timers.schedule(Math.max(0, wakeAt - clock.monotonic()), () => this.#turn());
  }
}
