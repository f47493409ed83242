/**
 * A sale as it would go, made without servers: buyers lock seats, publish, cancel; the rule book of ticketing decides;
 * what every place would hold afterwards comes out as facts. What is chosen comes from a generator, so that a property
 * test can replay it.
 */
import {
  orderIdOf,
  type PlacedOrder,
  type ReservationEvent,
  ReservationLedger,
  reservationCancelledEvents,
  reservationCreatedEvents,
  reservationIdOf,
} from '@seatlog/booking';
import type { AuditFacts, Logged, ReservationFact } from '../audit/facts.ts';
import type { JournalEntry } from '../audit/journal.ts';

export const EVENT_ID = 'gala';
const PARTITIONS = 3;
const PRICE = { amount: 4500, currency: 'EUR' };

export const seatIdOf = (number: number): string => `${EVENT_ID}:A-1-${number}`;

export type Action =
  | {
      readonly kind: 'buy';
      readonly buyer: number;
      readonly seats: readonly number[];
      /** The seats are taken although others hold them: their lock has run out, or Redis was lost. */
      readonly barge: boolean;
      /** The same request is sent and published twice. */
      readonly repeated: boolean;
    }
  | { readonly kind: 'cancel'; readonly order: number };

export interface Sale {
  readonly seatCount: number;
  readonly actions: readonly Action[];
  /** Which partition the worker takes its next record from, over and over. */
  readonly turns: readonly number[];
}

export function factsOf(sale: Sale): AuditFacts {
  const published = publish(sale);
  return { ...published.facts, ...apply(sale, published.partitions), journal: published.journal };
}

/** The events in the order in which the worker applies them. */
export function appliedEvents(sale: Sale): readonly Logged<ReservationEvent>[] {
  return [...interleaved(publish(sale).partitions, sale.turns)];
}

interface Published {
  readonly partitions: readonly Logged<ReservationEvent>[][];
  readonly journal: readonly JournalEntry[];
  readonly facts: Pick<AuditFacts, 'lags'>;
}

function publish(sale: Sale): Published {
  const partitions: Logged<ReservationEvent>[][] = Array.from({ length: PARTITIONS }, () => []);
  const journal: JournalEntry[] = [];
  const epochs = new Map<string, number>();
  const held = new Set<string>();
  const orders: PlacedOrder[] = [];
  let now = 1_000;

  const append = (events: readonly ReservationEvent[]): void => {
    for (const value of events) {
      const partition = Number(value.seatId.slice(value.seatId.lastIndexOf('-') + 1)) % PARTITIONS;
      const log = partitions[partition] ?? [];
      log.push({ partition, offset: log.length, value });
    }
  };
  const buy = (action: Action & { readonly kind: 'buy' }, index: number): void => {
    const seatIds = [...new Set(action.seats)].toSorted((a, b) => a - b).map(seatIdOf);
    const identity = { userId: `buyer-${action.buyer}`, eventId: EVENT_ID, idempotencyKey: `key-${index}` };
    const entry = { ...identity, at: now, request: 'reserve', seatIds } as const;
    if (!action.barge && seatIds.some((seatId) => held.has(seatId))) {
      journal.push({ ...entry, outcome: { kind: 'refused', status: 409, code: 'SEAT_TAKEN' } });
      return;
    }
    const orderId = orderIdOf(identity);
    const seats = seatIds.map((seatId) => {
      const epoch = (epochs.get(seatId) ?? 0) + 1;
      epochs.set(seatId, epoch);
      held.add(seatId);
      return { seatId, epoch, amount: PRICE.amount };
    });
    const order = { orderId, eventId: EVENT_ID, userId: identity.userId, currency: PRICE.currency, seats };
    orders.push(order);
    const reservationIds = seatIds.map((seatId) => reservationIdOf(orderId, seatId));
    for (let times = action.repeated ? 2 : 1; times > 0; times -= 1) {
      append(
        reservationCreatedEvents(order, {
          paymentReference: `paid-${index}`,
          lockedUntil: now + 60_000,
          occurredAt: now,
        }),
      );
      journal.push({ ...entry, outcome: { kind: 'accepted', orderId, reservationIds } });
    }
  };

  for (const [index, action] of sale.actions.entries()) {
    now += 1;
    if (action.kind === 'buy') {
      buy(action, index);
      continue;
    }
    const order = orders[action.order];
    if (order === undefined) continue;
    append(reservationCancelledEvents(order, now));
    for (const { seatId } of order.seats) held.delete(seatId);
    const { userId, orderId } = order;
    journal.push({
      at: now,
      userId,
      eventId: EVENT_ID,
      idempotencyKey: '',
      request: 'cancel',
      orderId,
      accepted: true,
    });
  }
  const lags = partitions.map((_, partition) => ({
    group: 'db-writer',
    topic: 'reservation-events',
    partition,
    lag: 0,
  }));
  return { partitions, journal, facts: { lags } };
}

/** The worker reads each partition in order, and the partitions in any. */
function apply(
  sale: Sale,
  partitions: readonly (readonly Logged<ReservationEvent>[])[],
): Pick<AuditFacts, 'database' | 'log' | 'locks'> {
  const seatIds = Array.from({ length: sale.seatCount }, (_, number) => seatIdOf(number + 1));
  const ledger = new ReservationLedger({ seatIds, orders: [], reservations: [] }, 5_000);
  for (const { partition, offset, value } of interleaved(partitions, sale.turns)) {
    ledger.apply(value, { partition, offset });
  }
  const changes = ledger.changes();
  const reservations: readonly ReservationFact[] = changes.insertedReservations;
  const refunds = changes.refunds.map(({ refundId, reservationId, price }) => ({
    refundId,
    reservationId,
    price,
  }));
  const locks = reservations
    .filter((row) => row.status === 'CONFIRMED')
    .map(({ seatId, orderId, reservationId }) => ({
      seatId,
      orderId,
      reservationId,
      state: 'SOLD' as const,
    }));
  return {
    database: { seatIds, orders: changes.insertedOrders, reservations, refunds, outbox: [], parked: [] },
    log: {
      reservationEvents: partitions.flat(),
      refundEvents: changes.refunds.map((value, offset) => ({ partition: 0, offset, value })),
      deadLetters: [],
      firstOffsets: new Map(partitions.map((_, partition) => [partition, 0] as const)),
    },
    locks,
  };
}

function* interleaved(
  partitions: readonly (readonly Logged<ReservationEvent>[])[],
  turns: readonly number[],
): Generator<Logged<ReservationEvent>> {
  const next = partitions.map(() => 0);
  let turn = 0;
  for (let left = partitions.flat().length; left > 0; left -= 1) {
    const open = [...partitions.keys()].filter((one) => (next[one] ?? 0) < (partitions[one]?.length ?? 0));
    const partition = open[(turns[turn++ % Math.max(1, turns.length)] ?? 0) % open.length] ?? 0;
    const event = partitions[partition]?.[next[partition] ?? 0];
    next[partition] = (next[partition] ?? 0) + 1;
    if (event !== undefined) yield event;
  }
}
