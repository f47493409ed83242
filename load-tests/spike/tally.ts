/** Counts of one section of a run, and its latencies, counted from the moments for which requests were scheduled. */
import type { TallyFigures } from './generator-messages.ts';
import { LatencyHistogram } from './latency-histogram.ts';

/** Causes and codes are few; should a broken server make up more, the rest is counted as one. */
const MOST_KINDS = 40;
const OTHERS = 'others';

export class Tally {
  readonly acceptMs = LatencyHistogram.empty();
  readonly latestAcceptMs = LatencyHistogram.empty();
  readonly refuseMs = LatencyHistogram.empty();
  readonly latenessMs = LatencyHistogram.empty();
  readonly startDelayMs = LatencyHistogram.empty();
  readonly #refused = new Map<string, number>();
  readonly #unanswered = new Map<string, number>();
  #offered = 0;
  #started = 0;
  #accepted = 0;
  #seats = 0;
  #dropped = 0;

  due(latenessMs: number): void {
    this.#offered += 1;
    this.latenessMs.record(latenessMs);
  }

  started(delayMs: number): void {
    this.#started += 1;
    this.startDelayMs.record(delayMs);
  }

  dropped(): void {
    this.#dropped += 1;
  }

  accepted(latencyMs: number, seats: number): void {
    this.#accepted += 1;
    this.#seats += seats;
    this.acceptMs.record(latencyMs);
    this.latestAcceptMs.record(latencyMs);
  }

  refused(latencyMs: number, code: string): void {
    this.refuseMs.record(latencyMs);
    count(this.#refused, code);
  }

  unanswered(why: string): void {
    count(this.#unanswered, why);
  }

  figures(now: { readonly underWay: number; readonly waiting: number }): TallyFigures {
    return {
      offered: this.#offered,
      started: this.#started,
      accepted: this.#accepted,
      seats: this.#seats,
      refused: Object.fromEntries(this.#refused),
      unanswered: Object.fromEntries(this.#unanswered),
      dropped: this.#dropped,
      ...now,
    };
  }
}

function count(counts: Map<string, number>, kind: string): void {
  const known = counts.has(kind) || counts.size < MOST_KINDS ? kind : OTHERS;
  counts.set(known, (counts.get(known) ?? 0) + 1);
}
