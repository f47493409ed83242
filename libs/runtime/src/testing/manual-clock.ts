import type { Clock } from '../clock.ts';
import type { Cancel, Timers } from '../timers.ts';

interface ScheduledAction {
  readonly due: number;
  readonly action: () => void;
}

/** Clock and timers that stand still until they are told to advance. */
export class ManualClock implements Clock, Timers {
  #now: number;
  #monotonic = 0;
  readonly #scheduled = new Set<ScheduledAction>();

  constructor(now = 1_700_000_000_000) {
    this.#now = now;
  }

  /** Whole milliseconds, as from a system's clock; delays may have fractions. */
  now(): number {
    return Math.floor(this.#now);
  }

  monotonic(): number {
    return this.#monotonic;
  }

  schedule(delayMs: number, action: () => void): Cancel {
    const entry: ScheduledAction = { due: this.#monotonic + Math.max(0, delayMs), action };
    this.#scheduled.add(entry);
    return () => this.#scheduled.delete(entry);
  }

  /** Moves time on, running what falls due in its order, at its own moment. */
  advance(milliseconds: number): void {
    const target = this.#monotonic + milliseconds;
    for (let next = this.#earliest(target); next !== null; next = this.#earliest(target)) {
      this.#moveTo(next.due);
      this.#scheduled.delete(next);
      next.action();
    }
    this.#moveTo(target);
  }

  /** Moves the wall time alone, as an operator or a broken time server would. */
  jump(milliseconds: number): void {
    this.#now += milliseconds;
  }

  /** Milliseconds until the next action falls due; null if none waits. */
  get untilNext(): number | null {
    const next = this.#earliest(Number.POSITIVE_INFINITY);
    return next === null ? null : Math.max(0, next.due - this.#monotonic);
  }

  /** How many actions wait for their time. */
  get pending(): number {
    return this.#scheduled.size;
  }

  #earliest(limit: number): ScheduledAction | null {
    let earliest: ScheduledAction | null = null;
    for (const entry of this.#scheduled) {
      if (entry.due <= limit && (earliest === null || entry.due < earliest.due)) earliest = entry;
    }
    return earliest;
  }

  #moveTo(monotonic: number): void {
    this.#now += monotonic - this.#monotonic;
    this.#monotonic = monotonic;
  }
}
