/**
 * Follows a few orders as their buyers would, by asking for their state: the time from the 202 to the CONFIRMED that a buyer
 * can see. Bounded in number, and the longer an order takes the less often it is asked for, so that a system that falls
 * behind is not asked to death. Every last state goes into the journal's entries, and the audit compares it.
 */
import type { StatusEntry } from '../audit/journal.ts';
import { BookingApi } from '../smoke/booking-api.ts';
import { isTerminal } from '../smoke/buyer.ts';
import type { SampledOrder } from './generator-messages.ts';
import { LatencyHistogram } from './latency-histogram.ts';

export const MOST_FOLLOWED = 32;
const CONNECTIONS = 4;
const SHORTEST_PAUSE_MS = 20;
/** Of the time waited so far: how exact a figure is. */
const PAUSE_SHARE = 0.15;
const PATIENCE_MS = 120_000;

export class OrderSampler {
  readonly confirmMs = LatencyHistogram.empty();
  readonly entries: StatusEntry[] = [];
  readonly #api: BookingApi;
  readonly #eventId: string;
  readonly #following = new Set<Promise<void>>();
  /** Orders that were not followed because too many were already. */
  skipped = 0;

  constructor(bookingApiUrl: string, eventId: string) {
    this.#api = new BookingApi(bookingApiUrl, CONNECTIONS);
    this.#eventId = eventId;
  }

  follow(order: SampledOrder): void {
    if (this.#following.size >= MOST_FOLLOWED) {
      this.skipped += 1;
      return;
    }
    const following = this.#untilEnded(order).finally(() => this.#following.delete(following));
    this.#following.add(following);
  }

  /** Resolves once those that are followed have ended, or patience has. */
  async close(): Promise<void> {
    await Promise.all(this.#following);
    await this.#api.close();
  }

  async #untilEnded({ orderId, statusUrl, acceptedAt, userId, idempotencyKey }: SampledOrder): Promise<void> {
    let status = 'PENDING';
    for (let waited = Date.now() - acceptedAt; waited < PATIENCE_MS; waited = Date.now() - acceptedAt) {
      const answer = await this.#api.status(statusUrl);
      const shown = answer.status === 200 ? answer.body['status'] : undefined;
      if (typeof shown === 'string') status = shown;
      if (isTerminal(status)) break;
      await pause(Math.max(SHORTEST_PAUSE_MS, waited * PAUSE_SHARE));
    }
    const at = Date.now();
    if (status === 'CONFIRMED') this.confirmMs.record(at - acceptedAt);
    const buyer = { at, userId, eventId: this.#eventId, idempotencyKey };
    this.entries.push({ ...buyer, request: 'status', orderId, status });
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
