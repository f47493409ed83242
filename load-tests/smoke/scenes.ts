/**
 * The tasks of the plan, played out. Each checks what it can see for itself, from the buyer's side, and says in a
 * sentence what was not as it should be; what only shows from behind is the audit's.
 */
import type { Buyer, Order } from './buyer.ts';
import type { Card, ReservationRequest } from './booking-api.ts';
import type { Task } from './plan.ts';

export interface SceneCounts {
  /** Orders that were accepted, each once. */
  accepted: number;
  /** Requests that found their seat taken. */
  taken: number;
  /** Answers to repeated requests that were the same order again. */
  repeated: number;
  declined: number;
  cancelled: number;
  /** Seats bought after someone had given them back. */
  resold: number;
}

/** How long a seat may take to be free for others once its order was cancelled. */
const FREED_WITHIN_MS = 120_000;
const LOOK_AGAIN_MS = 100;

export class Scenes {
  readonly counts: SceneCounts = { accepted: 0, taken: 0, repeated: 0, declined: 0, cancelled: 0, resold: 0 };
  readonly complaints: string[] = [];
  readonly #buyer: Buyer;
  readonly #eventId: string;
  readonly #runId: string;
  #keys = 0;

  constructor(buyer: Buyer, eventId: string, runId: string) {
    this.#buyer = buyer;
    this.#eventId = eventId;
    this.#runId = runId;
  }

  async play(task: Task): Promise<void> {
    switch (task.kind) {
      case 'buy':
        return void (await this.#buyForGood(this.#request(task.buyer, task.seatIds)));
      case 'fight':
        return this.#fight(task.buyers, task.seatIds);
      case 'repeat':
        return this.#repeat(task);
      case 'decline':
        return this.#decline(task.buyer, task.seatIds);
      case 'cancel':
        return this.#cancel(task);
    }
  }

  /** An order that must go through. */
  async #buyForGood(request: ReservationRequest): Promise<Order | null> {
    const bought = await this.#buyer.reserve(request);
    if (bought.kind !== 'accepted') {
      this.#complain(
        `${request.userId} did not get ${request.seatIds.join(', ')}: ${JSON.stringify(bought)}`,
      );
      return null;
    }
    this.counts.accepted += 1;
    await this.#mustBecome(bought.order, 'CONFIRMED');
    return bought.order;
  }

  async #fight(buyers: readonly number[], seatIds: readonly string[]): Promise<void> {
    const results = await Promise.all(
      buyers.map((buyer) => this.#buyer.reserve(this.#request(buyer, seatIds))),
    );
    const winners = results.flatMap((result) => (result.kind === 'accepted' ? [result.order] : []));
    const taken = results.filter(
      (result) => result.kind === 'refused' && result.code === 'SEAT_TAKEN',
    ).length;
    this.counts.accepted += winners.length;
    this.counts.taken += taken;
    if (winners.length !== 1 || taken !== buyers.length - 1) {
      this.#complain(
        `${buyers.length} wanted ${seatIds.join()}: ${winners.length} got it, ${taken} found it taken`,
      );
    }
    for (const winner of winners) await this.#mustBecome(winner, 'CONFIRMED');
  }

  async #repeat(task: Task & { readonly kind: 'repeat' }): Promise<void> {
    const request = this.#request(task.buyer, task.seatIds);
    const atOnce = Array.from({ length: task.times }, () => this.#buyer.reserve(request));
    const results = [...(await Promise.all(atOnce)), await this.#buyer.reserve(request)];
    const orders = results.flatMap((result) => (result.kind === 'accepted' ? [result.order] : []));
    const [first] = orders;
    if (first === undefined || orders.length !== results.length) {
      this.#complain(
        `${orders.length} of ${results.length} repeats of ${request.idempotencyKey} were accepted`,
      );
      return;
    }
    this.counts.accepted += 1;
    this.counts.repeated += orders.length - 1;
    if (new Set(orders.map((order) => `${order.orderId} ${order.token}`)).size !== 1) {
      this.#complain(`repeats of ${request.idempotencyKey} were given different reservations`);
    }
    const other = await this.#buyer.reserve({ ...request, seatIds: task.otherSeatIds });
    if (other.kind !== 'refused' || other.status !== 422) {
      this.#complain(`${request.idempotencyKey} for other seats was answered ${JSON.stringify(other)}`);
    }
    await this.#mustBecome(first, 'CONFIRMED');
  }

  async #decline(buyer: number, seatIds: readonly string[]): Promise<void> {
    const refused = await this.#buyer.reserve(this.#request(buyer, seatIds, 'declined'));
    if (refused.kind === 'refused' && refused.status === 402) this.counts.declined += 1;
    else this.#complain(`a declined card was answered ${JSON.stringify(refused)}`);
    await this.#buyForGood(this.#request(buyer, seatIds));
  }

  async #cancel(task: Task & { readonly kind: 'cancel' }): Promise<void> {
    const order = await this.#buyForGood(this.#request(task.buyer, task.seatIds));
    if (order === null) return;
    if (!(await this.#buyer.cancel(order))) {
      this.#complain(`the cancellation of ${order.orderId} was not taken on`);
      return;
    }
    this.counts.cancelled += 1;
    await this.#mustBecome(order, 'CANCELLED');
    if (task.nextBuyer !== null) await this.#buyFreed(task.nextBuyer, task.seatIds);
  }

  /** The status says CANCELLED once the database knows; the lock follows it, so the next buyer may have to ask again. */
  async #buyFreed(buyer: number, seatIds: readonly string[]): Promise<void> {
    const end = performance.now() + FREED_WITHIN_MS;
    for (;;) {
      const bought = await this.#buyer.reserve(this.#request(buyer, seatIds));
      if (bought.kind === 'accepted') {
        this.counts.accepted += 1;
        this.counts.resold += seatIds.length;
        return this.#mustBecome(bought.order, 'CONFIRMED');
      }
      const isTaken = bought.kind === 'refused' && bought.code === 'SEAT_TAKEN';
      if (!isTaken || performance.now() > end) {
        return this.#complain(
          `${seatIds.join(', ')} was given back, and then answered ${JSON.stringify(bought)}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }

  async #mustBecome(order: Order, wanted: 'CONFIRMED' | 'CANCELLED'): Promise<void> {
    const status = await this.#buyer.follow(order, (seen) =>
      wanted === 'CANCELLED' ? seen === 'CANCELLED' : seen !== 'PENDING',
    );
    if (status !== wanted) this.#complain(`order ${order.orderId} is ${status}, not ${wanted}`);
  }

  #request(buyer: number, seatIds: readonly string[], card: Card = 'good'): ReservationRequest {
    this.#keys += 1;
    return {
      userId: `${this.#runId}-buyer-${buyer}`,
      eventId: this.#eventId,
      idempotencyKey: `${this.#runId}-${this.#keys}`,
      seatIds,
      card,
    };
  }

  #complain(sentence: string): void {
    this.complaints.push(sentence);
  }
}
