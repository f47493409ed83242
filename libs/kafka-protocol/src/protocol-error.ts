/**
 * The one error of this library: bytes that break the protocol, or a value that cannot be put on the wire.
 * `code` is stable and meant for logs, metrics and tests; the message is for people.
 * A peer that sent such bytes is not worth another word: close the connection.
 */
export type ProtocolErrorCode =
  /** A field reaches past the end of the bytes it lies in. */
  | 'TRUNCATED'
  /** A variable-length integer has more bytes than its type allows. */
  | 'VARINT_TOO_LONG'
  /** A length or count is negative where null is not allowed, or larger than the bytes that are left. */
  | 'COUNT_OUT_OF_BOUNDS'
  /** Null stands where the version has no null. */
  | 'UNEXPECTED_NULL'
  /** A 64-bit integer lies outside ±(2^53 − 1). Never rounded, never clamped. */
  | 'INT64_OUT_OF_RANGE'
  /** More tagged fields in one structure than MAX_TAGS_PER_STRUCT. */
  | 'TOO_MANY_TAGS'
  /** More array elements in one message than MAX_ELEMENTS_PER_MESSAGE. */
  | 'TOO_MANY_ELEMENTS'
  /** A tagged field's content is shorter or longer than its stated size. */
  | 'TAG_SIZE_MISMATCH'
  /** A frame's size prefix is negative. */
  | 'FRAME_SIZE_NEGATIVE'
  /** A frame's size prefix is above the limit. */
  | 'FRAME_TOO_LARGE'
  /** No API with this key is declared here. */
  | 'UNKNOWN_API'
  /** The API is known, this version of it is not. */
  | 'UNSUPPORTED_VERSION'
  /** On encoding: a field that matters is set, and this version has no place for it. */
  | 'FIELD_NOT_IN_VERSION'
  /** On encoding: a value does not fit its field's type. */
  | 'VALUE_OUT_OF_RANGE'
  /** Record bytes inside a batch do not follow the format. */
  | 'RECORD_CORRUPT'
  /** Compressed bytes do not follow their format. */
  | 'COMPRESSED_DATA_CORRUPT'
  /** Decompressed bytes would exceed the limit given (to be answered with MESSAGE_TOO_LARGE). */
  | 'DECOMPRESSED_TOO_LARGE'
  /** A codec number that this library does not know. */
  | 'UNKNOWN_COMPRESSION';

export class ProtocolError extends Error {
  readonly code: ProtocolErrorCode;

  constructor(code: ProtocolErrorCode, message: string) {
    super(message);
    this.name = 'ProtocolError';
    this.code = code;
  }
}
