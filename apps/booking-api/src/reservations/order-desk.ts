/**
 * What a buyer can do with a token: ask for the state of the order, give it back. The token says what the order is, so a
 * valid one with no row yet is PENDING, and cancelling needs no database either.
 */
import {
  BookingProblem,
  reservationCancelledEvents,
  reservationIdOf,
  verifyStatusToken,
  type PlacedOrder,
} from '@seatlog/booking';
import type { OrderState } from '@seatlog/booking-database';
import type { Logger } from '@seatlog/observability';
import type { ReservationPublisher } from './reservation-publisher.ts';
import type { ReservationStatusView } from './reservation-schemas.ts';

export interface OrderDeskOptions {
  readonly readOrder: (orderId: string) => Promise<OrderState | null>;
  readonly publisher: ReservationPublisher;
  readonly logger: Logger;
  readonly tokenSecret: string;
  readonly now: () => number;
}

const POLL_MS = 250;

export class OrderDesk {
  readonly #options: OrderDeskOptions;

  constructor(options: OrderDeskOptions) {
    this.#options = options;
  }

  async status(token: string): Promise<ReservationStatusView> {
    const order = this.#orderOf(token);
    try {
      return statusView(order, await this.#options.readOrder(order.orderId));
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      this.#options.logger.warn({ cause, reservationId: order.orderId }, 'a state could not be read');
      throw new BookingProblem('STATUS_UNAVAILABLE', undefined, { cause: error });
    }
  }

  /** Resolves once the cancellation is in the log; it will be carried out, unless the order has ended before. */
  async cancel(token: string): Promise<PlacedOrder> {
    const { publisher, logger, now } = this.#options;
    const order = this.#orderOf(token);
    const outcome = await publisher.publish(reservationCancelledEvents(order, now()));
    const reservationId = order.orderId;
    if (outcome.kind !== 'written') throw new BookingProblem('CANCELLATION_UNKNOWN');
    logger.info({ reservationId, records: outcome.records }, 'cancellation accepted');
    return order;
  }

  #orderOf(token: string): PlacedOrder {
    const order = verifyStatusToken(token, this.#options.tokenSecret);
    if (order === null) throw new BookingProblem('NOT_FOUND', 'There is no reservation with this token');
    return order;
  }
}

function statusView(order: PlacedOrder, state: OrderState | null): ReservationStatusView {
  const { orderId, currency } = order;
  const recorded = new Map(state?.seats.map((seat) => [seat.seatId, seat]));
  const status = state?.status ?? 'PENDING';
  return {
    reservationId: orderId,
    eventId: order.eventId,
    status,
    reason: state?.reason ?? null,
    seats: order.seats.map(({ seatId, amount }) => {
      const seat = recorded.get(seatId);
      return {
        seatId,
        reservationId: reservationIdOf(orderId, seatId),
        status: seat?.status ?? 'PENDING',
        reason: seat?.reason ?? null,
        price: { amount, currency },
        source: seat?.source ?? null,
      };
    }),
    nextPollMs: status === 'PENDING' ? POLL_MS : null,
  };
}
