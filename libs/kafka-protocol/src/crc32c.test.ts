import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32c, crc32cImplementation } from './crc32c.ts';
import { tableCrc32c } from './crc32c-tables.ts';

/** The definition, bit by bit. */
function bitwise(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return ~crc >>> 0;
}

/** RFC 3720, appendix B.4, and the check value of the catalogues. */
const KNOWN: readonly [string, Uint8Array, number][] = [
  ['the digits 1 to 9', Buffer.from('123456789'), 0xe3069283],
  ['32 zero bytes', Buffer.alloc(32, 0x00), 0x8a9136aa],
  ['32 bytes of ones', Buffer.alloc(32, 0xff), 0x62a8ab43],
  ['32 rising bytes', Buffer.from(Array.from({ length: 32 }, (_, i) => i)), 0x46dd794e],
  ['nothing', new Uint8Array(0), 0],
];

describe.each([
  ['crc32c', crc32c],
  ['tableCrc32c', tableCrc32c],
] as const)('%s', (_name, checksum) => {
  it.each(KNOWN)('knows %s', (_what, bytes, expected) => {
    expect(checksum(bytes, 0, bytes.length)).toBe(expected);
  });

  it('K1: agrees with the definition at every length and alignment', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 0, maxLength: 400, size: 'max' }),
        fc.nat({ max: 20 }),
        fc.nat({ max: 20 }),
        (bytes, before, after) => {
          const start = Math.min(before, bytes.length);
          const end = Math.max(start, bytes.length - after);
          expect(checksum(bytes, start, end)).toBe(bitwise(bytes.subarray(start, end)));
        },
      ),
    );
  });
});

it('runs natively where the package has a binary for this platform', () => {
  expect(crc32cImplementation).toBe('native');
});
