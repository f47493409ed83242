/**
 * The one error that this client throws. `code` is stable: one of the client's own codes below, or the name of the broker's
 * error as Kafka's documentation spells it (`NOT_LEADER_OR_FOLLOWER`, `TOPIC_AUTHORIZATION_FAILED`, ...).
 */
export type ClientErrorCode =
  | 'ABORTED'
  | 'API_NOT_SUPPORTED'
  | 'BUFFER_EXHAUSTED'
  | 'CLIENT_CLOSED'
  | 'CONNECTION_CLOSED'
  | 'CONNECTION_FAILED'
  | 'DECODE_FAILED'
  | 'DELIVERY_TIMEOUT'
  | 'ENCODE_FAILED'
  | 'INVALID_ARGUMENT'
  | 'INVALID_CONFIGURATION'
  | 'LEADER_UNKNOWN'
  | 'LOG_TRUNCATED'
  | 'MALFORMED_RESPONSE'
  | 'MAX_POLL_INTERVAL_EXCEEDED'
  | 'METADATA_TIMEOUT'
  | 'NO_COMMITTED_OFFSET'
  | 'NOT_ASSIGNED'
  | 'PARTIAL_FAILURE'
  | 'REBALANCE_CALLBACK_FAILED'
  | 'RECORD_TOO_LARGE'
  | 'REQUEST_TIMEOUT';

/**
 * Whether the records of a failed send are in the log. `not-written`: surely not, they may be sent anew without a fear of
 * doubling. `unknown`: a broker may have written them; whoever sends them anew may write them twice.
 */
export type WriteOutcome = 'not-written' | 'unknown';

export interface KafkaClientErrorDetails {
  /** Whether the same call may succeed later without anything being changed. */
  readonly retriable: boolean;
  /** What to do next, in words. */
  readonly hint: string;
  /** Given for every failed send, absent for anything else. */
  readonly outcome?: WriteOutcome | undefined;
  readonly cause?: unknown;
}

export class KafkaClientError extends Error {
  override readonly name: string = 'KafkaClientError';
  // `string & {}` keeps completion for the client's own codes while admitting every name of Kafka's table.
  readonly code: ClientErrorCode | (string & {});
  readonly retriable: boolean;
  readonly hint: string;
  readonly outcome: WriteOutcome | undefined;

  constructor(code: ClientErrorCode | (string & {}), message: string, details: KafkaClientErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.retriable = details.retriable;
    this.hint = details.hint;
    this.outcome = details.outcome;
  }
}

/** What became of a run of neighbouring records of a batch that was not written as a whole. */
export interface FailedRange {
  /** Index of the first record of the run, in the array given to `sendBatch`. */
  readonly firstIndex: number;
  readonly count: number;
  readonly partition: number | null;
  readonly error: KafkaClientError;
}

/**
 * `sendBatch` failed for some or all of its records. `outcome` is `not-written` only if not one of them was written and
 * none may have been; `failures` tells it run by run, and a record in no run was written.
 */
export class BatchSendError extends KafkaClientError {
  override readonly name: string = 'BatchSendError';
  readonly failures: readonly FailedRange[];

  constructor(
    code: ClientErrorCode | (string & {}),
    message: string,
    details: KafkaClientErrorDetails & { readonly failures: readonly FailedRange[] },
  ) {
    super(code, message, details);
    this.failures = details.failures;
  }
}

/** One failed item of an administrative call: a topic, a group, a partition (`orders-3`), a config resource. */
export interface FailedItem {
  readonly item: string;
  readonly error: KafkaClientError;
}

/** An administrative call failed for some of its items; those not named here have been done. */
export class AdminError extends KafkaClientError {
  override readonly name: string = 'AdminError';
  readonly failures: readonly FailedItem[];

  constructor(
    code: ClientErrorCode | (string & {}),
    message: string,
    details: KafkaClientErrorDetails & { readonly failures: readonly FailedItem[] },
  ) {
    super(code, message, details);
    this.failures = details.failures;
  }
}
