import { describe, expect, it } from 'vitest';
import { HistoryRecorder } from './history-recorder.ts';
import { formatEntry, parseEntry } from './history-lines.ts';

const sending = (value: number) => [{ kind: 'send', partition: 'seats-0', value, offset: null }] as const;

describe('HistoryRecorder', () => {
  it('orders beginnings and ends', () => {
    const recorder = new HistoryRecorder();
    const first = recorder.begin('one', sending(1));
    const second = recorder.begin('two', sending(2));
    second.succeeded([0]);
    first.succeeded([1]);
    expect(recorder.history).toMatchObject([
      { process: 'one', began: 1, ended: 4, outcome: 'ok', actions: [{ value: 1, offset: 1 }] },
      { process: 'two', began: 2, ended: 3, outcome: 'ok', actions: [{ value: 2, offset: 0 }] },
    ]);
  });

  it('takes the first end that is told, and none for unknown', () => {
    const recorder = new HistoryRecorder();
    const one = recorder.begin('one', sending(1));
    one.failed();
    one.succeeded([7]);
    recorder.begin('two', sending(2));
    expect(recorder.history).toMatchObject([
      { outcome: 'failed', actions: [{ offset: null }] },
      { outcome: 'unknown', ended: Number.POSITIVE_INFINITY },
    ]);
    const kept = recorder.history.map(formatEntry).map(parseEntry);
    expect(kept[1]).toMatchObject({ outcome: 'unknown', ended: Number.POSITIVE_INFINITY });
  });
});
