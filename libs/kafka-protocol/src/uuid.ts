/**
 * Kafka shows its 16-byte ids as 22 characters of URL-safe base64 without padding; that text is the value everywhere
 * in this code, so that ids can be compared and used as keys.
 */
import { ProtocolError } from './protocol-error.ts';

/** Stands for "no id". */
export const ZERO_UUID = 'AAAAAAAAAAAAAAAAAAAAAA';

const UUID_BYTES = 16;
const UUID_TEXT = /^[A-Za-z0-9_-]{22}$/;

/** Text of the 16 bytes at `position`; the caller has checked that they are there. */
export function uuidFromBytes(bytes: Uint8Array, position = 0): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + position, UUID_BYTES).toString('base64url');
}

/** Writes the 16 bytes of an id's text at `position`. Refuses text that is not an id. */
export function writeUuid(target: Uint8Array, position: number, text: string): void {
  if (!UUID_TEXT.test(text)) {
    throw new ProtocolError('VALUE_OUT_OF_RANGE', `"${text}" is not a 22-character base64url id`);
  }
  Buffer.from(target.buffer, target.byteOffset + position, UUID_BYTES).write(text, 'base64url');
}

/** The 16 bytes of an id's text. */
export function uuidToBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(UUID_BYTES);
  writeUuid(bytes, 0, text);
  return bytes;
}
