/** What an audit can find, by stable names. */
export const rules = {
  'double-sold': 'Two live reservations of one seat.',
  'row-doubled': 'One reservation is recorded more than once.',
  'unknown-seat': 'A reservation of a seat that does not exist.',
  'accepted-lost': 'A 202 was given, and no row tells how it ended.',
  'accepted-not-in-log': 'A 202 was given, and the log does not hold its record.',
  'sold-without-acceptance': 'A seat is sold to a buyer who was not told so.',
  'key-with-two-orders': 'One idempotency key led to two orders.',
  'told-otherwise': 'The last status that a client saw is not what is recorded.',
  'cancellation-lost': 'A cancellation was taken on and the order still stands.',
  'event-without-row': 'A record in the log had no effect.',
  'row-without-event': 'A row tells of a record that the log does not hold.',
  'order-swapped': 'Events of a seat were applied in another order than they stand in the log.',
  'epoch-not-rising': 'The epoch of a seat did not rise from one buyer to the next.',
  'order-unfinished': 'An order has not ended.',
  'order-inconsistent': 'The status of an order does not fit its reservations.',
  'outbox-not-empty': 'A message waits to be published.',
  'refund-missing': 'A reservation ended and was not refunded.',
  'refund-doubled': 'A reservation was refunded more than once.',
  'refund-unfounded': 'A refund without a reservation that ended, or of another amount.',
  'refund-notice-missing': 'A refund was not announced on the log.',
  'dead-letter': 'A record could not be handled.',
  'parked-record': 'A record was set aside.',
  lag: 'A group has not read all.',
  'redis-differs': 'Redis and Postgres differ about a seat.',
} as const;

export type Rule = keyof typeof rules;

export interface Violation {
  readonly rule: Rule;
  readonly message: string;
  /** Seats, orders, reservations, positions that are concerned. */
  readonly ids: readonly string[];
}

export function violation(rule: Rule, message: string, ids: readonly string[]): Violation {
  return { rule, message, ids };
}
