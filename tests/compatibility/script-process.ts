/** A client's script as a process: what it is told, the lines that it prints, how it ended. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const KEPT_ERRORS = 4000;

export class ScriptProcess {
  readonly #process: ChildProcess;
  readonly #ended: Promise<number | null>;
  #errors = '';

  /** `take` is given each line of JSON with a kind: clients print warnings of their own now and then. */
  constructor(script: string, orders: unknown, take: (line: unknown) => void) {
    const child = spawn(process.execPath, [pathOf(script), JSON.stringify(orders)], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#process = child;
    this.#ended = new Promise((resolve) => {
      child.once('close', resolve);
    });
    createInterface({ input: child.stdout }).on('line', (text) => {
      if (text.startsWith('{"kind"')) take(JSON.parse(text));
    });
    child.stderr.on('data', (chunk: Buffer) => {
      this.#errors = `${this.#errors}${chunk.toString()}`.slice(-KEPT_ERRORS);
    });
  }

  get ended(): Promise<number | null> {
    return this.#ended;
  }

  /** The end of what it wrote to stderr. */
  get errors(): string {
    return this.#errors;
  }

  /** Asks it to end; gives the exit code. */
  async leave(): Promise<number | null> {
    this.#process.kill('SIGTERM');
    return await this.#ended;
  }

  async crash(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#ended;
  }
}

export function pathOf(script: string): string {
  return new URL(`./clients/${script}`, import.meta.url).pathname;
}
