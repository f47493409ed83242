/**
 * Folds a run of events over what is stored, in their order, and tells what has to be written: one transaction's worth.
 *
 * The caller loads, under locks, for every event it will apply: its seat, all reservations of that seat that are live or
 * have the highest epoch, the reservation of the event's id, the event's order and all reservations of that order. Then it
 * applies the events in log order and writes `changes()`. All state changes of reservations and orders are made here.
 */
import { decide, type Decision } from './decision.ts';
import { refundIdOf, reservationIdOf } from './identifiers.ts';
import type { RefundRequested, ReservationEvent } from './reservation-events.ts';
import {
  hasFailed,
  isLive,
  type CancellationReason,
  type EndReason,
  type RejectionReason,
  type ReservationStatus,
  type StoredOrder,
  type StoredReservation,
} from './reservation-state.ts';
import type { SeatSettlement } from './settlement.ts';

/** Where an event stands in its topic. */
export interface EventSource {
  readonly partition: number;
  readonly offset: number;
}

export interface StoredState {
  /** Seats that exist, of those asked for. */
  readonly seatIds: Iterable<string>;
  readonly orders: Iterable<StoredOrder>;
  readonly reservations: Iterable<StoredReservation>;
}

export interface RecordedReservation extends StoredReservation {
  /** The event that first spoke of it; null if it was recorded without one. */
  readonly source: EventSource | null;
}

export interface LedgerChanges {
  readonly insertedOrders: readonly StoredOrder[];
  readonly updatedOrders: readonly StoredOrder[];
  readonly insertedReservations: readonly RecordedReservation[];
  readonly updatedReservations: readonly StoredReservation[];
  /** In the order in which they came up; one for each reservation that ended. */
  readonly refunds: readonly RefundRequested[];
}

export class ReservationLedger {
  readonly #seatIds: ReadonlySet<string>;
  readonly #orders = new Map<string, StoredOrder>();
  readonly #reservations = new Map<string, StoredReservation>();
  readonly #sources = new Map<string, EventSource | null>();
  readonly #idsByOrder = new Map<string, Set<string>>();
  readonly #liveBySeat = new Map<string, StoredReservation>();
  readonly #lastEpochBySeat = new Map<string, number>();
  readonly #storedOrders = new Set<string>();
  readonly #storedReservations = new Set<string>();
  readonly #changedOrders = new Set<string>();
  readonly #changedReservations = new Set<string>();
  readonly #touchedOrders = new Set<string>();
  readonly #refunds: RefundRequested[] = [];
  readonly #now: number;

  /** `now` is the time that refunds carry, in milliseconds since the epoch. */
  constructor(stored: StoredState, now: number) {
    this.#now = now;
    this.#seatIds = new Set(stored.seatIds);
    for (const order of stored.orders) {
      this.#orders.set(order.orderId, order);
      this.#storedOrders.add(order.orderId);
    }
    for (const reservation of stored.reservations) {
      this.#remember(reservation);
      this.#storedReservations.add(reservation.reservationId);
    }
  }

  apply(event: ReservationEvent, source: EventSource | null = null): Decision {
    const reservation = this.#reservations.get(event.reservationId) ?? null;
    const decision = decide(event, {
      reservation,
      order: this.#orders.get(event.orderId) ?? null,
      live: this.#liveBySeat.get(event.seatId) ?? null,
      lastEpoch: this.#lastEpochBySeat.get(event.seatId) ?? 0,
      seatExists: this.#seatIds.has(event.seatId),
    });
    if (decision.kind === 'unprocessable') return decision;
    this.#touchedOrders.add(event.orderId);
    this.#openOrder(event);
    this.#carryOut(decision, event, source);
    return decision;
  }

  /**
   * Gives up on a PENDING order whose missing seats did not come: they are recorded as REJECTED, the others cancelled, all
   * of it is refunded. True if there was something to give up.
   */
  rejectIncomplete(orderId: string): boolean {
    const order = this.#orders.get(orderId);
    if (order === undefined || order.status !== 'PENDING') return false;
    this.#touchedOrders.add(orderId);
    const recorded = new Set(this.#ofOrder(orderId).map((reservation) => reservation.seatId));
    for (const { seatId, epoch, amount } of order.seats) {
      if (recorded.has(seatId)) continue;
      const { eventId, userId, currency } = order;
      const reservationId = reservationIdOf(orderId, seatId);
      const price = { amount, currency };
      const missing = {
        reservationId,
        orderId,
        eventId,
        seatId,
        userId,
        epoch,
        price,
        occurredAt: this.#now,
      };
      this.#end(missing, 'REJECTED', 'INCOMPLETE');
    }
    this.#failOrder(orderId, 'REJECTED', 'INCOMPLETE', 'ORDER_REJECTED');
    return true;
  }

  changes(): LedgerChanges {
    const orders = [...this.#changedOrders].map((id) => known(this.#orders.get(id)));
    const reservations = [...this.#changedReservations].map((id) => known(this.#reservations.get(id)));
    return {
      insertedOrders: orders.filter((order) => !this.#storedOrders.has(order.orderId)),
      updatedOrders: orders.filter((order) => this.#storedOrders.has(order.orderId)),
      insertedReservations: reservations
        .filter((reservation) => !this.#storedReservations.has(reservation.reservationId))
        .map((reservation) => ({
          ...reservation,
          source: this.#sources.get(reservation.reservationId) ?? null,
        })),
      updatedReservations: reservations.filter((reservation) =>
        this.#storedReservations.has(reservation.reservationId),
      ),
      refunds: this.#refunds,
    };
  }

  /**
   * What became of the seats of every order that an event spoke of, changed or not: seeing an event again tells it again,
   * so that whoever failed to hear it the first time hears it now.
   */
  settlements(): SeatSettlement[] {
    return [...this.#touchedOrders]
      .flatMap((orderId) => this.#ofOrder(orderId))
      .map((reservation) => this.#settlementOf(reservation));
  }

  #carryOut(decision: Decision, event: ReservationEvent, source: EventSource | null): void {
    switch (decision.kind) {
      case 'confirm':
        this.#record(reservationOf(event), 'CONFIRMED', null, source);
        this.#confirmIfComplete(event.orderId);
        return;
      case 'reject':
        this.#end(reservationOf(event), 'REJECTED', decision.reason, source, paymentOf(event));
        if (decision.reason === 'NOT_IN_ORDER') return;
        this.#failOrder(event.orderId, 'REJECTED', decision.reason, 'ORDER_REJECTED');
        return;
      case 'compensate':
        this.#end(reservationOf(event), 'CANCELLED', decision.reason, source);
        return;
      case 'cancel':
      case 'record-cancelled':
        this.#end(reservationOf(event), 'CANCELLED', 'BUYER', source);
        this.#failOrder(event.orderId, 'CANCELLED', 'BUYER', 'ORDER_CANCELLED');
        return;
      case 'duplicate':
      case 'ignore':
      case 'unprocessable':
        return;
    }
  }

  #openOrder(event: ReservationEvent): void {
    const paymentReference = paymentOf(event);
    const order = this.#orders.get(event.orderId);
    if (order === undefined) {
      const { orderId, eventId, userId, orderSeats: seats } = event;
      const currency = event.price.currency;
      const opened = { orderId, eventId, userId, seats, currency, paymentReference };
      this.#changeOrder({ ...opened, status: 'PENDING', reason: null });
    } else if (order.paymentReference === null && paymentReference !== null) {
      this.#changeOrder({ ...order, paymentReference });
    }
  }

  #confirmIfComplete(orderId: string): void {
    const order = known(this.#orders.get(orderId));
    const live = this.#ofOrder(orderId).filter(isLive);
    if (live.length === order.seats.length) this.#changeOrder({ ...order, status: 'CONFIRMED' });
  }

  #failOrder(
    orderId: string,
    status: 'REJECTED' | 'CANCELLED',
    reason: EndReason,
    ofTheOthers: CancellationReason,
  ): void {
    const order = known(this.#orders.get(orderId));
    if (!hasFailed(order)) this.#changeOrder({ ...order, status, reason });
    for (const reservation of this.#ofOrder(orderId).filter(isLive)) {
      this.#end(reservation, 'CANCELLED', ofTheOthers);
    }
  }

  #end(
    reservation: Omit<StoredReservation, 'status' | 'reason'>,
    status: 'REJECTED' | 'CANCELLED',
    reason: RejectionReason | CancellationReason,
    source: EventSource | null = null,
    paidWith: string | null = null,
  ): void {
    // A row that is stored keeps its epoch: the event may carry a later one of the same buyer's second attempt.
    const ended = this.#reservations.get(reservation.reservationId) ?? reservation;
    this.#record(ended, status, reason, source);
    const { reservationId, orderId, eventId, seatId, userId, epoch, price } = ended;
    const paymentReference = paidWith ?? known(this.#orders.get(orderId)).paymentReference;
    const of = { reservationId, orderId, eventId, seatId, userId, epoch, price, reason, paymentReference };
    const refundId = refundIdOf(reservationId);
    this.#refunds.push({ type: 'RefundRequested', version: 1, refundId, occurredAt: this.#now, ...of });
  }

  #record(
    reservation: Omit<StoredReservation, 'status' | 'reason'>,
    status: ReservationStatus,
    reason: EndReason | null,
    source: EventSource | null,
  ): void {
    const { reservationId } = reservation;
    if (!this.#reservations.has(reservationId)) this.#sources.set(reservationId, source);
    this.#remember({ ...reservation, status, reason });
    this.#changedReservations.add(reservationId);
  }

  #remember(reservation: StoredReservation): void {
    const { reservationId, orderId, seatId, epoch } = reservation;
    const idsOfOrder = this.#idsByOrder.get(orderId);
    if (idsOfOrder === undefined) this.#idsByOrder.set(orderId, new Set([reservationId]));
    else idsOfOrder.add(reservationId);
    this.#reservations.set(reservationId, reservation);
    this.#lastEpochBySeat.set(seatId, Math.max(epoch, this.#lastEpochBySeat.get(seatId) ?? 0));
    if (isLive(reservation)) this.#liveBySeat.set(seatId, reservation);
    else if (this.#liveBySeat.get(seatId)?.reservationId === reservationId) this.#liveBySeat.delete(seatId);
  }

  #ofOrder(orderId: string): StoredReservation[] {
    return [...(this.#idsByOrder.get(orderId) ?? [])].map((id) => known(this.#reservations.get(id)));
  }

  #changeOrder(order: StoredOrder): void {
    this.#orders.set(order.orderId, order);
    this.#changedOrders.add(order.orderId);
  }

  #settlementOf(reservation: StoredReservation): SeatSettlement {
    const { seatId, orderId, reservationId, epoch } = reservation;
    const of = { seatId, orderId, reservationId, epoch };
    if (reservation.status === 'CONFIRMED') return { kind: 'sold', ...of };
    if (reservation.status === 'CANCELLED') return { kind: 'freed', ...of };
    const live = this.#liveBySeat.get(seatId);
    const owner =
      live === undefined
        ? null
        : { orderId: live.orderId, reservationId: live.reservationId, epoch: live.epoch };
    return { kind: 'refused', owner, ...of };
  }
}

function reservationOf(event: ReservationEvent): Omit<StoredReservation, 'status' | 'reason'> {
  const { reservationId, orderId, eventId, seatId, userId, epoch, price, occurredAt } = event;
  return { reservationId, orderId, eventId, seatId, userId, epoch, price, occurredAt };
}

function paymentOf(event: ReservationEvent): string | null {
  return event.type === 'ReservationCreated' ? event.paymentReference : null;
}

function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the ledger lost track of an order or a reservation it holds');
  return value;
}
