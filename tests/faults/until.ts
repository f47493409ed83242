/** Waiting for a condition, with an end. */

/** Longer than any time-out of the system under test: what has not come by then does not come. */
export const CONDITION_DEADLINE_MS = 120_000;
const LOOK_AGAIN_MS = 5;

export interface UntilOptions {
  readonly withinMs?: number;
  /** Says why the condition cannot come any more; null while it can. */
  readonly hopeless?: () => string | null;
}

/** A condition that rejects does not hold yet: what it asks may be the process that was killed. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  options: UntilOptions = {},
): Promise<void> {
  const { withinMs = CONDITION_DEADLINE_MS, hopeless } = options;
  const end = performance.now() + withinMs;
  let failure = '';
  for (;;) {
    try {
      if (await condition()) return;
      failure = '';
    } catch (error) {
      failure = `: ${String(error)}`;
    }
    const why = hopeless?.() ?? (performance.now() > end ? `not within ${withinMs} ms${failure}` : null);
    if (why !== null) throw new Error(`${what} did not come: ${why}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}
