/**
 * When to stop: Ctrl-C, SIGTERM, SIGHUP, or the death of the process that started us (`npm run` does not pass every
 * signal on). The first request lets things stop in order; a second Ctrl-C leaves at once.
 */
const LOOK_FOR_PARENT_MS = 1_000;

export class Leaving {
  readonly #controller = new AbortController();
  readonly #say: (line: string) => void;

  constructor(say: (line: string) => void) {
    this.#say = say;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => this.#leave(signal));
    }
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent && !this.signal.aborted)
        this.#leave('the end of the process that started this');
    }, LOOK_FOR_PARENT_MS).unref();
  }

  /** Fires once, with the reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get requested(): Promise<void> {
    if (this.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => this.signal.addEventListener('abort', () => resolve(), { once: true }));
  }

  #leave(why: string): void {
    if (this.signal.aborted) {
      if (why === 'SIGINT') process.exit(130);
      return;
    }
    this.#say(`\nStopping (${why}). Once more leaves at once.`);
    this.#controller.abort(new Error(`stopped by ${why}`));
  }
}
