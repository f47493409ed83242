/** Buyers of one event, for stories that are told buyer by buyer. All their answers are kept for the audit. */
import { onTestFinished } from 'vitest';
import { type JournalEntry, Journal } from '../../load-tests/audit/journal.ts';
import { BookingApi } from '../../load-tests/smoke/booking-api.ts';
import { type Bought, Buyer, type Order } from '../../load-tests/smoke/buyer.ts';
import { Latencies } from '../../load-tests/smoke/latencies.ts';
import type { SaleStack } from './sale-stack.ts';
import { until } from './until.ts';

const CONNECTIONS = 32;

export class Shop {
  readonly eventId: string;
  readonly #journal = new Journal();
  readonly #buyer: Buyer;

  private constructor(eventId: string, api: BookingApi) {
    this.eventId = eventId;
    this.#buyer = new Buyer(api, this.#journal, new Latencies());
  }

  /** Of an event of its own. It closes with the running test. */
  static async open(stack: SaleStack, bookingApiUrl = stack.endpoints.bookingApiUrl): Promise<Shop> {
    const eventId = await stack.putOnSale();
    await until(`${eventId} on sale at ${bookingApiUrl}`, () => stack.sells(eventId, bookingApiUrl));
    const api = new BookingApi(bookingApiUrl, CONNECTIONS);
    onTestFinished(() => api.close());
    return new Shop(eventId, api);
  }

  get journal(): readonly JournalEntry[] {
    return this.#journal.entries;
  }

  seat(number: number): string {
    return `${this.eventId}:A-1-${number}`;
  }

  /** Asks until there is an answer that settles it. The same user and key are the same request again. */
  ask(userId: string, seats: readonly number[], key = 'key'): Promise<Bought> {
    const seatIds = seats.map((number) => this.seat(number));
    const buyer = `${this.eventId}-${userId}`;
    const request = { userId: buyer, eventId: this.eventId, idempotencyKey: key, seatIds };
    return this.#buyer.reserve({ ...request, card: 'good' });
  }

  /** As `ask`, of which it is certain that it is accepted. */
  async buy(userId: string, seats: readonly number[], key = 'key'): Promise<Order> {
    const bought = await this.ask(userId, seats, key);
    if (bought.kind !== 'accepted') throw new Error(`${userId} was answered ${JSON.stringify(bought)}`);
    return bought.order;
  }

  /** How the order ends. */
  outcome(order: Order, until?: (status: string) => boolean): Promise<string> {
    return this.#buyer.follow(order, until);
  }

  /** Buys and gives back, over and over, each time as another user. */
  async goRound(seat: number, times: number): Promise<void> {
    for (let turn = 1; turn <= times; turn += 1) {
      const user = `guest-${seat}-${turn}`;
      let bought: Bought | undefined;
      // The lock of the guest before may be there for a moment longer than the order.
      await until(`seat ${seat} free for ${user}`, async () => {
        bought = await this.ask(user, [seat]);
        return bought.kind === 'accepted';
      });
      if (bought?.kind !== 'accepted') return;
      await this.outcome(bought.order);
      await this.#buyer.cancel(bought.order);
      await this.outcome(bought.order, (status) => status === 'CANCELLED');
    }
  }
}
