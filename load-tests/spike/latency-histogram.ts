/** Latencies in an HDR histogram: three digits at every size, in microseconds inside, in milliseconds outside. */
import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type Histogram,
} from 'hdr-histogram-js';

export interface LatencyFigures {
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

const DIGITS = 3;

export class LatencyHistogram {
  readonly #histogram: Histogram;

  private constructor(histogram: Histogram) {
    this.#histogram = histogram;
  }

  static empty(): LatencyHistogram {
    return new LatencyHistogram(build({ numberOfSignificantValueDigits: DIGITS }));
  }

  /** What `encoded` gave, in this process or in another. */
  static decoded(text: string): LatencyHistogram {
    return new LatencyHistogram(decodeFromCompressedBase64(text));
  }

  static of(milliseconds: Iterable<number>): LatencyHistogram {
    const histogram = LatencyHistogram.empty();
    for (const ms of milliseconds) histogram.record(ms);
    return histogram;
  }

  record(milliseconds: number): void {
    this.#histogram.recordValue(Math.max(0, Math.round(milliseconds * 1000)));
  }

  percentile(percent: number): number {
    return this.#histogram.totalCount === 0 ? 0 : this.#histogram.getValueAtPercentile(percent) / 1000;
  }

  figures(): LatencyFigures {
    return {
      count: this.#histogram.totalCount,
      p50: this.percentile(50),
      p95: this.percentile(95),
      p99: this.percentile(99),
      p999: this.percentile(99.9),
      max: this.percentile(100),
    };
  }

  /** In the compressed form that HDR plotters read. */
  encoded(): string {
    return encodeIntoCompressedBase64(this.#histogram);
  }

  clear(): void {
    this.#histogram.reset();
  }
}
