/** Sequence numbers of idempotent producers: from 0 to 2^31 - 1, then from 0 again. Pure. */
const SEQUENCES = 0x8000_0000;

export function advanceSequence(sequence: number, count: number): number {
  return (sequence + count) % SEQUENCES;
}

export const MAX_PRODUCER_EPOCH = 32_767;
