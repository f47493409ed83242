import { describe, expect, it } from 'vitest';
import { metricValue } from './stack-gauges.ts';

const text = `# HELP lag_seconds of the loop
# TYPE lag_seconds gauge
lag_seconds_max{service="x"} 9
lag_seconds{service="x"} 0.0125
bare 3
unknown Nan
`;

describe('a metric', () => {
  it.each([
    ['lag_seconds', 0.0125],
    ['bare', 3],
    ['unknown', null],
    ['missing', null],
  ])('%s is found by its whole name', (name, value) => {
    expect(metricValue(text, name)).toBe(value);
  });
});
