/**
 * The ticket shop's HTTP API, as a buyer's program uses it: each call gives an answer or says why there is none. It
 * never throws for what the network does, and retries nothing by itself.
 */
import { Pool } from 'undici';

/** Longer than any deadline of the API: what takes longer has no answer. */
const ANSWER_DEADLINE_MS = 15_000;

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** What Retry-After says, in milliseconds. */
  readonly retryAfterMs: number | null;
}

export interface NoAnswer {
  readonly status: null;
  readonly why: string;
}

/** Tokens of the simulated payment provider. */
const CARD_TOKENS = { good: 'tok_ok', declined: 'tok_declined' } as const;
export type Card = keyof typeof CARD_TOKENS;

export interface ReservationRequest {
  readonly userId: string;
  readonly eventId: string;
  readonly idempotencyKey: string;
  readonly seatIds: readonly string[];
  readonly card: Card;
}

export class BookingApi {
  readonly #pool: Pool;

  /** Without `keepAlive` each request comes on a connection of its own, as those of a crowd do. */
  constructor(url: string, connections: number, keepAlive = true) {
    this.#pool = new Pool(url, {
      connections,
      pipelining: keepAlive ? 1 : 0,
      headersTimeout: ANSWER_DEADLINE_MS,
      bodyTimeout: ANSWER_DEADLINE_MS,
    });
  }

  reserve(request: ReservationRequest): Promise<Answer | NoAnswer> {
    const { userId, seatIds, card, eventId, idempotencyKey } = request;
    return this.#send('POST', `/events/${eventId}/reservations`, {
      headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      body: JSON.stringify({
        userId,
        seats: seatIds,
        payment: { method: 'card', cardToken: CARD_TOKENS[card] },
      }),
    });
  }

  status(statusUrl: string): Promise<Answer | NoAnswer> {
    return this.#send('GET', statusUrl, {});
  }

  cancel(token: string): Promise<Answer | NoAnswer> {
    return this.#send('DELETE', `/reservations/${token}`, {});
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #send(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    options: { readonly headers?: Record<string, string>; readonly body?: string },
  ): Promise<Answer | NoAnswer> {
    try {
      const { statusCode, headers, body } = await this.#pool.request({ method, path, ...options });
      const text = await body.text();
      const seconds = Number(headers['retry-after'] ?? Number.NaN);
      return {
        status: statusCode,
        body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
        retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : null,
      };
    } catch (error) {
      return { status: null, why: error instanceof Error ? error.message : String(error) };
    }
  }
}
