/**
 * What can be wrong with a metadata log. None of these is answered to a client: they stop the node, because going on
 * would make decisions on a state that the cluster never had.
 */
export type MetadataErrorCode =
  /** A record does not fit the image it is applied to: records are missing, doubled or from another log. */
  | 'FOLD_MISMATCH'
  /** A record of a type or version that this node does not know: it was written by a later release. */
  | 'UNKNOWN_RECORD'
  /** Bytes that are no metadata record or batch. */
  | 'MALFORMED_RECORD'
  /** A snapshot without header or footer, or with records after its footer. */
  | 'INCOMPLETE_SNAPSHOT'
  /** The quorum went on without records that were committed: a voter lost what it had synced. */
  | 'COMMITTED_RECORDS_LOST';

const hints: Readonly<Record<MetadataErrorCode, string>> = {
  FOLD_MISMATCH:
    'Keep a copy of the metadata directory; restore it from a backup or from another controller.',
  UNKNOWN_RECORD: 'Start a release that is at least as recent as the one that wrote this log.',
  MALFORMED_RECORD:
    'Keep a copy of the metadata directory; restore it from a backup or from another controller.',
  INCOMPLETE_SNAPSHOT: 'Delete that .checkpoint file if an older one and the log up to it are still there.',
  COMMITTED_RECORDS_LOST:
    'Keep copies of all metadata directories; find the controller whose directory was lost or replaced, and restore it.',
};

export class MetadataError extends Error {
  override readonly name = 'MetadataError';
  readonly code: MetadataErrorCode;
  readonly hint: string;

  constructor(code: MetadataErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.hint = hints[code];
  }
}
