/** Documents which refusals a route gives, from the one table of them. */
import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { problems, type ProblemCode, type ProblemDefinition } from '@seatlog/booking';
import { problemSchema } from '../reservations/reservation-schemas.ts';

export function ApiProblems(...codes: readonly ProblemCode[]): MethodDecorator {
  const byStatus = Map.groupBy(codes, (code) => problems[code].status);
  const responses = [...byStatus].map(([status, ofStatus]) =>
    ApiResponse({ status, description: ofStatus.map(describe).join('\n\n'), standardSchema: problemSchema }),
  );
  return applyDecorators(...responses);
}

function describe(code: ProblemCode): string {
  const { title, hint, retryAfterSeconds }: ProblemDefinition = problems[code];
  const retry = retryAfterSeconds === undefined ? '' : ' Comes with Retry-After.';
  return `\`${code}\`: ${title}. ${hint}${retry}`;
}
