/**
 * Stands where the database stands: keeps orders and reservations, loads for a batch exactly what the statement loads, and
 * holds the unique index. It throws where PostgreSQL would refuse.
 */
import { ReservationLedger, type LedgerChanges } from '../reservation-ledger.ts';
import type { Decision } from '../decision.ts';
import type { RefundRequested, ReservationEvent } from '../reservation-events.ts';
import { isLive, type StoredOrder, type StoredReservation } from '../reservation-state.ts';
import type { SeatSettlement } from '../settlement.ts';

export const NOW = 1_800_000_000_000;

export class ReservationStore {
  readonly orders = new Map<string, StoredOrder>();
  readonly reservations = new Map<string, StoredReservation>();
  readonly refunds: RefundRequested[] = [];
  readonly #seatIds: readonly string[];

  constructor(seatIds: readonly string[]) {
    this.#seatIds = seatIds;
  }

  apply(...events: readonly ReservationEvent[]): { decisions: Decision[]; settlements: SeatSettlement[] } {
    const ledger = this.#ledgerFor(events);
    const decisions = events.map((event) => ledger.apply(event));
    this.#write(ledger.changes());
    return { decisions, settlements: ledger.settlements() };
  }

  /** Gives up on every order that is still PENDING. */
  rejectIncomplete(): void {
    const orders = [...this.orders.values()].filter((order) => order.status === 'PENDING');
    const orderIds = new Set(orders.map((order) => order.orderId));
    const reservations = [...this.reservations.values()].filter((each) => orderIds.has(each.orderId));
    const ledger = new ReservationLedger({ seatIds: [], orders, reservations }, NOW);
    for (const orderId of orderIds) ledger.rejectIncomplete(orderId);
    this.#write(ledger.changes());
  }

  liveOf(seatId: string): StoredReservation[] {
    return [...this.reservations.values()].filter((each) => each.seatId === seatId && isLive(each));
  }

  #ledgerFor(events: readonly ReservationEvent[]): ReservationLedger {
    const wanted = new Set(events.map((event) => event.seatId));
    const orderIds = new Set(events.map((event) => event.orderId));
    const all = [...this.reservations.values()];
    const latest = [...wanted].flatMap((seatId) => {
      const ofSeat = all.filter((each) => each.seatId === seatId);
      return ofSeat.toSorted((a, b) => b.epoch - a.epoch).slice(0, 1);
    });
    const seatIds = this.#seatIds.filter((seatId) => wanted.has(seatId));
    const orders = [...this.orders.values()].filter((order) => orderIds.has(order.orderId));
    const related = all.filter(
      (each) => orderIds.has(each.orderId) || (wanted.has(each.seatId) && isLive(each)),
    );
    return new ReservationLedger({ seatIds, orders, reservations: [...related, ...latest] }, NOW);
  }

  #write(changes: LedgerChanges): void {
    for (const order of changes.insertedOrders) {
      if (this.orders.has(order.orderId)) throw new Error(`order ${order.orderId} inserted twice`);
      this.orders.set(order.orderId, order);
    }
    for (const order of changes.updatedOrders) this.orders.set(order.orderId, order);
    for (const changed of changes.updatedReservations) this.reservations.set(changed.reservationId, changed);
    for (const { source: _, ...inserted } of changes.insertedReservations) {
      if (this.reservations.has(inserted.reservationId)) throw new Error('a reservation inserted twice');
      this.reservations.set(inserted.reservationId, inserted);
      if (this.liveOf(inserted.seatId).length > 1) throw new Error(`${inserted.seatId} sold twice`);
    }
    this.refunds.push(...changes.refunds);
  }
}
