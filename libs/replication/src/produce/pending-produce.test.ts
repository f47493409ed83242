import { ErrorCode } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { PendingProduce, type ProduceEffect, type ProduceEvent } from './pending-produce.ts';

const written = (place: number, baseOffset: number, lastOffset = baseOffset): ProduceEvent => ({
  type: 'written',
  place,
  batch: { baseOffset, lastOffset, logAppendTime: -1, logStartOffset: 0 },
});
const refused = (place: number, errorCode: number): ProduceEvent => ({
  type: 'refused',
  place,
  errorCode,
  errorMessage: null,
});

function played(
  acks: number,
  partitions: number,
  ...events: readonly ProduceEvent[]
): readonly ProduceEffect[] {
  const produce = new PendingProduce(acks, 3000, partitions);
  return [{ type: 'started' } as const, ...events].flatMap((event) => produce.step(event));
}

/** Error codes in the answer; null while there is none. */
function answer(effects: readonly ProduceEffect[]): readonly number[] | null {
  const responses = effects.filter((effect) => effect.type === 'respond');
  expect(responses.length).toBeLessThanOrEqual(1);
  return responses[0]?.outcomes.map((outcome) => outcome.errorCode) ?? null;
}

describe('R16: a produce', () => {
  it('with acks=0 is not answered', () => {
    expect(played(0, 1, written(0, 5))).toEqual([{ type: 'append', place: 0 }, { type: 'stay-silent' }]);
  });

  it('with acks=0 closes the connection on an error', () => {
    const effects = played(0, 2, written(0, 5), refused(1, ErrorCode.NOT_LEADER_OR_FOLLOWER));
    expect(effects.at(-1)).toEqual({ type: 'close-connection', errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER });
    expect(answer(effects)).toBeNull();
  });

  it('with acks=1 is answered when the leaders have written', () => {
    expect(answer(played(1, 2, written(0, 5)))).toBeNull();
    expect(played(1, 2, written(0, 5), written(1, 9)).at(-1)).toEqual({
      type: 'respond',
      outcomes: [5, 9].map((baseOffset) => ({
        errorCode: 0,
        errorMessage: null,
        baseOffset,
        logAppendTime: -1,
        logStartOffset: 0,
      })),
    });
  });

  it('with acks=all waits for the offset after its last', () => {
    const effects = played(-1, 1, written(0, 5, 7));
    expect(effects).toEqual([
      { type: 'arm-timeout', delayMs: 3000 },
      { type: 'append', place: 0 },
      { type: 'await-replication', place: 0, requiredOffset: 8 },
    ]);
    const done = played(-1, 1, written(0, 5, 7), { type: 'replicated', place: 0, errorCode: 0 });
    expect(done.at(-2)).toEqual({ type: 'cancel-timeout' });
    expect(answer(done)).toEqual([0]);
  });
});

describe('R17: a produce that too few replicas would hold', () => {
  it.each([
    [
      'NOT_ENOUGH_REPLICAS_AFTER_APPEND',
      'Messages are written to the log, but to fewer in-sync replicas than required.',
    ],
    ['NOT_LEADER_OR_FOLLOWER', null],
  ] as const)('is told so: %s', (name, errorMessage) => {
    const errorCode = ErrorCode[name];
    const effects = played(-1, 1, written(0, 5), { type: 'replicated', place: 0, errorCode });
    expect(effects.at(-1)).toMatchObject({ outcomes: [{ errorCode, errorMessage, baseOffset: -1 }] });
  });
});

describe('R29: a produce of several partitions', () => {
  it('is answered when all are done', () => {
    const events = [
      refused(1, ErrorCode.MESSAGE_TOO_LARGE),
      written(0, 5),
      written(2, 0),
      { type: 'replicated', place: 2, errorCode: 0 },
    ] as const;
    expect(answer(played(-1, 3, ...events))).toBeNull();
    const all = played(-1, 3, ...events, { type: 'replicated', place: 0, errorCode: 0 });
    expect(answer(all)).toEqual([0, ErrorCode.MESSAGE_TOO_LARGE, 0]);
  });

  it('times out for those that are still pending, and only for them', () => {
    const effects = played(
      -1,
      4,
      written(0, 5),
      { type: 'replicated', place: 0, errorCode: 0 },
      refused(1, ErrorCode.NOT_ENOUGH_REPLICAS),
      written(2, 7),
      { type: 'timed-out' },
    );
    const late = ErrorCode.REQUEST_TIMED_OUT;
    expect(answer(effects)).toEqual([0, ErrorCode.NOT_ENOUGH_REPLICAS, late, late]);
    expect(effects.filter((effect) => effect.type === 'forget-wait')).toEqual([
      { type: 'forget-wait', place: 2 },
    ]);
  });

  it('is answered once, whatever comes afterwards', () => {
    const produce = new PendingProduce(-1, 3000, 1);
    for (const event of [{ type: 'started' } as const, written(0, 5), { type: 'timed-out' } as const]) {
      produce.step(event);
    }
    expect(produce.step({ type: 'replicated', place: 0, errorCode: 0 })).toEqual([]);
    expect(produce.step({ type: 'timed-out' })).toEqual([]);
  });

  it('of none is answered at once', () => {
    expect(answer(played(-1, 0))).toEqual([]);
  });

  it.each([2, -2, 7])('with acks=%i is refused, and nothing is appended', (acks) => {
    const effects = played(acks, 2);
    expect(answer(effects)).toEqual([ErrorCode.INVALID_REQUIRED_ACKS, ErrorCode.INVALID_REQUIRED_ACKS]);
    expect(effects.filter((effect) => effect.type === 'append')).toEqual([]);
  });
});
