/**
 * Appends with acks=all of one partition that wait for the high watermark, in the order of their offsets. They are
 * completed by events (the high watermark rises, leadership ends); only the time-out of each is a timer (R16, R19).
 */
import type { Cancel, Timers } from '@seatlog/runtime';

/** How a wait ended. */
export type WaitEnd = 'reached' | 'timed-out' | 'leadership-lost';

interface WaitingAppend {
  /** The high watermark at which the append is replicated: its last offset + 1. */
  readonly requiredOffset: number;
  readonly end: (how: WaitEnd) => void;
  readonly cancelTimeout: Cancel;
}

export class WaitingAppends {
  readonly #timers: Timers;
  #waiting: WaitingAppend[] = [];

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  get count(): number {
    return this.#waiting.length;
  }

  /** `end` is called once. Offsets rise from call to call. */
  add(requiredOffset: number, timeoutMs: number, end: (how: WaitEnd) => void): void {
    const entry: WaitingAppend = {
      requiredOffset,
      end,
      cancelTimeout: this.#timers.schedule(timeoutMs, () => {
        this.#waiting = this.#waiting.filter((other) => other !== entry);
        end('timed-out');
      }),
    };
    this.#waiting.push(entry);
  }

  highWatermarkRaised(highWatermark: number): void {
    let reached = 0;
    while ((this.#waiting[reached]?.requiredOffset ?? Number.POSITIVE_INFINITY) <= highWatermark)
      reached += 1;
    if (reached > 0) this.#finish(this.#waiting.splice(0, reached), 'reached');
  }

  leadershipLost(): void {
    this.#finish(this.#waiting.splice(0), 'leadership-lost');
  }

  #finish(entries: readonly WaitingAppend[], how: WaitEnd): void {
    for (const entry of entries) {
      entry.cancelTimeout();
      entry.end(how);
    }
  }
}
