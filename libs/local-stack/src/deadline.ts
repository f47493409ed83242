/** Waiting with an end. */

/** The value, or undefined when it takes longer than `ms`. A rejection passes through. */
export async function deadline<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** How often a condition is asked again. */
const ASK_AGAIN_MS = 25;

/** Asks until the answer is true or the signal fires; a rejection counts as "not yet". Then it rejects with the signal's reason. */
export async function waitUntil(condition: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const holds = await condition().catch(() => false);
    if (holds) return;
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
  }
}
