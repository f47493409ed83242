/** How long to wait before trying again: doubling from `initialMs` up to `maxMs`, spread by a fifth either way. Pure. */
export interface BackoffLimits {
  readonly initialMs: number;
  readonly maxMs: number;
}

const SPREAD = 0.2;

/** `failures` counts from 1; `fraction` is a random number from 0 up to 1. */
export function backoffMs(limits: BackoffLimits, failures: number, fraction: number): number {
  const doublings = Math.min(Math.max(failures, 1) - 1, 30);
  const plain = Math.min(limits.initialMs * 2 ** doublings, limits.maxMs);
  return Math.round(plain * (1 - SPREAD + 2 * SPREAD * fraction));
}
