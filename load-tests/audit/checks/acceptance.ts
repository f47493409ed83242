/**
 * What clients were told against what came of it. Only buyers who stand in the journal are looked at: others may buy at
 * the same time.
 */
import { isLive, orderIdOf } from '@seatlog/booking';
import type { AuditFacts, OrderFact } from '../facts.ts';
import type { JournalEntry, ReserveEntry } from '../journal.ts';
import { type Violation, violation } from '../violation.ts';

export function checkAcceptance(facts: AuditFacts): readonly Violation[] {
  const { journal } = facts;
  if (journal === null) return [];
  const reserves = journal.filter((entry) => entry.request === 'reserve');
  return [
    ...lost(facts, reserves),
    ...notInLog(facts, reserves),
    ...soldWithoutAcceptance(facts, reserves),
    ...keysWithTwoOrders(reserves),
    ...toldOtherwise(facts, journal),
    ...lostCancellations(facts, journal),
  ];
}

interface Accepted {
  readonly orderId: string;
  readonly reservationIds: readonly string[];
}

/** Repeats of a request are accepted again, as the same order. */
function acceptedOrders(reserves: readonly ReserveEntry[]): readonly Accepted[] {
  const orders = new Map<string, Accepted>();
  for (const { outcome } of reserves) if (outcome.kind === 'accepted') orders.set(outcome.orderId, outcome);
  return [...orders.values()];
}

function lost({ database }: AuditFacts, reserves: readonly ReserveEntry[]): readonly Violation[] {
  const recorded = new Set(database.reservations.map((row) => row.reservationId));
  const orders = new Set(database.orders.map((row) => row.orderId));
  return acceptedOrders(reserves).flatMap(({ orderId, reservationIds }) => {
    const missing = reservationIds.filter((id) => !recorded.has(id));
    if (missing.length === 0 && orders.has(orderId)) return [];
    const what = missing.length === 0 ? 'its order' : `${missing.length} of its reservations`;
    return [
      violation('accepted-lost', `Order ${orderId} was accepted, but ${what} has no row`, [
        orderId,
        ...missing,
      ]),
    ];
  });
}

function notInLog({ log }: AuditFacts, reserves: readonly ReserveEntry[]): readonly Violation[] {
  // Once retention has deleted records, what is missing may have been among them.
  if ([...log.firstOffsets.values()].some((offset) => offset > 0)) return [];
  const created = new Set(
    log.reservationEvents
      .filter(({ value }) => value.type === 'ReservationCreated')
      .map(({ value }) => value.reservationId),
  );
  return acceptedOrders(reserves).flatMap(({ orderId, reservationIds }) => {
    const missing = reservationIds.filter((id) => !created.has(id));
    if (missing.length === 0) return [];
    const message = `Order ${orderId} was accepted, but ${missing.length} of its records are not in the log`;
    return [violation('accepted-not-in-log', message, [orderId, ...missing])];
  });
}

function soldWithoutAcceptance(
  { database }: AuditFacts,
  reserves: readonly ReserveEntry[],
): readonly Violation[] {
  const buyers = new Set(reserves.map((entry) => entry.userId));
  // An answer that never came, or left it open, may have been a sale.
  const maybeSold = new Set(
    reserves.filter(({ outcome }) => outcome.kind !== 'refused').map((entry) => orderIdOf(entry)),
  );
  return database.reservations
    .filter((row) => isLive(row) && buyers.has(row.userId) && !maybeSold.has(row.orderId))
    .map((row) =>
      violation('sold-without-acceptance', `${row.seatId} is sold to ${row.userId}, who was refused`, [
        row.seatId,
        row.orderId,
        row.reservationId,
      ]),
    );
}

function keysWithTwoOrders(reserves: readonly ReserveEntry[]): readonly Violation[] {
  const byKey = Map.groupBy(reserves, (entry) => `${entry.userId} ${entry.eventId} ${entry.idempotencyKey}`);
  return [...byKey].flatMap(([key, entries]) => {
    const orders = acceptedOrders(entries).map((order) => order.orderId);
    return orders.length > 1
      ? [violation('key-with-two-orders', `${key} led to ${orders.length} orders`, orders)]
      : [];
  });
}

const TERMINAL = new Set<string>(['CONFIRMED', 'REJECTED', 'CANCELLED']);

/** The last status that was seen, unless the client tried to cancel after it. */
function toldOtherwise({ database }: AuditFacts, journal: readonly JournalEntry[]): readonly Violation[] {
  const orders = new Map(database.orders.map((row) => [row.orderId, row] as const));
  const lastSeen = new Map<string, string>();
  for (const entry of journal) {
    if (entry.request === 'status') lastSeen.set(entry.orderId, entry.status);
    if (entry.request === 'cancel') lastSeen.delete(entry.orderId);
  }
  return [...lastSeen].flatMap(([orderId, status]) => {
    const recorded = orders.get(orderId)?.status ?? 'nothing';
    if (!TERMINAL.has(status) || recorded === status) return [];
    return [
      violation('told-otherwise', `Order ${orderId} was shown as ${status}, recorded is ${recorded}`, [
        orderId,
      ]),
    ];
  });
}

function lostCancellations({ database }: AuditFacts, journal: readonly JournalEntry[]): readonly Violation[] {
  const cancelled = new Set(
    journal.flatMap((entry) => (entry.request === 'cancel' && entry.accepted ? [entry.orderId] : [])),
  );
  const stands = (order: OrderFact): boolean => order.status === 'CONFIRMED' || order.status === 'PENDING';
  return database.orders
    .filter((order) => cancelled.has(order.orderId) && stands(order))
    .map((order) =>
      violation('cancellation-lost', `Order ${order.orderId} was cancelled and is ${order.status}`, [
        order.orderId,
      ]),
    );
}
