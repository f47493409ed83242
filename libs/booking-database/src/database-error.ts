/**
 * Tells what is wrong with a server, or with the way to it, from what is wrong with the values of a statement. The first is
 * waited out: the same call may be made again, also when it is not known whether the transaction was committed, since every
 * statement here that changes something may be repeated. Only for the second may a record be called impossible. So what
 * is not surely about values is not: a worker that meets a wrong password, a table that is not there yet or a connection that
 * was closed because it stood still must not send the sales of the hour to the dead letters.
 */

/** Classes of SQLSTATE, by their first letters, that speak of the values a statement was given. */
const STATES_OF_VALUES = [
  '21', // cardinality
  '22', // data: out of range, not encodable
  '23', // constraint
  '54', // too large for the server
];

/** No class of SQLSTATE begins with the E of system errors. */
const SQLSTATE = /^[0-9FHPX][0-9A-Z]{4}$/;

/** What pg says when a connection is lost or does not come, which carries no code. */
const LOST_CONNECTION =
  /connection terminated|connection ended|connection has been discarded|timeout exceeded when trying to connect|query read timeout|client has encountered a connection error|client was closed|cannot use a pool after|server closed the connection/i;

export function isTransientDatabaseError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof ConcurrentChangeError) return true;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  if (code === null) return LOST_CONNECTION.test(error.message);
  if (SQLSTATE.test(code)) return !STATES_OF_VALUES.some((state) => code.startsWith(state));
  // Node's own: those that begin with ERR_ are mistakes of a caller, except those of TLS.
  return !code.startsWith('ERR_') || code.startsWith('ERR_TLS');
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
