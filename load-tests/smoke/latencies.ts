/** How long buyers waited, as histograms. */
import { build, type Histogram } from 'hdr-histogram-js';

export interface LatencyFigures {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export class Latencies {
  readonly #accept = build();
  readonly #confirm = build();

  /** From the request to its 202. */
  accept(ms: number): void {
    this.#accept.recordValue(Math.round(ms));
  }

  /** From the 202 to the status CONFIRMED, as a client that asks can see it. */
  confirm(ms: number): void {
    this.#confirm.recordValue(Math.round(ms));
  }

  figures(): { readonly acceptMs: LatencyFigures; readonly confirmMs: LatencyFigures } {
    return { acceptMs: figuresOf(this.#accept), confirmMs: figuresOf(this.#confirm) };
  }
}

function figuresOf(histogram: Histogram): LatencyFigures {
  return {
    p50: histogram.getValueAtPercentile(50),
    p99: histogram.getValueAtPercentile(99),
    max: histogram.maxValue,
  };
}
