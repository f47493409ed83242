/** Every refusal leaves as a problem document. What was not foreseen is logged and told to nobody. */
import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { BookingProblem } from '@seatlog/booking';
import type { Logger } from '@seatlog/observability';
import { SeatLockError } from '@seatlog/seat-lock';
import type { FastifyReply } from 'fastify';

@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  catch(error: unknown, host: ArgumentsHost): void {
    void sendProblem(host.switchToHttp().getResponse<FastifyReply>(), this.#problemOf(error));
  }

  #problemOf(error: unknown): BookingProblem {
    if (error instanceof BookingProblem) return error;
    if (error instanceof SeatLockError && error.retriable) {
      // Without its stack: while Redis is away this line comes with every request.
      this.#logger.warn({ code: error.code, cause: error.message }, 'seats cannot be locked');
      return new BookingProblem('SEAT_LOCK_UNAVAILABLE', undefined, { cause: error });
    }
    const status = statusOf(error);
    if (status === 404) return new BookingProblem('NOT_FOUND', 'There is no such route');
    if (status !== null && status >= 400 && status < 500) {
      return new BookingProblem('VALIDATION', error instanceof Error ? error.message : undefined);
    }
    this.#logger.error({ error }, 'a request failed for a reason that was not foreseen');
    return new BookingProblem('INTERNAL');
  }
}

export function sendProblem(reply: FastifyReply, problem: BookingProblem): FastifyReply {
  void reply.status(problem.status).header('content-type', 'application/problem+json; charset=utf-8');
  if (problem.retryAfterSeconds !== undefined) {
    void reply.header('retry-after', String(problem.retryAfterSeconds));
  }
  return reply.send(JSON.stringify(problem.toDocument()));
}

/** Of Nest's own exceptions, and of Fastify's (a body that is too large, or no JSON). */
function statusOf(error: unknown): number | null {
  if (error instanceof HttpException) return error.getStatus();
  const isObject = typeof error === 'object' && error !== null;
  return isObject && 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : null;
}
