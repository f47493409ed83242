import { ProtocolError } from '../protocol-error.ts';

export function tooLarge(maxBytes: number): ProtocolError {
  return new ProtocolError('DECOMPRESSED_TOO_LARGE', `decompressed bytes would exceed ${maxBytes}`);
}

export function corrupt(codec: string, reason: string): ProtocolError {
  return new ProtocolError('COMPRESSED_DATA_CORRUPT', `${codec}: ${reason}`);
}

/** What a decompressor of Node threw, in this library's words. */
export function fromZlib(codec: string, error: unknown, maxBytes: number): ProtocolError {
  if (error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
    return tooLarge(maxBytes);
  }
  return corrupt(codec, error instanceof Error ? error.message : String(error));
}
