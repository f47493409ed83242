/**
 * What a reservation costs at the least: a Fastify route, as a child process, that takes the seat by the same Redis calls and
 * produces the same event by the same client as the booking API, and gives and keeps an answer of the same size, with nothing
 * in place of the signature. It checks no input, signs nothing, keeps no catalogue, counts and logs nothing.
 *
 *     raw-server.ts <redis url> <brokers>
 */
import { randomUUID } from 'node:crypto';
import { reservationEvents, type ReservationCreated } from '@seatlog/booking';
import { createClient } from '@seatlog/kafka-client';
import { type Attempt, SeatLock } from '@seatlog/seat-lock';
import { fastify } from 'fastify';

interface Body {
  readonly userId: string;
  readonly seats: readonly [string];
}

interface Route {
  Params: { id: string };
  Headers: { 'idempotency-key': string };
  Body: Body;
}

const CURRENCY = 'EUR';
const PRICE = 4500;
/** As long as the API's is for an order of one seat. */
const TOKEN = 'x'.repeat(180);

const [redisUrl = '', brokers = ''] = process.argv.slice(2);
const seatLock = await SeatLock.connect({ url: redisUrl, clientName: 'raw', lockTtlMs: 120_000 });
const producer = createClient({ brokers, clientId: 'raw' }).producer({ acks: 'all' });

const server = fastify();
server.post<Route>('/events/:id/reservations', async (request, reply) => {
  const { id: eventId } = request.params;
  const { userId, seats } = request.body;
  const idempotencyKey = request.headers['idempotency-key'];
  const orderId = randomUUID();
  const result = await seatLock.acquire({
    eventId,
    userId,
    idempotencyKey,
    orderId,
    fingerprint: idempotencyKey,
    seatIds: seats,
  });
  if (result.kind !== 'acquired') return reply.code(409).send(result.kind);
  const event = eventOf(eventId, userId, result.attempt);
  await producer.send({
    topic: reservationEvents,
    key: event.seatId,
    value: event,
    timestamp: event.occurredAt,
  });
  const body = JSON.stringify(answerTo(event));
  await seatLock.complete(result.attempt, body);
  return reply.code(202).type('application/json; charset=utf-8').send(body);
});

function eventOf(eventId: string, userId: string, attempt: Attempt): ReservationCreated {
  const { seats, orderId, lockedUntil } = attempt;
  const { seatId = '', epoch = 0 } = seats[0] ?? {};
  return {
    type: 'ReservationCreated',
    version: 1,
    reservationId: randomUUID(),
    orderId,
    eventId,
    seatId,
    userId,
    epoch,
    price: { amount: PRICE, currency: CURRENCY },
    orderSeats: [{ seatId, epoch, amount: PRICE }],
    paymentReference: `raw_${attempt.token}`,
    lockedUntil,
    occurredAt: Date.now(),
  };
}

function answerTo({ orderId, seatId, reservationId, price, lockedUntil }: ReservationCreated) {
  return {
    reservationId: orderId,
    token: TOKEN,
    statusUrl: `/reservations/${TOKEN}`,
    seats: [{ seatId, reservationId, price }],
    total: price,
    lockedUntil: new Date(lockedUntil).toISOString(),
  };
}

await server.listen({ port: 0, host: '127.0.0.1' });
const address = server.server.address();
const port = typeof address === 'object' && address !== null ? address.port : 0;
process.stdout.write(`${JSON.stringify({ port })}\n`);
process.on('SIGTERM', () => process.exit(0));
