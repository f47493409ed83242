/** Why a key or a value could not be turned into bytes or back. The client adds topic, partition and offset. */
export class CodecError extends Error {
  override readonly name = 'CodecError';
  readonly code: 'ENCODE_FAILED' | 'DECODE_FAILED';
  readonly issues: readonly string[];

  constructor(code: 'ENCODE_FAILED' | 'DECODE_FAILED', issues: readonly string[], cause?: unknown) {
    super(issues.join('; '), cause === undefined ? undefined : { cause });
    this.code = code;
    this.issues = issues;
  }
}
