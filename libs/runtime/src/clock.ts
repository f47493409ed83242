/** Time as an argument: cores never read a clock of their own. */
export interface Clock {
  /** Wall time, milliseconds since 1970. It can jump either way: use it for timestamps, never for waiting. */
  now(): number;
  /** Milliseconds since some fixed moment of this process. It never falls and never jumps. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
