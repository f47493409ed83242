// Random runs against one true log have no anomaly; the same run with one thing changed in it has.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkHistory } from './check-history.ts';
import type { Entry } from './history.ts';
import { formatEntry, parseEntry } from './history-lines.ts';
import { HistoryRecorder } from './history-recorder.ts';

const partitions = ['seats-0', 'seats-1'] as const;
type Step =
  | {
      readonly do: 'send';
      readonly producer: number;
      readonly to: 0 | 1;
      readonly end: 'ok' | 'failed' | 'unknown';
    }
  | { readonly do: 'poll'; readonly reader: number; readonly to: 0 | 1; readonly most: number }
  | { readonly do: 'move'; readonly reader: number; readonly to: 0 | 1; readonly back: number };

const side = fc.constantFrom<0 | 1>(0, 1);
const step = fc.oneof(
  fc.record<Step & { do: 'send' }>({
    do: fc.constant('send'),
    producer: fc.nat(2),
    to: side,
    end: fc.constantFrom('ok', 'ok', 'ok', 'failed', 'unknown'),
  }),
  fc.record<Step & { do: 'poll' }>({ do: fc.constant('poll'), reader: fc.nat(1), to: side, most: fc.nat(4) }),
  fc.record<Step & { do: 'move' }>({ do: fc.constant('move'), reader: fc.nat(1), to: side, back: fc.nat(3) }),
);

/** What would be recorded if the log did all right; at the end each reader reads all. */
function played(steps: readonly Step[]): HistoryRecorder {
  const recorder = new HistoryRecorder();
  const logs: [number[], number[]] = [[], []];
  const positions = new Map<string, number>();
  let value = 0;
  const poll = (reader: number, to: 0 | 1, most: number): void => {
    const lane = `${reader} ${to}`;
    const from = positions.get(lane) ?? 0;
    const records = logs[to].slice(from, from + most).map((read, index) => [from + index, read] as const);
    positions.set(lane, from + records.length);
    recorder.polled(`reader-${reader}`, partitions[to], records);
  };
  for (const one of steps) {
    switch (one.do) {
      case 'send': {
        value += 1;
        const action = { kind: 'send', partition: partitions[one.to], value, offset: null } as const;
        const sending = recorder.begin(`producer-${one.producer}`, [action]);
        // Half of those of unknown outcome took effect.
        if (one.end === 'ok' || (one.end === 'unknown' && value % 2 === 0)) logs[one.to].push(value);
        if (one.end === 'ok') sending.succeeded([logs[one.to].length - 1]);
        else if (one.end === 'failed') sending.failed();
        else sending.unknown();
        break;
      }
      case 'poll':
        poll(one.reader, one.to, one.most);
        break;
      case 'move': {
        const lane = `${one.reader} ${one.to}`;
        positions.set(lane, Math.max(0, (positions.get(lane) ?? 0) - one.back));
        recorder.repositioned(`reader-${one.reader}`, [partitions[one.to]]);
      }
    }
  }
  for (const to of [0, 1] as const) poll(0, to, logs[to].length);
  return recorder;
}

describe('histories of a log that does all right', () => {
  it('have no anomaly', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        expect(checkHistory(played(steps).history)).toEqual([]);
      }),
    );
  });

  it('have one when an acknowledged record is taken out of all that was read', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), fc.nat(), (steps, pick) => {
        const { history } = played(steps);
        const acknowledged = history.flatMap((entry) =>
          entry.kind === 'operation' && entry.outcome === 'ok'
            ? entry.actions.flatMap((action) => (action.kind === 'send' ? [action.value] : []))
            : [],
        );
        fc.pre(acknowledged.length > 0);
        const gone = acknowledged[pick % acknowledged.length];
        const kinds = checkHistory(history.map((entry) => without(entry, gone))).map(({ kind }) => kind);
        expect(kinds.some((kind) => kind === 'lost-write' || kind === 'unseen')).toBe(true);
      }),
    );
  });

  it('are the same when they were kept as lines', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const { history } = played(steps);
        const lines = history.map(formatEntry);
        expect(lines.map(parseEntry).map(formatEntry)).toEqual(lines);
        expect(checkHistory(lines.map(parseEntry))).toEqual([]);
      }),
    );
  });
});

function without(entry: Entry, value: number | undefined): Entry {
  if (entry.kind === 'repositioning') return entry;
  const { kind, process, began, ended, outcome } = entry;
  const actions = entry.actions.map((action) =>
    action.kind === 'send'
      ? action
      : { ...action, records: action.records.filter(([, read]) => read !== value) },
  );
  return { kind, process, began, ended, outcome, actions };
}
