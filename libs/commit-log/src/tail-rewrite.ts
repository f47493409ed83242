/**
 * Bytes that were found in a file and may be in the page cache alone: what a failed sync leaves there counts as clean, so
 * that another one succeeds and saves nothing. Written once more as they are, they are what the next sync saves.
 */
import type { LogSegment } from './log-segment.ts';

const CHUNK_BYTES = 1024 * 1024;

/** From the position on; in slices, each of which yields. */
export function* writeAgain({ file, sizeBytes }: LogSegment, from: number): Generator<null, void, void> {
  const buffer = new Uint8Array(Math.min(CHUNK_BYTES, Math.max(0, sizeBytes - from)));
  let position = from;
  while (position < sizeBytes) {
    const length = file.read(buffer, position, 0, Math.min(buffer.length, sizeBytes - position));
    if (length === 0) return;
    file.writeNow([buffer.subarray(0, length)], position);
    position += length;
    yield null;
  }
}
