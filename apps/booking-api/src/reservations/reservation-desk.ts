/**
 * Sells seats: lock them, check the payment, publish one event for each, answer. Nothing here asks the database, which
 * decides later; what is answered is a promise that there will be an outcome.
 *
 * Whatever fails, one of three things is done with the lock, and the buyer's next request under the same key finds it so:
 * - surely nothing was published: the seats and the key are free again, the payment is given back;
 * - something may have been published: the seats are kept, and the same key takes the same attempt up, under the same ids;
 * - published: the answer is kept under the key.
 * An attempt that was taken up again may have been published by the run before, so it is never released for a failure.
 */
import {
  BookingProblem,
  normalizeSeatChoice,
  orderIdOf,
  requestFingerprint,
  reservationCreatedEvents,
  reservationIdOf,
  signStatusToken,
  type PlacedOrder,
} from '@seatlog/booking';
import type { Logger } from '@seatlog/observability';
import type { Attempt, SeatLock } from '@seatlog/seat-lock';
import type { ApiMetrics } from '../api-metrics.ts';
import type { Catalogue, EventEntry } from '../catalogue/catalogue.ts';
import type { PaymentGateway, PaymentResult } from '../payments/payment-gateway.ts';
import type { ReservationPublisher } from './reservation-publisher.ts';
import { refusalOf } from './refusals.ts';
import { StepClock } from './step-clock.ts';
import type { AcceptedReservation, ReserveBody } from './reservation-schemas.ts';

export interface ReserveCommand extends ReserveBody {
  readonly eventId: string;
  readonly idempotencyKey: string;
}

export interface ReserveAnswer {
  /** JSON text of an AcceptedReservation. */
  readonly body: string;
  /** It was answered before. */
  readonly replayed: boolean;
}

export interface ReservationDeskOptions {
  readonly catalogue: Catalogue;
  readonly seatLock: Pick<SeatLock, 'acquire' | 'complete' | 'markUnknown' | 'release'>;
  readonly payments: PaymentGateway;
  readonly publisher: ReservationPublisher;
  readonly metrics: ApiMetrics;
  readonly logger: Logger;
  readonly tokenSecret: string;
  readonly paymentTimeoutMs: number;
  /** Told when the seats of an event are not known in Redis. */
  readonly onWarming: () => void;
  readonly now: () => number;
  readonly monotonic: () => number;
}

/** One run of one request, from the lock on. */
interface Run {
  readonly command: ReserveCommand;
  readonly order: PlacedOrder;
  readonly attempt: Attempt;
  /** An earlier run may have published it. */
  readonly resumed: boolean;
  /** The attempt began with another request, which may have been paid in another way. */
  readonly joined: boolean;
  readonly clock: StepClock;
}

export class ReservationDesk {
  readonly #options: ReservationDeskOptions;

  constructor(options: ReservationDeskOptions) {
    this.#options = options;
  }

  /** Refusals are BookingProblems; a SeatLockError says that Redis is away. */
  async reserve(command: ReserveCommand): Promise<ReserveAnswer> {
    const { metrics, monotonic } = this.#options;
    const clock = new StepClock(metrics, monotonic);
    try {
      const answer = await this.#reserve(command, clock);
      metrics.answered(answer.replayed ? 'replayed' : 'accepted');
      return answer;
    } catch (error) {
      metrics.answered(error instanceof BookingProblem ? error.code : 'failed');
      throw error;
    } finally {
      clock.end();
    }
  }

  async #reserve(command: ReserveCommand, clock: StepClock): Promise<ReserveAnswer> {
    const { seatLock, onWarming } = this.#options;
    const { eventId, userId, idempotencyKey, payment } = command;
    const entry = this.#entryOf(eventId);
    const seatIds = choiceOf(command, entry);
    const { method, cardToken } = payment;
    const orderId = orderIdOf({ userId, eventId, idempotencyKey });
    const fingerprint = requestFingerprint([method, cardToken, ...seatIds]);
    clock.begin('lock');
    const result = await seatLock.acquire({
      eventId,
      userId,
      idempotencyKey,
      orderId,
      fingerprint,
      seatIds,
    });
    clock.pause();
    if (result.kind === 'completed') return { body: result.response, replayed: true };
    if (result.kind === 'warming') onWarming();
    if (!('attempt' in result)) throw refusalOf(result);
    const { kind, attempt } = result;
    const order = orderOf(attempt, command, entry);
    const run = { command, order, attempt, resumed: kind !== 'acquired', joined: kind === 'joined', clock };
    return kind === 'sold' ? this.#answerAgain(run) : this.#sell(run);
  }

  #entryOf(eventId: string): EventEntry {
    const { catalogue } = this.#options;
    if (!catalogue.isLoaded) throw new BookingProblem('SEAT_MAP_WARMING');
    const entry = catalogue.find(eventId);
    if (entry === undefined) throw new BookingProblem('NOT_FOUND', `There is no event ${eventId}`);
    return entry;
  }

  async #sell(run: Run): Promise<ReserveAnswer> {
    const { publisher, logger, now } = this.#options;
    const { order, attempt, resumed, clock } = run;
    const { orderId } = order;
    clock.begin('payment');
    const payment = await this.#pay(run);
    clock.pause();
    if (payment.kind === 'declined') {
      // Asked again about the same payment a provider answers the same, so nothing was sold; of another card that says nothing.
      if (run.joined) return this.#leaveOpen(run);
      await this.#release(run);
      logger.info({ reservationId: orderId, reason: payment.reason }, 'payment declined');
      throw new BookingProblem('PAYMENT_DECLINED', undefined, { members: { reason: payment.reason } });
    }
    const events = reservationCreatedEvents(order, {
      paymentReference: payment.reference,
      lockedUntil: attempt.lockedUntil,
      occurredAt: now(),
    });
    clock.begin('publish');
    const outcome = await publisher.publish(events);
    clock.pause();
    if (outcome.kind === 'not-written') return this.#giveUp(run, 'RESERVATION_NOT_WRITTEN');
    if (outcome.kind === 'unknown') return this.#leaveOpen(run);
    const body = JSON.stringify(this.#acceptanceOf(run, events));
    await this.#complete(attempt, body);
    // Routine goes unsaid: a line for each would be a sixth of what a reservation costs here. The record itself says it.
    const fields = { reservationId: orderId, resumed, records: outcome.records };
    logger[resumed ? 'info' : 'debug'](fields, 'reservation accepted');
    return { body, replayed: false };
  }

  /** It was paid and published, and Redis has lost the answer: nothing of it is done a second time. */
  async #answerAgain(run: Run): Promise<ReserveAnswer> {
    const { orderId, seats } = run.order;
    const written = seats.map(({ seatId }) => ({ seatId, reservationId: reservationIdOf(orderId, seatId) }));
    const body = JSON.stringify(this.#acceptanceOf(run, written));
    await this.#complete(run.attempt, body);
    this.#options.logger.info({ reservationId: orderId }, 'a lost answer was given again');
    return { body, replayed: true };
  }

  async #pay(run: Run): Promise<PaymentResult> {
    const { payments, paymentTimeoutMs, logger } = this.#options;
    const { order, attempt, command } = run;
    const { orderId, userId, currency } = order;
    const amount = totalOf(order);
    // Named by the attempt's token: a run that takes the attempt up again asks about the same payment.
    const request = { attemptId: attempt.token, orderId, userId, amount, currency, ...command.payment };
    // Not AbortSignal.timeout: its timer would outlive the request, thousands of them at a time.
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), paymentTimeoutMs);
    try {
      return await payments.authorize(request, deadline.signal);
    } catch (error) {
      const cause = messageOf(error);
      logger.warn({ cause, reservationId: orderId }, 'the payment provider gave no answer');
      return this.#giveUp(run, 'PAYMENT_UNAVAILABLE');
    } finally {
      clearTimeout(timer);
    }
  }

  /** For failures before which this run published nothing. */
  async #giveUp(run: Run, code: 'PAYMENT_UNAVAILABLE' | 'RESERVATION_NOT_WRITTEN'): Promise<never> {
    if (run.resumed) return this.#leaveOpen(run);
    // Not released: another run has taken the attempt up, and the payment with it; or Redis is away, and the same key will.
    if (!(await this.#release(run))) throw new BookingProblem('RESERVATION_UNKNOWN');
    await this.#void(run);
    throw new BookingProblem(code);
  }

  async #leaveOpen(run: Run): Promise<never> {
    const { seatLock, logger } = this.#options;
    const reservationId = run.order.orderId;
    try {
      await seatLock.markUnknown(run.attempt);
    } catch (error) {
      // The lease runs out by itself, and then the same key takes the attempt up.
      const cause = messageOf(error);
      logger.warn({ cause, reservationId }, 'an attempt of unknown outcome could not be marked');
    }
    logger.warn({ reservationId }, 'outcome unknown, seats kept');
    throw new BookingProblem('RESERVATION_UNKNOWN', undefined, { members: { reservationId } });
  }

  async #release(run: Run): Promise<boolean> {
    const { seatLock, logger } = this.#options;
    try {
      return await seatLock.release(run.attempt);
    } catch (error) {
      const fields = { cause: messageOf(error), reservationId: run.order.orderId };
      logger.warn(fields, 'seats could not be released, their lock will run out');
      return false;
    }
  }

  async #void(run: Run): Promise<void> {
    const { payments, logger } = this.#options;
    try {
      await payments.void(run.attempt.token);
    } catch (error) {
      logger.error({ error, reservationId: run.order.orderId }, 'a payment could not be given back');
    }
  }

  async #complete(attempt: Attempt, body: string): Promise<void> {
    const { seatLock, logger } = this.#options;
    try {
      await seatLock.complete(attempt, body);
    } catch (error) {
      // The reservation is written all the same. Should the request come again it publishes the same events, which are
      // recognised as duplicates, and gets the same answer.
      const fields = { cause: messageOf(error), reservationId: attempt.orderId };
      logger.warn(fields, 'an answer could not be kept');
    }
  }

  /** `written`: the reservation of each seat, in the order of the seats. */
  #acceptanceOf(
    { order, attempt }: Run,
    written: readonly { readonly seatId: string; readonly reservationId: string }[],
  ): AcceptedReservation {
    const { orderId, currency, seats } = order;
    const token = signStatusToken(order, this.#options.tokenSecret);
    return {
      reservationId: orderId,
      token,
      statusUrl: `/reservations/${token}`,
      seats: written.map(({ seatId, reservationId }, index) => ({
        seatId,
        reservationId,
        price: { amount: seats[index]?.amount ?? 0, currency },
      })),
      total: { amount: totalOf(order), currency },
      lockedUntil: new Date(attempt.lockedUntil).toISOString(),
    };
  }
}

function choiceOf(command: ReserveCommand, entry: EventEntry): readonly string[] {
  const seatIds = normalizeSeatChoice(command.seats);
  if (seatIds === null) throw new BookingProblem('VALIDATION', 'seats: each seat once');
  const unknown = seatIds.filter((seatId) => !entry.priceOf.has(seatId));
  if (unknown.length === 0) return seatIds;
  throw new BookingProblem('NOT_FOUND', 'Some of these seats are not there', { members: { seats: unknown } });
}

function orderOf(attempt: Attempt, command: ReserveCommand, entry: EventEntry): PlacedOrder {
  const { eventId, userId } = command;
  const seats = attempt.seats.map(({ seatId, epoch }) => ({
    seatId,
    epoch,
    amount: entry.priceOf.get(seatId) ?? 0,
  }));
  return { orderId: attempt.orderId, eventId, userId, currency: entry.event.currency, seats };
}

/** Foreseen failures are logged in a line: while something is away they come with every request. */
function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function totalOf(order: PlacedOrder): number {
  return order.seats.reduce((total, seat) => total + seat.amount, 0);
}
