import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Journal } from '../audit/journal.ts';
import { BookingApi, type ReservationRequest } from './booking-api.ts';
import { Buyer, type Order } from './buyer.ts';
import { Latencies } from './latencies.ts';

type Reply = 'hang up' | { readonly status: number; readonly body: object; readonly retryAfter?: number };

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly key: string | undefined;
  readonly body: string;
}

/** Gives the replies in turn, the last one for ever, and keeps what was asked. */
async function scriptedApi(replies: readonly Reply[]) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => void answer(request, response));
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const reply = replies[Math.min(seen.length, replies.length - 1)] ?? 'hang up';
    const key = request.headers['idempotency-key'];
    seen.push({ method: request.method ?? '', path: request.url ?? '', key: String(key), body });
    if (reply === 'hang up') return void request.socket.destroy();
    if (reply.retryAfter !== undefined) response.setHeader('retry-after', reply.retryAfter);
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(JSON.stringify(reply.body));
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const api = new BookingApi(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 4);
  const journal = new Journal();
  onTestFinished(async () => {
    await api.close();
    server.close();
  });
  return { buyer: new Buyer(api, journal, new Latencies()), journal, seen };
}

const request: ReservationRequest = {
  userId: 'ada',
  eventId: 'gala',
  idempotencyKey: 'key-1',
  seatIds: ['gala:A-1-1'],
  card: 'good',
};
const accepted: Reply = {
  status: 202,
  body: {
    reservationId: 'order-1',
    token: 'token-1',
    statusUrl: '/reservations/token-1',
    seats: [{ seatId: 'gala:A-1-1', reservationId: 'reservation-1' }],
  },
};
const problem = (status: number, code: string): Reply => ({ status, body: { code }, retryAfter: 0 });
const order: Order = {
  orderId: 'order-1',
  reservationIds: ['reservation-1'],
  token: 'token-1',
  statusUrl: '/reservations/token-1',
  request,
  acceptedAt: performance.now(),
};

describe('a buyer', () => {
  it('asks with the same key until there is an answer that settles it, and keeps all of them', async () => {
    const { buyer, journal, seen } = await scriptedApi([
      problem(503, 'RESERVATION_UNKNOWN'),
      'hang up',
      problem(409, 'IDEMPOTENCY_IN_FLIGHT'),
      problem(503, 'SEAT_LOCK_UNAVAILABLE'),
      accepted,
    ]);
    expect(await buyer.reserve(request)).toMatchObject({ kind: 'accepted', order: { orderId: 'order-1' } });
    expect(new Set(seen.map((one) => one.key))).toEqual(new Set(['key-1']));
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
      userId: 'ada',
      seats: ['gala:A-1-1'],
      payment: { method: 'card', cardToken: 'tok_ok' },
    });
    expect(journal.entries.map((entry) => (entry.request === 'reserve' ? entry.outcome.kind : ''))).toEqual([
      'unknown',
      'unknown',
      'unknown',
      'refused',
      'accepted',
    ]);
    expect(journal.entries.at(-1)).toMatchObject({
      userId: 'ada',
      outcome: { orderId: 'order-1', reservationIds: ['reservation-1'] },
    });
  });

  it.each([
    ['SEAT_TAKEN', 409],
    ['PAYMENT_DECLINED', 402],
    ['IDEMPOTENCY_MISMATCH', 422],
    ['VALIDATION', 400],
  ])('takes %s for an answer', async (code, status) => {
    const { buyer, journal, seen } = await scriptedApi([problem(status, code)]);
    expect(await buyer.reserve(request)).toEqual({ kind: 'refused', status, code });
    expect(seen).toHaveLength(1);
    expect(journal.entries).toMatchObject([{ outcome: { kind: 'refused', status, code } }]);
  });

  it('does not take a 202 without its fields, or an error without a code, for settled', async () => {
    const { buyer, journal } = await scriptedApi([
      { status: 202, body: { reservationId: 'order-1' } },
      accepted,
    ]);
    await buyer.reserve(request);
    expect(journal.entries[0]).toMatchObject({ outcome: { kind: 'unknown' } });
    const bare = await scriptedApi([{ status: 500, body: {} }]);
    await bare.buyer.reserve(request);
    expect(bare.journal.entries).toMatchObject([{ outcome: { kind: 'unknown', why: 'NO_CODE' } }]);
  });

  it('follows an order to its end, through answers that fail', async () => {
    const status = (value: string): Reply => ({ status: 200, body: { status: value, nextPollMs: 1 } });
    const { buyer, journal } = await scriptedApi([
      status('PENDING'),
      problem(503, 'STATUS_UNAVAILABLE'),
      'hang up',
      status('CONFIRMED'),
    ]);
    expect(await buyer.follow(order)).toBe('CONFIRMED');
    expect(journal.entries).toMatchObject([{ request: 'status', orderId: 'order-1', status: 'CONFIRMED' }]);
  });

  it('gives an order back, asking again while the answer is open', async () => {
    const { buyer, journal, seen } = await scriptedApi([
      problem(503, 'RESERVATION_UNKNOWN'),
      { status: 202, body: { reservationId: 'order-1' } },
    ]);
    expect(await buyer.cancel(order)).toBe(true);
    expect(seen).toMatchObject([
      { method: 'DELETE', path: '/reservations/token-1' },
      { method: 'DELETE', path: '/reservations/token-1' },
    ]);
    expect(journal.entries.map((entry) => entry.request === 'cancel' && entry.accepted)).toEqual([
      false,
      true,
    ]);
    const unknown = await scriptedApi([problem(404, 'NOT_FOUND')]);
    expect(await unknown.buyer.cancel(order)).toBe(false);
  });
});
