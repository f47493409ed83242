/** The routes of reservations. What they do stands in the two desks; here is what HTTP makes of it. */
import { Body, Controller, Delete, Get, Header, Headers, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { BookingProblem, eventIdSchema } from '@seatlog/booking';
import type { FastifyReply } from 'fastify';
import { ApiProblems } from '../http/api-problems.ts';
import { OrderDesk } from './order-desk.ts';
import { ReservationDesk } from './reservation-desk.ts';
import {
  acceptedSchema,
  cancellationSchema,
  idempotencyKeySchema,
  reserveBodySchema,
  statusSchema,
  type ReservationStatusView,
  type ReserveBody,
} from './reservation-schemas.ts';

@ApiTags('reservations')
@Controller()
export class ReservationsController {
  readonly #reservations: ReservationDesk;
  readonly #orders: OrderDesk;

  constructor(reservations: ReservationDesk, orders: OrderDesk) {
    this.#reservations = reservations;
    this.#orders = orders;
  }

  @Post('events/:id/reservations')
  @HttpCode(202)
  @Header('content-type', 'application/json; charset=utf-8')
  @ApiOperation({
    summary: 'Reserve 1 to 6 seats, all of them or none',
    description:
      'Answered once the seats are locked, the payment is approved and the reservation is in the log. ' +
      'The outcome follows: ask the status. Repeating a request with its idempotency key never reserves twice.',
  })
  @ApiHeader({
    name: 'Idempotency-Key',
    required: true,
    description: 'One for each order, the same for each repetition of the request; it belongs to its user.',
  })
  @ApiResponse({ status: 202, description: 'Accepted', standardSchema: acceptedSchema })
  @ApiProblems(
    'VALIDATION',
    'PAYMENT_DECLINED',
    'NOT_FOUND',
    'SEAT_TAKEN',
    'IDEMPOTENCY_IN_FLIGHT',
    'IDEMPOTENCY_MISMATCH',
    'OVERLOADED',
    'SEAT_MAP_WARMING',
    'SEAT_LOCK_UNAVAILABLE',
    'PAYMENT_UNAVAILABLE',
    'RESERVATION_NOT_WRITTEN',
    'RESERVATION_UNKNOWN',
    'SHUTTING_DOWN',
  )
  async reserve(
    @Param('id', { schema: eventIdSchema }) eventId: string,
    @Headers('idempotency-key') header: string | undefined,
    @Body({ schema: reserveBodySchema }) body: ReserveBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const idempotencyKey = idempotencyKeyOf(header);
    const answer = await this.#reservations.reserve({ eventId, idempotencyKey, ...body });
    if (answer.replayed) void reply.header('idempotency-replayed', 'true');
    return answer.body;
  }

  @Get('reservations/:token')
  @Header('cache-control', 'no-store')
  @ApiOperation({ summary: 'The state of a reservation' })
  @ApiResponse({ status: 200, description: 'Its state', standardSchema: statusSchema })
  @ApiProblems('NOT_FOUND', 'STATUS_UNAVAILABLE', 'OVERLOADED')
  status(@Param('token') token: string): Promise<ReservationStatusView> {
    return this.#orders.status(token);
  }

  @Delete('reservations/:token')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Give a reservation back, whole',
    description: 'Answered once the cancellation is in the log. Repeating it is safe.',
  })
  @ApiResponse({ status: 202, description: 'Accepted', standardSchema: cancellationSchema })
  @ApiProblems('NOT_FOUND', 'CANCELLATION_UNKNOWN', 'OVERLOADED', 'SHUTTING_DOWN')
  async cancel(@Param('token') token: string): Promise<{ reservationId: string; statusUrl: string }> {
    const order = await this.#orders.cancel(token);
    return { reservationId: order.orderId, statusUrl: `/reservations/${token}` };
  }
}

function idempotencyKeyOf(header: string | undefined): string {
  const parsed = idempotencyKeySchema.safeParse(header);
  if (parsed.success) return parsed.data;
  const issues = [{ field: 'Idempotency-Key', message: 'required: 1 to 128 visible ASCII characters' }];
  throw new BookingProblem('VALIDATION', 'The header Idempotency-Key is missing or malformed', {
    members: { issues },
  });
}
