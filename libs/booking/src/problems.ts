/**
 * Refusals of the HTTP API: one table, from which the responses (RFC 9457 problem documents) and the OpenAPI page are made.
 * Codes are stable; clients switch on `code`, never on `title` or `detail`.
 */
export interface ProblemDefinition {
  readonly status: number;
  readonly title: string;
  /** What the caller can do next. */
  readonly hint: string;
  /** Seconds after which trying again makes sense: the value of Retry-After. */
  readonly retryAfterSeconds?: number;
}

export const problems = {
  VALIDATION: {
    status: 400,
    title: 'The request is not well formed',
    hint: 'Correct the fields named in `issues`.',
  },
  PAYMENT_DECLINED: {
    status: 402,
    title: 'The payment was declined',
    hint: 'The seats are free again. Use another card, with another idempotency key.',
  },
  NOT_FOUND: {
    status: 404,
    title: 'There is no such thing',
    hint: 'Check the id or the token.',
  },
  SEAT_TAKEN: {
    status: 409,
    title: 'Not all of these seats are free',
    hint: 'The seats in `seats` are taken; choose others.',
  },
  IDEMPOTENCY_IN_FLIGHT: {
    status: 409,
    title: 'The same order is being worked on',
    hint: 'Wait, then send the same request with the same idempotency key.',
    retryAfterSeconds: 1,
  },
  IDEMPOTENCY_MISMATCH: {
    status: 422,
    title: 'The idempotency key was used for another request',
    hint: 'Take a fresh idempotency key for each order.',
  },
  INTERNAL: {
    status: 500,
    title: 'Something is broken here',
    hint: 'It is logged. Trying again with the same idempotency key is safe.',
  },
  OVERLOADED: {
    status: 503,
    title: 'More requests than can be served in time',
    hint: 'Nothing was reserved. Wait, then try again with the same idempotency key.',
    retryAfterSeconds: 1,
  },
  SEAT_MAP_WARMING: {
    status: 503,
    title: 'The seat map is being rebuilt',
    hint: 'Nothing was reserved. Wait, then try again with the same idempotency key.',
    retryAfterSeconds: 1,
  },
  SEAT_LOCK_UNAVAILABLE: {
    status: 503,
    title: 'Seats cannot be locked at the moment',
    hint: 'Nothing was sold. Wait, then try again with the same idempotency key.',
    retryAfterSeconds: 2,
  },
  PAYMENT_UNAVAILABLE: {
    status: 503,
    title: 'The payment provider did not answer',
    hint: 'Nothing was sold and the payment is voided. Try again with the same idempotency key.',
    retryAfterSeconds: 2,
  },
  RESERVATION_NOT_WRITTEN: {
    status: 503,
    title: 'The reservation could not be recorded',
    hint: 'Nothing was sold, the seats are free again and the payment is voided. Try again with the same idempotency key.',
    retryAfterSeconds: 2,
  },
  RESERVATION_UNKNOWN: {
    status: 503,
    title: 'It is not known yet whether the reservation was recorded',
    hint: 'The seats are kept for you. Send the same request with the same idempotency key: it resolves to the same reservation.',
    retryAfterSeconds: 2,
  },
  CANCELLATION_UNKNOWN: {
    status: 503,
    title: 'It is not known yet whether the cancellation was recorded',
    hint: 'Send it again: cancelling twice is the same as cancelling once.',
    retryAfterSeconds: 2,
  },
  STATUS_UNAVAILABLE: {
    status: 503,
    title: 'The state cannot be read at the moment',
    hint: 'Nothing is lost. Wait, then ask again.',
    retryAfterSeconds: 2,
  },
  SHUTTING_DOWN: {
    status: 503,
    title: 'This instance is shutting down',
    hint: 'Nothing was reserved. Try again with the same idempotency key: another instance answers.',
    retryAfterSeconds: 1,
  },
} as const satisfies Readonly<Record<string, ProblemDefinition>>;

export type ProblemCode = keyof typeof problems;

/** An RFC 9457 problem document; further members carry what the code is about (`seats`, `issues`, ...). */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ProblemCode;
  readonly detail: string;
  readonly hint: string;
  readonly [member: string]: unknown;
}

/** A refusal on its way to the caller. */
export class BookingProblem extends Error {
  override readonly name = 'BookingProblem';
  readonly code: ProblemCode;
  readonly members: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ProblemCode,
    detail?: string,
    options: {
      readonly members?: Readonly<Record<string, unknown>>;
      readonly retryAfterSeconds?: number;
      readonly cause?: unknown;
    } = {},
  ) {
    const definition: ProblemDefinition = problems[code];
    super(detail ?? definition.title, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.members = options.members ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds ?? definition.retryAfterSeconds;
  }

  get status(): number {
    return problems[this.code].status;
  }

  toDocument(): ProblemDocument {
    const { title, status, hint } = problems[this.code];
    const type = `urn:seatlog:problem:${this.code.toLowerCase().replaceAll('_', '-')}`;
    return { ...this.members, type, title, status, code: this.code, detail: this.message, hint };
  }
}
