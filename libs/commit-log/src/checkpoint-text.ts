/**
 * The text form of Kafka's checkpoint files: a version, a count, and that many lines of fields. A file of another
 * form is no checkpoint (null): the caller warns and does without.
 */
const VERSION = '0';

export function encodeCheckpoint(lines: readonly string[]): Uint8Array {
  return new TextEncoder().encode(`${[VERSION, String(lines.length), ...lines].join('\n')}\n`);
}

export function decodeCheckpoint(bytes: Uint8Array, fieldsPerLine: number): string[][] | null {
  const text = new TextDecoder().decode(bytes);
  if (!text.endsWith('\n')) return null;
  const [version, count, ...lines] = text.slice(0, -1).split('\n');
  if (version !== VERSION || count !== String(lines.length)) return null;
  const rows = lines.map((line) => line.split(' '));
  return rows.every((row) => row.length === fieldsPerLine) ? rows : null;
}

/** A whole number of the range that offsets, epochs and partitions have; null for anything else. */
export function parseCount(text: string | undefined): number | null {
  if (text === undefined || !/^\d{1,16}$/.test(text)) return null;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : null;
}
