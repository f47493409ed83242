import { ProtocolError, type ProtocolErrorCode } from '../protocol-error.ts';

/** Code of the ProtocolError that `act` throws, or null if it throws nothing. Any other error passes on. */
export function refusal(act: () => unknown): ProtocolErrorCode | null {
  try {
    act();
    return null;
  } catch (error) {
    if (error instanceof ProtocolError) return error.code;
    throw error;
  }
}
