import { describe, expect, it } from 'vitest';
import { LatencyHistogram } from './latency-histogram.ts';

describe('a latency histogram', () => {
  it('gives percentiles in milliseconds, to three digits', () => {
    const { count, p50, p99, max } = LatencyHistogram.of(
      Array.from({ length: 1000 }, (_, index) => (index + 1) / 10),
    ).figures();
    expect(count).toBe(1000);
    expect(p50).toBeCloseTo(50, 0);
    expect(p99).toBeCloseTo(99, 0);
    expect(max).toBeCloseTo(100, 0);
  });

  it('says 0 for nothing, and takes what is below 0 for 0', () => {
    expect(LatencyHistogram.empty().figures()).toMatchObject({ count: 0, p99: 0, max: 0 });
    expect(LatencyHistogram.of([-3]).figures()).toMatchObject({ count: 1, max: 0 });
  });

  it('comes out of its text as it went in', () => {
    const histogram = LatencyHistogram.of([0.25, 3, 70, 1_500]);
    expect(LatencyHistogram.decoded(histogram.encoded()).figures()).toEqual(histogram.figures());
    expect(LatencyHistogram.decoded(LatencyHistogram.empty().encoded()).figures().count).toBe(0);
  });
});
