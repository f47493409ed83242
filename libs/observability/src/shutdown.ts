/**
 * Shutting down in order: readiness off, no more accepting, work under way finished, then what it worked on closed, last
 * what everything stood on. Each step has a deadline; one that fails or is late is logged and the next one runs, so that
 * the whole ends in time.
 */
import type { Logger } from './logger.ts';

export interface ShutdownStep {
  readonly name: string;
  readonly deadlineMs: number;
  readonly action: () => void | Promise<void>;
}

/** Ten seconds from the signal to the exit, whatever happens. */
export const SHUTDOWN_BUDGET_MS = 10_000;

export class Shutdown {
  readonly #logger: Logger;
  readonly #steps: ShutdownStep[] = [];
  #running: Promise<boolean> | null = null;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Steps run in the order in which they are added. Their deadlines may not exceed the budget together. */
  step(name: string, deadlineMs: number, action: () => void | Promise<void>): this {
    const total = this.#steps.reduce((sum, step) => sum + step.deadlineMs, deadlineMs);
    if (total > SHUTDOWN_BUDGET_MS) {
      throw new RangeError(`shutdown steps up to "${name}" take ${total} ms, over ${SHUTDOWN_BUDGET_MS} ms`);
    }
    this.#steps.push({ name, deadlineMs, action });
    return this;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** Runs the steps, once however often it is called. True if all of them ended well and in time. */
  run(reason: string): Promise<boolean> {
    this.#running ??= this.#runSteps(reason);
    return this.#running;
  }

  /** SIGTERM and SIGINT run the steps and end the process: 0 if all went well, else 1. A second signal ends it at once. */
  listen(exit: (code: number) => void = (code) => process.exit(code)): void {
    const onSignal = (signal: NodeJS.Signals) => {
      if (this.isRunning) {
        this.#logger.warn({ signal }, 'second signal, leaving at once');
        exit(1);
        return;
      }
      void this.run(signal).then((clean) => exit(clean ? 0 : 1));
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  }

  async #runSteps(reason: string): Promise<boolean> {
    this.#logger.info({ reason }, 'shutting down');
    let clean = true;
    for (const step of this.#steps) {
      const started = performance.now();
      const failure = await failureOf(step);
      const ms = Math.round(performance.now() - started);
      if (failure === null) {
        this.#logger.info({ step: step.name, ms }, 'shutdown step done');
      } else {
        clean = false;
        this.#logger.error({ step: step.name, ms, error: failure }, 'shutdown step failed');
      }
    }
    this.#logger.info({ clean }, 'shut down');
    return clean;
  }
}

async function failureOf(step: ShutdownStep): Promise<Error | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Error>((resolve) => {
    const expire = () => resolve(new Error(`not done within ${step.deadlineMs} ms`));
    timer = setTimeout(expire, step.deadlineMs);
  });
  try {
    const done = Promise.resolve()
      .then(step.action)
      .then(() => null);
    return await Promise.race([done, late]);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    clearTimeout(timer);
  }
}
