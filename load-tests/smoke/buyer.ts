/**
 * A buyer: asks for seats as a careful client does (the same idempotency key until there is an answer that settles it),
 * follows an order to its end, gives it back. Every answer goes into the journal.
 */
import type { Journal, ReservationOutcome } from '../audit/journal.ts';
import type { Answer, BookingApi, NoAnswer, ReservationRequest } from './booking-api.ts';
import type { Latencies } from './latencies.ts';

/** How long a buyer tries to get an answer that settles a request, and waits for an order to end. */
export const BUYER_PATIENCE_MS = 120_000;
const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/** Codes that say: ask again with the same key. Everything else settles the request. */
const ASK_AGAIN = new Set([
  'IDEMPOTENCY_IN_FLIGHT',
  'TOO_MANY_REQUESTS',
  'OVERLOADED',
  'SEAT_MAP_WARMING',
  'SEAT_LOCK_UNAVAILABLE',
  'PAYMENT_UNAVAILABLE',
  'RESERVATION_NOT_WRITTEN',
  'RESERVATION_UNKNOWN',
  'STATUS_UNAVAILABLE',
  'SHUTTING_DOWN',
]);
/** Of those, the ones after which it may have been sold. */
const MAY_BE_SOLD = new Set(['RESERVATION_UNKNOWN', 'IDEMPOTENCY_IN_FLIGHT']);

export interface Order {
  readonly orderId: string;
  /** One for each seat. */
  readonly reservationIds: readonly string[];
  readonly token: string;
  readonly statusUrl: string;
  readonly request: ReservationRequest;
  readonly acceptedAt: number;
}

export type Bought =
  | { readonly kind: 'accepted'; readonly order: Order }
  | { readonly kind: 'refused'; readonly status: number; readonly code: string }
  | { readonly kind: 'gave-up'; readonly why: string };

export class Buyer {
  readonly #api: BookingApi;
  readonly #journal: Journal;
  readonly #latencies: Latencies;

  constructor(api: BookingApi, journal: Journal, latencies: Latencies) {
    this.#api = api;
    this.#journal = journal;
    this.#latencies = latencies;
  }

  async reserve(request: ReservationRequest): Promise<Bought> {
    const end = performance.now() + BUYER_PATIENCE_MS;
    for (let attempt = 0; ; attempt += 1) {
      const begin = performance.now();
      const answer = await this.#api.reserve(request);
      const bought = understand(request, answer, performance.now());
      this.#record(request, bought);
      if (bought.kind === 'accepted') this.#latencies.accept(performance.now() - begin);
      const settled =
        bought.kind === 'accepted' || (bought.kind === 'refused' && !ASK_AGAIN.has(bought.code));
      if (settled || performance.now() > end) return bought;
      await pause(attempt, answer.status === null ? null : answer.retryAfterMs);
    }
  }

  /** The last status that was shown: CONFIRMED, REJECTED or CANCELLED, or what it was when patience ran out. */
  async follow(order: Order, until: (status: string) => boolean = isTerminal): Promise<string> {
    const end = performance.now() + BUYER_PATIENCE_MS;
    let status = 'PENDING';
    for (let attempt = 0; performance.now() < end; attempt += 1) {
      const answer = await this.#api.status(order.statusUrl);
      if (answer.status === 200) status = textOf(answer, 'status') ?? status;
      if (until(status)) break;
      const nextPollMs = answer.status === 200 ? Number(answer.body['nextPollMs'] ?? Number.NaN) : Number.NaN;
      await pause(attempt, Number.isFinite(nextPollMs) ? nextPollMs : null);
    }
    if (status === 'CONFIRMED') this.#latencies.confirm(performance.now() - order.acceptedAt);
    const { userId, eventId, idempotencyKey } = order.request;
    const { orderId } = order;
    this.#journal.write({
      at: Date.now(),
      userId,
      eventId,
      idempotencyKey,
      request: 'status',
      orderId,
      status,
    });
    return status;
  }

  /** Whether the cancellation was taken on. */
  async cancel(order: Order): Promise<boolean> {
    const end = performance.now() + BUYER_PATIENCE_MS;
    const { userId, eventId, idempotencyKey } = order.request;
    for (let attempt = 0; ; attempt += 1) {
      const answer = await this.#api.cancel(order.token);
      const accepted = answer.status === 202;
      const entry = { at: Date.now(), userId, eventId, idempotencyKey, orderId: order.orderId };
      this.#journal.write({ ...entry, request: 'cancel', accepted });
      const final = answer.status !== null && answer.status < 500 && answer.status !== 429;
      if (final || performance.now() > end) return accepted;
      await pause(attempt, answer.status === null ? null : answer.retryAfterMs);
    }
  }

  #record(request: ReservationRequest, bought: Bought): void {
    const { userId, eventId, idempotencyKey, seatIds } = request;
    const outcome = outcomeOf(bought);
    this.#journal.write({
      at: Date.now(),
      userId,
      eventId,
      idempotencyKey,
      request: 'reserve',
      seatIds,
      outcome,
    });
  }
}

/** What one answer says, whoever asked and whether or not they ask again. */
export function understand(
  request: ReservationRequest,
  answer: Answer | NoAnswer,
  acceptedAt: number,
): Bought {
  if (answer.status === null) return { kind: 'gave-up', why: answer.why };
  if (answer.status !== 202) {
    return { kind: 'refused', status: answer.status, code: textOf(answer, 'code') ?? 'NO_CODE' };
  }
  const orderId = textOf(answer, 'reservationId');
  const token = textOf(answer, 'token');
  const statusUrl = textOf(answer, 'statusUrl');
  const reservationIds = reservationIdsOf(answer);
  if (
    orderId === undefined ||
    token === undefined ||
    statusUrl === undefined ||
    reservationIds.length !== request.seatIds.length
  ) {
    return { kind: 'gave-up', why: `a 202 without its fields: ${JSON.stringify(answer.body)}` };
  }
  return { kind: 'accepted', order: { orderId, reservationIds, token, statusUrl, request, acceptedAt } };
}

export function isTerminal(status: string): boolean {
  return status === 'CONFIRMED' || status === 'REJECTED' || status === 'CANCELLED';
}

/** As the journal keeps it: whether it promises that nothing was sold. */
export function outcomeOf(bought: Bought): ReservationOutcome {
  switch (bought.kind) {
    case 'accepted': {
      const { orderId, reservationIds } = bought.order;
      return { kind: 'accepted', orderId, reservationIds };
    }
    case 'refused': {
      const { status, code } = bought;
      return MAY_BE_SOLD.has(code) || code === 'NO_CODE' || code === 'INTERNAL'
        ? { kind: 'unknown', why: code }
        : { kind: 'refused', status, code };
    }
    case 'gave-up':
      return { kind: 'unknown', why: bought.why };
  }
}

function reservationIdsOf({ body }: Answer): readonly string[] {
  const { seats } = body;
  if (!Array.isArray(seats)) return [];
  return seats.flatMap((seat: unknown) =>
    typeof seat === 'object' && seat !== null && 'reservationId' in seat ? [String(seat.reservationId)] : [],
  );
}

function textOf(answer: Answer, field: string): string | undefined {
  const value = answer.body[field];
  return typeof value === 'string' ? value : undefined;
}

/** What the server asks for, else longer with each attempt. */
function pause(attempt: number, wantedMs: number | null): Promise<void> {
  const ms = wantedMs ?? SHORTEST_PAUSE_MS * 2 ** Math.min(attempt, 10);
  return new Promise((resolve) => setTimeout(resolve, Math.min(ms, LONGEST_PAUSE_MS)));
}
