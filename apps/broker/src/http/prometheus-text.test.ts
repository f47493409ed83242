import { expect, it } from 'vitest';
import { PrometheusText } from './prometheus-text.ts';

it('writes families with their type, and escapes labels', () => {
  const text = new PrometheusText();
  text.gauge('a_gauge', 'A gauge.', 3);
  text.counter('a_total', 'A counter.', [{ labels: { topic: 'x"\\\n', partition: 0 }, value: 7 }]);
  text.gauge('nothing', 'Not written without samples.', []);
  expect(text.toString()).toBe(
    [
      '# HELP a_gauge A gauge.',
      '# TYPE a_gauge gauge',
      'a_gauge 3',
      '# HELP a_total A counter.',
      '# TYPE a_total counter',
      String.raw`a_total{topic="x\"\\\n",partition="0"} 7`,
      '',
    ].join('\n'),
  );
});
