import type { OutboxMessage } from '@seatlog/booking-database';
import { createLogger } from '@seatlog/observability';
import { describe, expect, it } from 'vitest';
import { LONGEST_DELAY_MS, relayRound } from './relay-round.ts';

function message(id: number, recordKey: string, attempts = 0): OutboxMessage {
  return {
    id,
    messageId: `message-${id}`,
    topic: 'refund-events',
    recordKey,
    payload: {},
    attempts,
    createdAt: new Date(0),
  };
}

async function run(messages: readonly OutboxMessage[], failing: ReadonlySet<number> = new Set()) {
  const published: number[] = [];
  const deleted: number[] = [];
  const postponed: { ids: readonly number[]; delayMs: number }[] = [];
  const claimed = await relayRound({
    outbox: {
      claim: async () => messages,
      delete: async (ids) => void deleted.push(...ids),
      postpone: async (ids, delayMs) => void postponed.push({ ids, delayMs }),
    },
    topic: {
      publish: async ({ id }) => {
        if (failing.has(id)) throw new Error('broker away');
        published.push(id);
      },
    },
    meters: { relayed() {}, failed() {} },
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
  return { claimed, published, deleted, postponed };
}

describe('a round of the relay', () => {
  it('T6: publishes what it claimed and deletes it after the acknowledgement', async () => {
    const outcome = await run([message(1, 'a'), message(2, 'b')]);
    expect(outcome).toEqual({ claimed: 2, published: [1, 2], deleted: [1, 2], postponed: [] });
  });

  it('T6: publishes nothing of a key after a message that failed, and goes on with other keys', async () => {
    const outcome = await run(
      [message(1, 'a'), message(2, 'a'), message(3, 'b'), message(4, 'a')],
      new Set([2]),
    );
    expect(outcome.published.toSorted((a, b) => a - b)).toEqual([1, 3]);
    expect(outcome.deleted.toSorted((a, b) => a - b)).toEqual([1, 3]);
    expect(outcome.postponed.flatMap(({ ids }) => ids)).toEqual([2, 4]);
  });

  it('T6: keeps the order within a key', async () => {
    const ids = [1, 2, 3, 4, 5];
    const outcome = await run(ids.map((id) => message(id, 'a')));
    expect(outcome.published).toEqual(ids);
  });

  it('waits longer with each attempt, up to a limit', async () => {
    const outcome = await run([message(1, 'a', 1), message(2, 'b', 30)], new Set([1, 2]));
    expect(outcome.postponed).toEqual([
      { ids: [1], delayMs: 400 },
      { ids: [2], delayMs: LONGEST_DELAY_MS },
    ]);
  });
});
