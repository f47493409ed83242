/**
 * The log against what was applied. Each event had an effect, each row has its event, and where the order of two events
 * of a seat decides who gets it, the rows tell the order of the log.
 *
 * Only that much can be told from rows: seats of one order may lie in several partitions, between which there is no
 * order, so a seat that was freed by another seat's event is not held to a place in its own partition.
 */
import type { ReservationEvent } from '@seatlog/booking';
import type { AuditFacts, Logged, LogFacts, LogPosition, ReservationFact } from '../facts.ts';
import { type Violation, violation } from '../violation.ts';

type LoggedEvent = Logged<ReservationEvent>;

export function checkLogOrder({ database, log }: AuditFacts): readonly Violation[] {
  const events = new EventsByReservation(log);
  const seats = new Set(database.seatIds);
  const rows = new Map(database.reservations.map((row) => [row.reservationId, row] as const));
  const bySeat = Map.groupBy(database.reservations, (row) => row.seatId);
  return [
    ...withoutRow(events, rows, seats),
    ...database.reservations.flatMap((row) => withoutEvent(row, events)),
    ...[...bySeat.values()].flatMap((ofSeat) => swapped(ofSeat, events)),
  ];
}

/** Events by the reservation that they speak of, in the order of the log. */
class EventsByReservation {
  readonly #byReservation: ReadonlyMap<string, readonly LoggedEvent[]>;
  readonly #firstOffsets: ReadonlyMap<number, number>;

  constructor(log: LogFacts) {
    const ordered = log.reservationEvents.toSorted(
      (a, b) => a.partition - b.partition || a.offset - b.offset,
    );
    this.#byReservation = Map.groupBy(ordered, ({ value }) => value.reservationId);
    this.#firstOffsets = log.firstOffsets;
  }

  all(): IterableIterator<readonly [string, readonly LoggedEvent[]]> {
    return this.#byReservation.entries();
  }

  of(reservationId: string): readonly LoggedEvent[] {
    return this.#byReservation.get(reservationId) ?? [];
  }

  cancellationOf(reservationId: string): LoggedEvent | undefined {
    return this.of(reservationId).find(({ value }) => value.type === 'ReservationCancelled');
  }

  /** Whether retention has deleted that position. */
  isGone({ partition, offset }: LogPosition): boolean {
    return offset < (this.#firstOffsets.get(partition) ?? 0);
  }
}

function withoutRow(
  events: EventsByReservation,
  rows: ReadonlyMap<string, ReservationFact>,
  seats: ReadonlySet<string>,
): readonly Violation[] {
  const found: Violation[] = [];
  for (const [id, [first]] of events.all()) {
    // An unknown seat's event is a dead letter, which is reported as such.
    if (first === undefined || !seats.has(first.value.seatId)) continue;
    const row = rows.get(id);
    const where = positionOf(first);
    if (row === undefined) {
      found.push(
        violation('event-without-row', `${first.value.type} of ${id} at ${where} had no effect`, [id, where]),
      );
      continue;
    }
    const cancelled = events.cancellationOf(id);
    if (cancelled === undefined || row.status !== 'CONFIRMED') continue;
    const { value } = cancelled;
    if (value.userId !== row.userId || value.epoch < row.epoch) continue;
    const at = positionOf(cancelled);
    found.push(
      violation('event-without-row', `ReservationCancelled of ${id} at ${at} had no effect`, [id, at]),
    );
  }
  return found;
}

function withoutEvent(row: ReservationFact, events: EventsByReservation): readonly Violation[] {
  const { reservationId, source } = row;
  if (source === null) {
    if (row.reason === 'INCOMPLETE') return [];
    return [
      violation('row-without-event', `${reservationId} is ${row.status} and names no record`, [
        reservationId,
      ]),
    ];
  }
  if (events.isGone(source)) return [];
  const ofReservation = events.of(reservationId);
  const where = positionOf(source);
  if (!ofReservation.some((event) => isAt(event, source))) {
    const message = `${reservationId} is ${row.status} by the record at ${where}, which does not speak of it`;
    return [violation('row-without-event', message, [reservationId, where])];
  }
  const [first] = ofReservation;
  if (first !== undefined && first.partition === source.partition && first.offset < source.offset) {
    const message = `${reservationId} was recorded by ${where}, though ${positionOf(first)} speaks of it first`;
    return [violation('order-swapped', message, [reservationId, where])];
  }
  if (
    row.status === 'CANCELLED' &&
    row.reason === 'BUYER' &&
    events.cancellationOf(reservationId) === undefined
  ) {
    const message = `${reservationId} is CANCELLED by its buyer, and the log holds no cancellation`;
    return [violation('row-without-event', message, [reservationId])];
  }
  return [];
}

/** A row whose record can be placed. */
type Placed = ReservationFact & { readonly source: LogPosition };

function swapped(ofSeat: readonly ReservationFact[], events: EventsByReservation): readonly Violation[] {
  const placed = ofSeat.filter((row): row is Placed => row.source !== null);
  const byPartition = Map.groupBy(placed, (row) => row.source.partition);
  return [...byPartition.values()].flatMap((rows) => {
    const inOrder = rows.toSorted((a, b) => a.source.offset - b.source.offset);
    return [
      ...inOrder.flatMap((row, index) => refusedTooEarly(row, inOrder.slice(0, index), events)),
      ...succession(inOrder, events),
    ];
  });
}

/** Whoever was refused was refused because of someone who came before. */
function refusedTooEarly(
  row: Placed,
  before: readonly Placed[],
  events: EventsByReservation,
): readonly Violation[] {
  if (row.status !== 'REJECTED') return [];
  const isReason =
    row.reason === 'STALE_EPOCH'
      ? (other: Placed) => other.epoch >= row.epoch
      : (other: Placed) => mayHaveBeenLive(other, events);
  const needsOne = row.reason === 'STALE_EPOCH' || row.reason === 'SEAT_SOLD';
  if (!needsOne || before.some(isReason)) return [];
  const message = `${row.reservationId} was refused (${row.reason}) at ${positionOf(row.source)}, before anyone else had ${row.seatId}`;
  return [violation('order-swapped', message, [row.seatId, row.reservationId])];
}

/** From one owner of a seat to the next: the first has gone before the second comes, and the epoch rises. */
function succession(inOrder: readonly Placed[], events: EventsByReservation): readonly Violation[] {
  const owners = inOrder.filter((row) => wasLive(row, events));
  return owners.slice(1).flatMap((owner, index) => {
    const previous = owners[index];
    if (previous === undefined) return [];
    const ids = [owner.seatId, previous.reservationId, owner.reservationId];
    const found: Violation[] = [];
    if (previous.epoch >= owner.epoch) {
      const message = `${owner.seatId} went from epoch ${previous.epoch} to ${owner.epoch}`;
      found.push(violation('epoch-not-rising', message, ids));
    }
    const gone = previous.reason === 'BUYER' ? events.cancellationOf(previous.reservationId) : undefined;
    if (
      gone !== undefined &&
      gone.partition === owner.source.partition &&
      gone.offset > owner.source.offset
    ) {
      const message = `${owner.seatId} was sold anew at ${positionOf(owner.source)}, but given back only at ${positionOf(gone)}`;
      found.push(violation('order-swapped', message, ids));
    }
    return found;
  });
}

/** Certainly was the owner of the seat at some time. */
function wasLive(row: Placed, events: EventsByReservation): boolean {
  return row.status === 'CONFIRMED' || (row.reason === 'BUYER' && isCreatedAt(row, events));
}

/** An order that failed elsewhere may have ended before this seat was recorded, or after. */
function mayHaveBeenLive(row: Placed, events: EventsByReservation): boolean {
  return row.status !== 'REJECTED' && (events.isGone(row.source) || isCreatedAt(row, events));
}

function isCreatedAt(row: Placed, events: EventsByReservation): boolean {
  const source = events.of(row.reservationId).find((event) => isAt(event, row.source));
  return source?.value.type === 'ReservationCreated';
}

const isAt = (a: LogPosition, b: LogPosition): boolean =>
  a.partition === b.partition && a.offset === b.offset;
const positionOf = ({ partition, offset }: LogPosition): string => `${partition}@${offset}`;
