/** Child processes of a benchmark: started with a line of JSON on stdout that says where they listen, ended by name. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const START_DEADLINE_MS = 20_000;
/** An orderly stop syncs what was written: a GB takes a slow disk its time. */
const STOP_DEADLINE_MS = 30_000;

export interface Child {
  readonly processId: number;
  readonly port: number;
  /** The line that named the port. */
  readonly announcement: Readonly<Record<string, unknown>>;
  stop(): Promise<void>;
  /** Ends it by SIGKILL. */
  kill(): Promise<void>;
}

interface Announced {
  readonly port: number;
  readonly announcement: Readonly<Record<string, unknown>>;
}

/** `portOf` finds the port in a line of the child's output; null for other lines. */
export async function startChild(
  nodeArguments: readonly string[],
  portOf: (line: Record<string, unknown>) => number | null,
): Promise<Child> {
  const child = spawn(process.execPath, nodeArguments, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, SEATLOG_PARENT_PID: String(process.pid) },
  });
  const announced = await firstPort(child, portOf);
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS);
    await exited;
    clearTimeout(timer);
  };
  return {
    processId: child.pid ?? -1,
    ...announced,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

function firstPort(
  child: ChildProcess,
  portOf: (line: Record<string, unknown>) => number | null,
): Promise<Announced> {
  return new Promise((resolve, reject) => {
    const output: string[] = [];
    const fail = (reason: string): void => {
      child.kill('SIGKILL');
      reject(new Error(`${reason}:\n${output.join('\n')}`));
    };
    const timer = setTimeout(() => fail('a child did not start in time'), START_DEADLINE_MS);
    child.once('exit', (code) => fail(`a child ended with ${code}`));
    if (child.stdout === null) return;
    createInterface({ input: child.stdout }).on('line', (text) => {
      output.push(text);
      const announcement = parsed(text);
      const port = portOf(announcement);
      if (port === null) return;
      clearTimeout(timer);
      child.removeAllListeners('exit');
      resolve({ port, announcement });
    });
  });
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
