/** What can go wrong between us and Redis. A refusal that is part of the rules (seat taken, ...) is a result, not an error. */
export type SeatLockErrorCode =
  /** No connection, no answer in time, or Redis cannot serve now. What was asked may have been done or not. */
  | 'REDIS_UNAVAILABLE'
  /** Redis answered with an error that trying again will not mend. */
  | 'REDIS_REFUSED'
  /** This Redis may throw locks away when memory runs short. */
  | 'REDIS_EVICTS';

export class SeatLockError extends Error {
  override readonly name = 'SeatLockError';
  readonly code: SeatLockErrorCode;
  readonly retriable: boolean;
  /** What to do next, in words. */
  readonly hint: string;

  constructor(code: SeatLockErrorCode, message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retriable = code === 'REDIS_UNAVAILABLE';
    this.hint = hint;
  }
}

// First words of Redis's own errors that pass by themselves.
const PASSING = ['LOADING', 'READONLY', 'MASTERDOWN', 'OOM', 'BUSY', 'TRYAGAIN', 'CLUSTERDOWN', 'NOREPLICAS'];

export function seatLockError(cause: unknown): SeatLockError {
  if (cause instanceof SeatLockError) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  const isReply = cause instanceof Error && cause.name === 'ReplyError';
  if (isReply && !PASSING.some((word) => message.startsWith(word))) {
    return new SeatLockError('REDIS_REFUSED', `Redis refused: ${message}`, 'Look at the cause.', cause);
  }
  const hint = 'Check that Redis runs and that REDIS_URL leads to it; then try again.';
  return new SeatLockError('REDIS_UNAVAILABLE', `Redis does not answer: ${message}`, hint, cause);
}
