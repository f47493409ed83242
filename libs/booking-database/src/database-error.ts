/**
 * Tells passing faults from lasting ones. After a passing fault the same call may be made again, also when it is not known
 * whether the transaction was committed: every statement here that changes something may be repeated.
 */

/** Classes of SQLSTATE, by their first letters, that pass by themselves. */
const PASSING_STATES = [
  '08', // connection
  '40', // serialization failure, deadlock, unknown outcome of a commit
  '53', // too many connections, out of memory, disk full
  '57', // shut down, starting up, cancelled
  '58', // I/O
  '55P03', // lock not available
  '25006', // read-only while failing over
];

const PASSING_CODES = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
];

/** What pg says when a connection is lost or does not come, which carries no code. */
const PASSING_MESSAGES =
  /connection terminated|connection ended|timeout exceeded when trying to connect|query read timeout|client has encountered a connection error|cannot use a pool after|server closed the connection/i;

export function isTransientDatabaseError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof ConcurrentChangeError) return true;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  if (code === null) return PASSING_MESSAGES.test(error.message);
  return PASSING_CODES.includes(code) || PASSING_STATES.some((state) => code.startsWith(state));
}

/** A lock conflict that goes away when the transaction is run again at once. */
export function isConflict(error: unknown): boolean {
  if (error instanceof ConcurrentChangeError) return true;
  if (!(error instanceof Error) || !('code' in error)) return false;
  return error.code === '40001' || error.code === '40P01';
}

export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505';
}

/** Another transaction wrote what this one had read; the transaction has to be run again on what is stored now. */
export class ConcurrentChangeError extends Error {
  override readonly name = 'ConcurrentChangeError';
  readonly code = 'CONCURRENT_CHANGE';
}
