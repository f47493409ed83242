/**
 * The events of ticketing, one record each. `epoch` is the fencing number of the seat lock under which the seat was taken:
 * it rises with every acquisition of that seat, so that a late event of an earlier holder can be told from the current one.
 */
import { z } from 'zod';
import { SEATS_PER_ORDER, USER_ID_LENGTH } from './limits.ts';
import { amountSchema, moneySchema } from './money.ts';
import { eventIdSchema, seatIdSchema } from './seat-id.ts';

const epochSchema = z.int().positive();
/** Milliseconds since the epoch. */
const instantSchema = z.int().nonnegative();

// No blanks, no control characters, no `|`: user ids stand in Redis values whose fields are parted by it.
export const userIdSchema = z
  .string()
  .max(USER_ID_LENGTH)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._@+-]*$/, 'letters, digits and . _ @ + -');

/** One seat of an order, as every event of that order lists them all. */
export const orderSeatSchema = z.object({ seatId: seatIdSchema, epoch: epochSchema, amount: amountSchema });

const ofOneSeat = {
  version: z.literal(1),
  reservationId: z.uuid(),
  orderId: z.uuid(),
  eventId: eventIdSchema,
  seatId: seatIdSchema,
  userId: userIdSchema,
  epoch: epochSchema,
  occurredAt: instantSchema,
  price: moneySchema,
};

/** The whole order, so that whoever sees one event of it knows what else was paid for. Sorted by seat id. */
const orderSeats = z.array(orderSeatSchema).min(1).max(SEATS_PER_ORDER);

/** The seat was locked and paid for. The database decides whether the buyer gets it. */
export const reservationCreatedSchema = z.object({
  type: z.literal('ReservationCreated'),
  ...ofOneSeat,
  orderSeats,
  paymentReference: z.string().min(1).max(128),
  lockedUntil: instantSchema,
});

/** The buyer gives the whole order back; one event for each of its seats. */
export const reservationCancelledSchema = z.object({
  type: z.literal('ReservationCancelled'),
  ...ofOneSeat,
  orderSeats,
});

/** Money is owed for one seat: it was cancelled, or the order could not be had. */
export const refundRequestedSchema = z.object({
  type: z.literal('RefundRequested'),
  ...ofOneSeat,
  /** One refund for each reservation: derived from the reservation id, the key by which it is applied once. */
  refundId: z.uuid(),
  reason: z.string().min(1).max(64),
  /** null if the cancellation overtook the creation, which knows it: look the payment up by order id. */
  paymentReference: z.string().min(1).max(128).nullable(),
});

/** What stands on the topic of reservations. */
export const reservationEventSchema = z.discriminatedUnion('type', [
  reservationCreatedSchema,
  reservationCancelledSchema,
]);

export type OrderSeat = z.infer<typeof orderSeatSchema>;
export type ReservationCreated = z.infer<typeof reservationCreatedSchema>;
export type ReservationCancelled = z.infer<typeof reservationCancelledSchema>;
export type ReservationEvent = z.infer<typeof reservationEventSchema>;
export type RefundRequested = z.infer<typeof refundRequestedSchema>;
