/** CRC-32C in plain TypeScript, sixteen bytes a step over sixteen tables ("slicing"). */
const POLYNOMIAL = 0x82f6_3b78;
const SLICES = 16;

const TABLE = buildTables();

function buildTables(): Uint32Array {
  const table = new Uint32Array(SLICES * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    table[byte] = crc;
  }
  for (let at = 256; at < table.length; at++) {
    const previous = table[at - 256] as number;
    table[at] = (previous >>> 8) ^ (table[previous & 0xff] as number);
  }
  return table;
}

/** Checksum of `bytes[start, end)`, unsigned. */
export function tableCrc32c(bytes: Uint8Array, start: number, end: number): number {
  let crc = -1;
  let at = start;
  // A view of 32-bit words needs an aligned start.
  while (at < end && ((bytes.byteOffset + at) & 3) !== 0) crc = step(crc, bytes[at++] as number);
  const blocks = (end - at) >>> 4;
  if (blocks > 0 && LITTLE_ENDIAN) {
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset + at, blocks * 4);
    for (let i = 0; i < words.length; i += 4) {
      crc = sixteen(
        crc ^ (words[i] as number),
        words[i + 1] as number,
        words[i + 2] as number,
        words[i + 3] as number,
      );
    }
    at += blocks * 16;
  }
  while (at < end) crc = step(crc, bytes[at++] as number);
  return ~crc >>> 0;
}

const LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

function step(crc: number, byte: number): number {
  return (TABLE[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8);
}

function sixteen(a: number, b: number, c: number, d: number): number {
  return four(a, 15 * 256) ^ four(b, 11 * 256) ^ four(c, 7 * 256) ^ four(d, 3 * 256);
}

function four(word: number, at: number): number {
  return (
    (TABLE[at + (word & 0xff)] as number) ^
    (TABLE[at - 256 + ((word >>> 8) & 0xff)] as number) ^
    (TABLE[at - 512 + ((word >>> 16) & 0xff)] as number) ^
    (TABLE[at - 768 + (word >>> 24)] as number)
  );
}
