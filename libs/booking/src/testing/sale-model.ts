/**
 * A sale in miniature: buyers, seat locks that run out, publishing that may fail either way, partitions, a worker that may
 * crash before it commits its offsets. Steps are small numbers, so that a random list of them is a random interleaving.
 */
import { orderIdOf } from '../identifiers.ts';
import {
  normalizeSeatChoice,
  reservationCancelledEvents,
  reservationCreatedEvents,
  type PlacedOrder,
} from '../order-request.ts';
import type { ReservationEvent } from '../reservation-events.ts';
import type { OrderStatus } from '../reservation-state.ts';
import type { SeatSettlement } from '../settlement.ts';
import { NOW, ReservationStore } from './reservation-store.ts';

const PARTITIONS = 3;

export interface SaleStep {
  readonly kind: 'buy' | 'retry' | 'expire' | 'work' | 'crash' | 'cancel' | 'give-up';
  /** Which buyer, seat or partition. */
  readonly who: number;
  readonly seats: readonly number[];
  readonly outcome: 'written' | 'unknown-written' | 'unknown-lost' | 'partly' | 'not-written';
}

interface Holder {
  readonly orderId: string;
  readonly epoch: number;
  readonly sold: boolean;
}

export class SaleModel {
  readonly seatIds = Array.from({ length: 4 }, (_, index) => `gala:A-1-${index + 1}`);
  readonly store = new ReservationStore(this.seatIds);
  /** Orders that buyers have a 202 for. */
  readonly accepted = new Map<string, PlacedOrder>();
  /** Of unknown outcome: their buyers may send them again. */
  readonly unresolved = new Map<string, PlacedOrder>();
  readonly log: ReservationEvent[][] = Array.from({ length: PARTITIONS }, () => []);
  readonly #offsets = Array.from({ length: PARTITIONS }, () => 0);
  readonly #locks = new Map<string, Holder>();
  readonly #epochs = new Map<string, number>();
  readonly #lockEnabled: boolean;
  #attempts = 0;

  constructor(options: { readonly lockEnabled: boolean }) {
    this.#lockEnabled = options.lockEnabled;
  }

  take(step: SaleStep): void {
    switch (step.kind) {
      case 'buy':
        return this.#buy(step);
      case 'retry':
        return this.#retry(pick([...this.unresolved.values()], step.who), step.outcome);
      case 'cancel':
        return this.#cancel(pick([...this.accepted.values()], step.who));
      case 'expire':
        return this.#expire(pick(this.seatIds, step.who));
      case 'work':
        return this.#work(step.who % PARTITIONS, step.seats.length, true);
      case 'crash':
        return this.#work(step.who % PARTITIONS, step.seats.length, false);
      case 'give-up':
        return this.store.rejectIncomplete();
    }
  }

  /** Buyers ask until they are answered, the worker reaches the end of the log, incomplete orders are given up. */
  drain(): void {
    for (const order of this.unresolved.values()) this.#retry(order, 'written');
    for (let partition = 0; partition < PARTITIONS; partition += 1) {
      this.#work(partition, Number.MAX_SAFE_INTEGER, true);
    }
    this.store.rejectIncomplete();
  }

  orderStatuses(): Map<string, OrderStatus> {
    return new Map([...this.store.orders].map(([orderId, order]) => [orderId, order.status]));
  }

  #buy(step: SaleStep): void {
    const choice = normalizeSeatChoice(step.seats.map((seat) => pick(this.seatIds, seat) ?? ''));
    if (choice === null) return;
    if (this.#lockEnabled && choice.some((seatId) => this.#locks.has(seatId))) return;
    this.#attempts += 1;
    const userId = `u${step.who}`;
    const orderId = orderIdOf({ userId, eventId: 'gala', idempotencyKey: String(this.#attempts) });
    const seats = choice.map((seatId) => ({ seatId, epoch: this.#lock(seatId, orderId), amount: 100 }));
    this.#publish({ orderId, eventId: 'gala', userId, currency: 'EUR', seats }, step.outcome);
  }

  #lock(seatId: string, orderId: string): number {
    const epoch = (this.#epochs.get(seatId) ?? 0) + 1;
    this.#epochs.set(seatId, epoch);
    this.#locks.set(seatId, { orderId, epoch, sold: false });
    return epoch;
  }

  #publish(order: PlacedOrder, outcome: SaleStep['outcome']): void {
    const payment = { paymentReference: 'pay', lockedUntil: NOW, occurredAt: NOW };
    const events = reservationCreatedEvents(order, payment);
    const written = { written: events.length, 'unknown-written': events.length, partly: events.length - 1 };
    const count = outcome in written ? written[outcome as keyof typeof written] : 0;
    for (const event of events.slice(0, count)) this.#append(event);
    if (outcome === 'written') {
      this.accepted.set(order.orderId, order);
      this.unresolved.delete(order.orderId);
    } else if (outcome === 'not-written' && !this.unresolved.has(order.orderId)) {
      for (const { seatId } of order.seats) {
        if (this.#locks.get(seatId)?.orderId === order.orderId) this.#locks.delete(seatId);
      }
    } else {
      this.unresolved.set(order.orderId, order);
    }
  }

  #retry(order: PlacedOrder | undefined, outcome: SaleStep['outcome']): void {
    if (order !== undefined) this.#publish(order, outcome);
  }

  #cancel(order: PlacedOrder | undefined): void {
    if (order === undefined) return;
    for (const event of reservationCancelledEvents(order, NOW)) this.#append(event);
  }

  #expire(seatId: string | undefined): void {
    if (seatId !== undefined && this.#locks.get(seatId)?.sold === false) this.#locks.delete(seatId);
  }

  #append(event: ReservationEvent): void {
    const partition = this.seatIds.indexOf(event.seatId) % PARTITIONS;
    this.log[partition]?.push(event);
  }

  #work(partition: number, count: number, commit: boolean): void {
    const offset = this.#offsets[partition] ?? 0;
    const events = (this.log[partition] ?? []).slice(offset, offset + count);
    for (const settlement of this.store.apply(...events).settlements) this.#settle(settlement);
    if (commit) this.#offsets[partition] = offset + events.length;
  }

  /** As the scripts of the seat lock do it. */
  #settle(settlement: SeatSettlement): void {
    const { seatId, orderId, epoch } = settlement;
    const holder = this.#locks.get(seatId);
    const last = this.#epochs.get(seatId) ?? 0;
    const mine = holder?.orderId === orderId;
    if (settlement.kind === 'sold') {
      if (mine || (holder?.epoch ?? last) <= epoch) this.#locks.set(seatId, { orderId, epoch, sold: true });
    } else if (settlement.kind === 'freed') {
      this.#epochs.set(seatId, Math.max(last, epoch + 1));
      if (mine) this.#locks.delete(seatId);
    } else if (mine || (holder === undefined && last <= epoch)) {
      const { owner } = settlement;
      if (owner === null) this.#locks.delete(seatId);
      else this.#locks.set(seatId, { orderId: owner.orderId, epoch: owner.epoch, sold: true });
    }
  }
}

function pick<T>(list: readonly T[], index: number): T | undefined {
  return list[index % Math.max(1, list.length)];
}
