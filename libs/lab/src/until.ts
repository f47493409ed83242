/** Waiting for a condition, with an end. */

const LOOK_AGAIN_MS = 20;

/** Resolves with the first value that is not null; a look that rejects counts as "not yet". */
export async function until<T>(
  what: string,
  withinMs: number,
  look: () => T | null | Promise<T | null>,
  everyMs = LOOK_AGAIN_MS,
): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    let why = '';
    try {
      const value = await look();
      if (value !== null) return value;
    } catch (error) {
      why = `: ${String(error)}`;
    }
    if (performance.now() > end) throw new Error(`${what} did not come within ${withinMs} ms${why}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
