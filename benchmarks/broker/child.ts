/** Child processes of a benchmark: started with a line of JSON on stdout that says where they listen, ended by name. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const START_DEADLINE_MS = 20_000;
const STOP_DEADLINE_MS = 10_000;

export interface Child {
  readonly processId: number;
  readonly port: number;
  stop(): Promise<void>;
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
  const port = await firstPort(child, portOf);
  return {
    processId: child.pid ?? -1,
    port,
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}

function firstPort(
  child: ChildProcess,
  portOf: (line: Record<string, unknown>) => number | null,
): Promise<number> {
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
      const port = portOf(parsed(text));
      if (port === null) return;
      clearTimeout(timer);
      child.removeAllListeners('exit');
      resolve(port);
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
