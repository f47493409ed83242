/** A command of this repository as a process: what it prints, and how it ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from '@seatlog/local-stack';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export class Command {
  readonly #child: ChildProcess;
  #output = '';
  readonly ended: Promise<Ended>;

  /** `file` is relative to the root. */
  constructor(file: string, parameters: readonly string[]) {
    this.#child = spawn(process.execPath, [join(repositoryRoot, file), ...parameters], {
      cwd: repositoryRoot,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk) => {
        this.#output += String(chunk);
      });
    }
    this.ended = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('close', (code, signal) => resolve({ code, signal }));
    });
  }

  get output(): string {
    return this.#output;
  }

  get lastLine(): string {
    return this.#output.trimEnd().split('\n').at(-1) ?? '';
  }

  /** What it told last, as data; where that is none, all that it printed says why. */
  told(): unknown {
    try {
      return JSON.parse(this.lastLine);
    } catch (cause) {
      throw new Error(`its last line is no JSON:\n${this.#output}`, { cause });
    }
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Resolves when it has printed that; rejects with what it printed if it ends before, or takes longer. */
  async prints(text: string, withinMs: number): Promise<void> {
    const isOver = this.ended.then(() => true);
    const tooLate = AbortSignal.timeout(withinMs);
    while (!this.#output.includes(text)) {
      const hasEnded = await Promise.race([
        isOver,
        new Promise<false>((resolve) => setTimeout(resolve, 50, false)),
      ]);
      if (this.#output.includes(text)) return;
      if (hasEnded || tooLate.aborted) throw new Error(`it did not print "${text}" but:\n${this.#output}`);
    }
  }
}

/** Runs it to its end. */
export async function runCommand(
  file: string,
  parameters: readonly string[],
): Promise<Command & { readonly code: number | null }> {
  const command = new Command(file, parameters);
  const { code } = await command.ended;
  return Object.assign(command, { code });
}
