/**
 * Text that comes again and again on the wire: topic names, client ids. Short ASCII text is looked up by its bytes, so
 * that the same name is the same string each time, with its hash at hand: nothing is made, and a map finds it at once.
 * The table is small and of a fixed size; text that meets other text in its slot takes its place.
 */

const SLOTS = 512;
const LONGEST_BYTES = 64;
const texts: string[] = new Array<string>(SLOTS).fill('');

/** The text of `bytes[start, end)`; null where it is too long for the table, or not ASCII. */
export function knownText(bytes: Uint8Array, start: number, end: number): string | null {
  const length = end - start;
  if (length > LONGEST_BYTES) return null;
  let hash = length;
  let all = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    all |= byte;
    hash = (Math.imul(hash, 31) + byte) | 0;
  }
  if (all >= 0x80) return null;
  const slot = (hash ^ (hash >>> 9)) & (SLOTS - 1);
  const known = texts[slot] as string;
  if (known.length === length && isTextOf(known, bytes, start)) return known;
  const text = textOf(bytes, start, end);
  texts[slot] = text;
  return text;
}

function isTextOf(text: string, bytes: Uint8Array, start: number): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) !== bytes[start + i]) return false;
  return true;
}

function textOf(bytes: Uint8Array, start: number, end: number): string {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return buffer.toString('latin1', start, end);
}
