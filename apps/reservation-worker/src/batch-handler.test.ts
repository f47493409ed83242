import { type Decision, reservationEvents, type ReservationEvent } from '@seatlog/booking';
import {
  parkedKeyOf,
  type AppliedEvents,
  type ParkedRecord,
  type SourcedEvent,
} from '@seatlog/booking-database';
import { createLogger } from '@seatlog/observability';
import { describe, expect, it } from 'vitest';
import { BatchHandler } from './batch-handler.ts';
import type { DeadLetterCause, ReservationRecord } from './ports.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

function recordOf(
  offset: number,
  seatId: string,
  options: { readonly poison?: boolean } = {},
): ReservationRecord {
  const event = {
    type: 'ReservationCreated',
    reservationId: `r${offset}`,
    orderId: 'o',
    seatId,
  } as ReservationEvent;
  return {
    topic: reservationEvents.name,
    partition: 0,
    offset,
    timestamp: 0,
    key: seatId,
    get value() {
      if (options.poison === true) throw new Error('no JSON');
      return event;
    },
    headers: [],
    keyBytes: utf8(seatId),
    valueBytes: utf8('{}'),
  };
}

/** A world in memory behind the handler's ports, which notes what was done in which order. */
class World {
  readonly done: string[] = [];
  readonly parked: ParkedRecord[] = [];
  readonly pauses: number[] = [];
  readonly known = new Set<string>();
  /** Called before each transaction; throws to refuse it. */
  beforeApply: (events: readonly SourcedEvent[]) => void = () => {};
  decide: (event: ReservationEvent) => Decision = () => ({ kind: 'confirm' });

  handler(): BatchHandler {
    return new BatchHandler({
      store: {
        apply: async (events): Promise<AppliedEvents> => {
          this.beforeApply(events);
          this.done.push(`apply ${events.map(({ source }) => source?.offset).join(',')}`);
          return { decisions: events.map(({ event }) => this.decide(event)), settlements: [] };
        },
        park: async (record) => void this.parked.push(record),
        parkedKeys: async () => this.known,
        isPassing: (error) => error instanceof Error && error.message === 'database away',
      },
      deadLetters: {
        publish: async (record: ReservationRecord, cause: DeadLetterCause) =>
          void this.done.push(`dead letter ${record.offset} ${cause.code}`),
        isPassing: () => false,
      },
      seats: { settle: async () => {} },
      meters: { decided() {}, deadLettered() {}, retried() {}, applied() {} },
      logger: createLogger({ service: 'test', level: 'silent' }),
      pause: async (ms, signal) => {
        signal.throwIfAborted();
        this.pauses.push(ms);
      },
      chance: () => 1,
      monotonic: () => 0,
    });
  }
}

const never = new AbortController().signal;

describe('a batch of reservation events', () => {
  it('T3: is applied in one transaction, in its order', async () => {
    const world = new World();
    await world.handler().handle([recordOf(0, 'a'), recordOf(1, 'b'), recordOf(2, 'a')], never);
    expect(world.done).toEqual(['apply 0,1,2']);
  });

  it('T7: waits a passing fault out in place, with pauses that double up to a limit', async () => {
    const world = new World();
    let failures = 8;
    world.beforeApply = () => {
      failures -= 1;
      if (failures >= 0) throw new Error('database away');
    };
    await world.handler().handle([recordOf(0, 'a')], never);
    expect(world.done).toEqual(['apply 0']);
    expect(world.pauses).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000]);
  });

  it('T7: a record that cannot be read goes to the dead letters after what came before it, and the rest goes on', async () => {
    const world = new World();
    await world
      .handler()
      .handle([recordOf(0, 'a'), recordOf(1, 'b', { poison: true }), recordOf(2, 'c')], never);
    expect(world.done).toEqual(['apply 0', 'dead letter 1 DECODE_FAILED', 'apply 2']);
    expect(world.parked.map(({ offset, code }) => ({ offset, code }))).toEqual([
      { offset: 1, code: 'DECODE_FAILED' },
    ]);
  });

  it('F68: later records of a parked key follow it, those of other keys do not', async () => {
    const world = new World();
    const handler = world.handler();
    await handler.handle([recordOf(0, 'a', { poison: true }), recordOf(1, 'a'), recordOf(2, 'b')], never);
    await handler.handle([recordOf(3, 'a')], never);
    expect(world.done).toEqual([
      'dead letter 0 DECODE_FAILED',
      'dead letter 1 KEY_PARKED',
      'apply 2',
      'dead letter 3 KEY_PARKED',
    ]);
  });

  it('F68: a key that another process parked is parked here too, once it is asked anew', async () => {
    const world = new World();
    const handler = world.handler();
    await handler.handle([recordOf(0, 'a')], never);
    world.known.add(parkedKeyOf(utf8('a')));
    handler.forgetParkedKeys();
    await handler.handle([recordOf(1, 'a')], never);
    expect(world.done).toEqual(['apply 0', 'dead letter 1 KEY_PARKED']);
  });

  it('T7: the one record that the database refuses is found, and the others are applied in order', async () => {
    const world = new World();
    world.beforeApply = (events) => {
      if (events.some(({ source }) => source?.offset === 2)) throw new Error('value out of range');
    };
    const records = [0, 1, 2, 3, 4].map((offset) => recordOf(offset, `seat-${offset}`));
    await world.handler().handle(records, never);
    expect(world.done).toEqual(['apply 0,1', 'dead letter 2 DATABASE_REFUSED', 'apply 3,4']);
  });

  it('T7: an event of a seat that does not exist is a dead letter', async () => {
    const world = new World();
    world.decide = (event) =>
      event.seatId === 'b' ? { kind: 'unprocessable', reason: 'UNKNOWN_SEAT' } : { kind: 'confirm' };
    await world.handler().handle([recordOf(0, 'a'), recordOf(1, 'b')], never);
    expect(world.done).toEqual(['apply 0,1', 'dead letter 1 UNKNOWN_SEAT']);
  });

  it('is given up, not marked done, when its partition is taken away during a fault', async () => {
    const world = new World();
    const taken = new AbortController();
    world.beforeApply = () => {
      taken.abort();
      throw new Error('database away');
    };
    await expect(world.handler().handle([recordOf(0, 'a')], taken.signal)).rejects.toThrow('aborted');
    expect(world.done).toEqual([]);
  });
});
