/**
 * Whether this process lives, and whether it should be given work. Liveness asks nothing of others: a process whose
 * database is down must not be restarted for it. Readiness asks every registered check, all at once, each with a deadline,
 * and is refused from the moment draining begins.
 */
export type HealthCheck = () => void | Promise<void>;

export interface CheckResult {
  readonly status: 'up' | 'down';
  readonly detail?: string;
}

export interface HealthReport {
  readonly status: 'ok' | 'unavailable' | 'draining';
  readonly checks: Readonly<Record<string, CheckResult>>;
}

const DEFAULT_DEADLINE_MS = 1000;

export class HealthRegistry {
  readonly #checks = new Map<string, { readonly check: HealthCheck; readonly deadlineMs: number }>();
  #draining = false;

  /** `check` throws, or rejects, while the thing it looks at is down. Prefer what is known already to asking anew. */
  register(name: string, check: HealthCheck, options: { readonly deadlineMs?: number } = {}): void {
    if (this.#checks.has(name)) throw new Error(`there is a health check named ${name} already`);
    this.#checks.set(name, { check, deadlineMs: options.deadlineMs ?? DEFAULT_DEADLINE_MS });
  }

  /** From now on `ready()` refuses: the first step of shutting down. */
  startDraining(): void {
    this.#draining = true;
  }

  get isDraining(): boolean {
    return this.#draining;
  }

  live(): HealthReport {
    return { status: 'ok', checks: {} };
  }

  async ready(): Promise<HealthReport> {
    const entries = await Promise.all(
      [...this.#checks].map(async ([name, entry]) => [name, await outcomeOf(entry)] as const),
    );
    const up = entries.every(([, result]) => result.status === 'up');
    const status = this.#draining ? 'draining' : up ? 'ok' : 'unavailable';
    return { status, checks: Object.fromEntries(entries) };
  }
}

async function outcomeOf(entry: {
  readonly check: HealthCheck;
  readonly deadlineMs: number;
}): Promise<CheckResult> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    const late = () => reject(new Error(`no answer within ${entry.deadlineMs} ms`));
    timer = setTimeout(late, entry.deadlineMs);
  });
  try {
    await Promise.race([Promise.resolve().then(entry.check), deadline]);
    return { status: 'up' };
  } catch (error) {
    return { status: 'down', detail: error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(timer);
  }
}
