/** What the API takes and gives, as schemas: they check what comes in, and are what the OpenAPI page shows. */
import {
  currencySchema,
  IDEMPOTENCY_KEY_LENGTH,
  moneySchema,
  orderStatuses,
  reservationStatuses,
  seatIdSchema,
  SEATS_PER_ORDER,
  userIdSchema,
} from '@seatlog/booking';
import { z } from 'zod';

export const reserveBodySchema = z
  .object({
    userId: userIdSchema,
    seats: z.array(seatIdSchema).min(1).max(SEATS_PER_ORDER),
    payment: z.object({
      method: z.literal('card'),
      cardToken: z
        .string()
        .min(1)
        .max(128)
        .meta({ examples: ['tok_ok', 'tok_declined'] }),
    }),
  })
  .meta({ id: 'ReservationRequest' });

export type ReserveBody = z.infer<typeof reserveBodySchema>;

export const idempotencyKeySchema = z
  .string()
  .max(IDEMPOTENCY_KEY_LENGTH)
  .regex(/^[\x21-\x7e]+$/);

const instantSchema = z.iso.datetime();

export const acceptedSchema = z
  .object({
    reservationId: z.uuid().meta({ description: 'Id of the order: `orderId` in events and tables' }),
    token: z.string().meta({ description: 'Whoever has it may read and cancel the reservation' }),
    statusUrl: z.string(),
    seats: z.array(z.object({ seatId: seatIdSchema, reservationId: z.uuid(), price: moneySchema })),
    total: moneySchema,
    lockedUntil: instantSchema,
  })
  .meta({ id: 'AcceptedReservation' });

export type AcceptedReservation = z.infer<typeof acceptedSchema>;

export const statusSchema = z
  .object({
    reservationId: z.uuid(),
    eventId: z.string(),
    status: z.enum(orderStatuses),
    reason: z.string().nullable().meta({ description: 'Why it is REJECTED or CANCELLED' }),
    seats: z.array(
      z.object({
        seatId: seatIdSchema,
        reservationId: z.uuid(),
        status: z.enum(['PENDING', ...reservationStatuses]),
        reason: z.string().nullable(),
        price: moneySchema,
        source: z
          .object({ partition: z.int(), offset: z.int() })
          .nullable()
          .meta({ description: 'The record of `reservation-events` by which it came to the database' }),
      }),
    ),
    nextPollMs: z.int().nullable().meta({ description: 'When to ask again; null once the outcome stands' }),
  })
  .meta({ id: 'ReservationStatus' });

export type ReservationStatusView = z.infer<typeof statusSchema>;

export const cancellationSchema = z
  .object({ reservationId: z.uuid(), statusUrl: z.string() })
  .meta({ id: 'AcceptedCancellation' });

export const eventsSchema = z
  .array(
    z.object({
      eventId: z.string(),
      name: z.string(),
      startsAt: instantSchema,
      currency: currencySchema,
      seats: z.int(),
      priceFrom: z.int().nullable(),
    }),
  )
  .meta({ id: 'Events' });

export const seatListSchema = z
  .object({
    eventId: z.string(),
    currency: currencySchema,
    sources: z.object({ database: z.boolean(), seatLock: z.boolean() }),
    seats: z.array(
      z.object({
        seatId: seatIdSchema,
        section: z.string(),
        row: z.string(),
        number: z.int(),
        price: z.int(),
        state: z.enum(['FREE', 'HELD', 'SOLD']),
      }),
    ),
  })
  .meta({ id: 'SeatList' });

export const problemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.string().meta({ description: 'Stable; what to switch on' }),
    detail: z.string(),
    hint: z.string(),
  })
  .meta({ id: 'Problem' });
