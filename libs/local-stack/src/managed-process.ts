/**
 * A child process with an owner.
 *
 * Promises: its output goes to one log file; it ends on every way out of this process (see `exit-guard.ts`); it
 * stands in a process file, so that after a SIGKILL of this process the next start on the same folder ends it
 * (see `process-file.ts`). The child runs in a process group of its own: a Ctrl-C on the terminal reaches only
 * this process, which then stops things in order.
 * Expects: one live process per name and folder.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { guard } from './exit-guard.ts';
import { logSize, openLogFile, readLogTail } from './log-file.ts';
import { LocalStackError } from './local-stack-error.ts';
import { forgetProcess, recordProcess } from './process-file.ts';
import { deadline } from './deadline.ts';

/** How long a process may take to stop by itself before it is killed: longer than any of ours gives itself. */
export const STOP_DEADLINE_MS = 35_000;
const START_AGAIN_MS = 100;

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ProcessSpecification {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the child, apart from SEATLOG_PARENT_PID, which is added. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Logs go to `<dataDirectory>/logs/<name>.log`, the process file to `<dataDirectory>/processes/<name>.json`. */
  readonly dataDirectory: string;
  readonly workingDirectory?: string;
  /** The signal that asks for an orderly stop. Default SIGTERM. */
  readonly stopSignal?: NodeJS.Signals;
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Resolves when the process serves. It is called after each start; reject or hang for "not yet": see `waitUntil`. */
  readonly ready: (process: ManagedProcess, signal: AbortSignal) => Promise<void>;
  readonly readyWithinMs: number;
  /**
   * Whether what it said since its start means no more than that something of its predecessor has not ended yet. It is
   * started again then, within `readyWithinMs`. Default: never.
   */
  readonly isTooEarly?: (said: string) => boolean;
  /** Default STOP_DEADLINE_MS. */
  readonly stopWithinMs?: number;
}

/** What others may do with a child. */
export interface ManagedProcess {
  readonly name: string;
  readonly pid: number;
  readonly running: boolean;
  readonly logFile: string;
  /** Settles when the incarnation of now has ended. After `restart()` it is another promise. */
  readonly exited: Promise<ProcessExit>;
  /** Sends a signal and returns at once. Default SIGKILL, as faults do. False if it has ended already. */
  kill(signal?: NodeJS.Signals): boolean;
  /** Stops it if it runs, starts it with the same command, and waits until it serves. */
  restart(): Promise<void>;
  /** Asks it to stop, waits, kills it past the deadline. Calling it again is harmless. */
  stop(): Promise<ProcessExit>;
  /** The end of the log file, bounded. */
  logTail(): string;
}

export class ChildOfStack implements ManagedProcess {
  readonly name: string;
  readonly logFile: string;
  readonly #specification: ProcessSpecification;
  #child: ChildProcess | undefined;
  #pid = -1;
  #exit: ProcessExit | undefined;
  #exited: Promise<ProcessExit> = Promise.resolve({ code: null, signal: null });

  constructor(specification: ProcessSpecification) {
    this.name = specification.name;
    this.#specification = specification;
    this.logFile = join(specification.dataDirectory, 'logs', `${specification.name}.log`);
  }

  get pid(): number {
    return this.#pid;
  }

  get running(): boolean {
    return this.#child !== undefined && this.#exit === undefined;
  }

  get exited(): Promise<ProcessExit> {
    return this.#exited;
  }

  /** Spawns and waits until it serves; if it does not, stops it and says why. */
  async start(signal?: AbortSignal): Promise<this> {
    const { readyWithinMs, isTooEarly = () => false } = this.#specification;
    const end = performance.now() + readyWithinMs;
    for (;;) {
      const from = logSize(this.logFile);
      await this.#spawn();
      try {
        await this.#untilReady(signal);
        return this;
      } catch (error) {
        await this.stop();
        const isOver = signal?.aborted === true || performance.now() > end;
        if (isOver || !isTooEarly(readLogTail(this.logFile, from))) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, START_AGAIN_MS));
    }
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): boolean {
    return this.running && this.#child !== undefined && this.#child.kill(signal);
  }

  async restart(): Promise<void> {
    if (this.running) await this.stop();
    await this.start();
  }

  async stop(): Promise<ProcessExit> {
    if (!this.running) return this.#exited;
    this.kill(this.#specification.stopSignal ?? 'SIGTERM');
    // A stopped process (SIGSTOP) takes its signals only once it goes on.
    this.kill('SIGCONT');
    const stopped = await deadline(this.#exited, this.#specification.stopWithinMs ?? STOP_DEADLINE_MS);
    if (stopped !== undefined) return stopped;
    this.kill('SIGKILL');
    return this.#exited;
  }

  /** Lets this process end while the child still runs; the exit guard then ends the child. */
  unref(): void {
    this.#child?.unref();
  }

  logTail(): string {
    return readLogTail(this.logFile);
  }

  async #spawn(): Promise<void> {
    const specification = this.#specification;
    mkdirSync(join(specification.dataDirectory, 'logs'), { recursive: true });
    const log = openLogFile(this.logFile);
    let child: ChildProcess;
    try {
      child = spawn(specification.command, specification.args, {
        env: { ...specification.environment, SEATLOG_PARENT_PID: String(process.pid) },
        cwd: specification.workingDirectory ?? specification.dataDirectory,
        stdio: ['ignore', log, log],
        detached: true,
        ...specification.user,
      });
    } finally {
      closeSync(log);
    }
    this.#exit = undefined;
    this.#child = child;
    this.#exited = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    await this.#untilSpawned(child);
  }

  async #untilSpawned(child: ChildProcess): Promise<void> {
    const exited = this.#exited;
    const spawned = new Promise<void>((resolve) => child.once('spawn', () => resolve()));
    try {
      await Promise.race([spawned, exited]);
    } catch (cause) {
      this.#child = undefined;
      this.#exited = Promise.resolve({ code: null, signal: null });
      throw new LocalStackError('PROCESS_ENDED_EARLY', `${this.name} could not be started`, {
        hint: `Check that ${this.#specification.command} can be run.`,
        cause,
      });
    }
    this.#pid = child.pid ?? -1;
    const { dataDirectory, stopSignal } = this.#specification;
    const release = guard(this.#pid, stopSignal ?? 'SIGTERM');
    recordProcess(dataDirectory, this.name, this.#pid, stopSignal ?? 'SIGTERM');
    void exited.then((exit) => {
      this.#exit = exit;
      release();
      forgetProcess(dataDirectory, this.name, child.pid ?? -1);
    });
  }

  async #untilReady(signal: AbortSignal | undefined): Promise<void> {
    const { ready, readyWithinMs } = this.#specification;
    const givenUp = new AbortController();
    const timer = setTimeout(() => givenUp.abort(this.#notReadyInTime()), readyWithinMs);
    const onAbort = (): void => givenUp.abort(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
    try {
      await Promise.race([
        ready(this, givenUp.signal),
        this.exited.then((exit) => Promise.reject(this.#endedEarly(exit))),
        new Promise<never>((_, reject) => {
          const fail = (): void => reject(givenUp.signal.reason as Error);
          if (givenUp.signal.aborted) fail();
          givenUp.signal.addEventListener('abort', fail, { once: true });
        }),
      ]);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      // Ends a probe that is still asking.
      givenUp.abort();
    }
  }

  #notReadyInTime(): LocalStackError {
    return new LocalStackError(
      'NOT_READY_IN_TIME',
      `${this.name} did not serve within ${this.#specification.readyWithinMs} ms`,
      { hint: `See ${this.logFile}. Its last lines:\n${this.logTail()}` },
    );
  }

  #endedEarly(exit: ProcessExit): LocalStackError {
    const how = exit.signal === null ? `code ${exit.code}` : `signal ${exit.signal}`;
    return new LocalStackError('PROCESS_ENDED_EARLY', `${this.name} ended with ${how} before it served`, {
      hint: `See ${this.logFile}. Its last lines:\n${this.logTail()}`,
    });
  }
}
