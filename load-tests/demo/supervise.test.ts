import type { ManagedProcess, ProcessExit, Stack } from '@seatlog/local-stack';
import { describe, expect, it } from 'vitest';
import { supervise } from './supervise.ts';

/** A process whose ends the test decides. */
class ScriptedProcess {
  readonly name = 'reservation-worker';
  readonly logFile = '/logs/reservation-worker.log';
  restarts = 0;
  #end: (exit: ProcessExit) => void = () => undefined;
  #exited!: Promise<ProcessExit>;

  constructor() {
    this.#begin();
  }

  get exited(): Promise<ProcessExit> {
    return this.#exited;
  }

  end(): void {
    this.#end({ code: null, signal: 'SIGKILL' });
  }

  restart(): Promise<void> {
    this.restarts += 1;
    this.#begin();
    return Promise.resolve();
  }

  logTail(): string {
    return 'no disk';
  }

  #begin(): void {
    this.#exited = new Promise((resolve) => {
      this.#end = resolve;
    });
  }
}

function stackOf(process: ScriptedProcess): Stack {
  // Only what a supervisor looks at.
  return { processes: new Map([[process.name, process as unknown as ManagedProcess]]) } as unknown as Stack;
}

describe('supervise', () => {
  it('starts again what was killed, and gives up on what keeps ending', async () => {
    const process = new ScriptedProcess();
    const said: string[] = [];
    const failed = supervise(stackOf(process), new AbortController().signal, (line) => said.push(line));
    for (let end = 1; end <= 5; end += 1) {
      process.end();
      await expect.poll(() => process.restarts).toBe(end);
    }
    await failed;
    expect(said[0]).toContain('reservation-worker ended (SIGKILL); starting it again');
    expect(said.at(-1)).toContain('no disk');
  });

  it('leaves ends alone while the stack stops', async () => {
    const process = new ScriptedProcess();
    const stopping = new AbortController();
    let hasFailed = false;
    void supervise(stackOf(process), stopping.signal, () => undefined).then(() => (hasFailed = true));
    stopping.abort();
    process.end();
    await process.exited;
    await new Promise((resolve) => setImmediate(resolve));
    expect(process.restarts).toBe(0);
    expect(hasFailed).toBe(false);
  });
});
