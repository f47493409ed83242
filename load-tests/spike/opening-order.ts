/**
 * One order from end to end before the crowd comes. It waits out what a system that has just started does not serve yet (an
 * empty Redis learns the seat map first), and shows that there is something to measure.
 */
import { CommandError } from '../demo/command-error.ts';
import type { Journal } from '../audit/journal.ts';
import { BookingApi } from '../smoke/booking-api.ts';
import { Buyer } from '../smoke/buyer.ts';
import { Latencies } from '../smoke/latencies.ts';

export interface OpeningOrder {
  readonly bookingApiUrl: string;
  readonly eventId: string;
  readonly seatId: string;
}

export async function placeOpeningOrder(order: OpeningOrder, journal: Journal): Promise<void> {
  const { bookingApiUrl, eventId, seatId } = order;
  const api = new BookingApi(bookingApiUrl, 1);
  try {
    const buyer = new Buyer(api, journal, new Latencies());
    const userId = `${eventId}-opening`;
    const request = { userId, eventId, idempotencyKey: userId, seatIds: [seatId], card: 'good' } as const;
    const bought = await buyer.reserve(request);
    const status = bought.kind === 'accepted' ? await buyer.follow(bought.order) : JSON.stringify(bought);
    if (status !== 'CONFIRMED') throw new CommandError(`The first order was not confirmed: ${status}`);
  } finally {
    await api.close();
  }
}
