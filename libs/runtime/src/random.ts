import { randomFillSync } from 'node:crypto';

/** Randomness as an argument. */
export interface Random {
  /** A whole number from 0 to 2^32 - 1. */
  uint32(): number;
  /** That many random bytes, in a buffer of their own. */
  bytes(count: number): Uint8Array;
  /** From 0 up to, and without, 1. */
  fraction(): number;
}

/** Words drawn from the kernel at a time, so that a draw is not a system call. */
const WORDS_DRAWN_AHEAD = 256;

const words = new Uint32Array(WORDS_DRAWN_AHEAD);
let nextWord = WORDS_DRAWN_AHEAD;

/** Cryptographic randomness. */
export const systemRandom: Random = {
  uint32() {
    if (nextWord === WORDS_DRAWN_AHEAD) {
      randomFillSync(words);
      nextWord = 0;
    }
    const word = words[nextWord] ?? 0;
    nextWord += 1;
    return word;
  },
  bytes: (count) => randomFillSync(new Uint8Array(count)),
  fraction: () => systemRandom.uint32() / 2 ** 32,
};
