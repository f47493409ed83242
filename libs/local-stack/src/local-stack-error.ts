/**
 * Every refusal of this library. `code` is stable and may be compared; `hint` says what to do next.
 */
export type LocalStackErrorCode =
  | 'FOLDER_IN_USE'
  | 'PORT_IN_USE'
  | 'POSTGRES_BINARIES_MISSING'
  | 'POSTGRES_INITDB_FAILED'
  | 'REDIS_NOT_INSTALLED'
  | 'REDIS_FETCH_FAILED'
  | 'APP_NOT_BUILT'
  | 'PROCESS_ENDED_EARLY'
  | 'NOT_READY_IN_TIME'
  | 'DID_NOT_STOP'
  | 'LAYOUT_MISMATCH'
  | 'EXTERNAL_SERVICE_INVALID'
  | 'TEST_SERVICES_INVALID'
  | 'NO_CONTAINER_ENGINE'
  | 'NO_FREE_REDIS_DATABASE'
  | 'STOPPED_WHILE_STARTING'
  | 'LOCK_NOT_FREE_IN_TIME';

export interface LocalStackErrorOptions {
  readonly hint: string;
  readonly cause?: unknown;
}

export class LocalStackError extends Error {
  readonly code: LocalStackErrorCode;
  /** What happened, without code and hint. */
  readonly what: string;
  readonly hint: string;

  constructor(code: LocalStackErrorCode, what: string, options: LocalStackErrorOptions) {
    super(
      `${what} [${code}] ${options.hint}`,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = 'LocalStackError';
    this.code = code;
    this.what = what;
    this.hint = options.hint;
  }
}
