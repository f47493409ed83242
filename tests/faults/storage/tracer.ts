/**
 * System calls of a broker that fail, wait, or kill it: strace, from outside. `when` counts per thread, therefore a broker
 * that is started under it has one thread for files.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { until } from '../until.ts';
import { brokerCommand, type BrokerOnDisk } from './broker-on-disk.ts';

export interface Injection {
  /** As strace names it; `/regex` for several. */
  readonly call: string;
  /** As behind `inject=<call>:`. */
  readonly effect: string;
}

/** The calls that were made on the file while the tracer was there, a line each. */
export interface Tracer {
  calls(): readonly string[];
  detach(): Promise<void>;
}

export interface TracedProcess {
  readonly pid: number;
  /** Where the calls are written down. */
  readonly folder: string;
}

/** Injects into a running broker, and only where the call is about this file. */
export async function attach(
  { pid, folder }: TracedProcess,
  file: string,
  injection: Injection,
): Promise<Tracer> {
  const output = join(folder, 'calls.txt');
  const target = ['-f', '-p', String(pid), '-P', file, '-o', output];
  const strace = run(['strace', ...target, ...expressions(injection)]);
  let said = '';
  strace.stderr?.on('data', (chunk) => (said += String(chunk)));
  await until('the tracer attached', () => said.includes('attached'), {
    hopeless: () => (strace.exitCode === null ? null : said),
  });
  return {
    calls: () => (existsSync(output) ? readFileSync(output, 'utf8').split('\n') : []).filter(isCall),
    detach: async () => {
      const gone = once(strace, 'close');
      strace.kill('SIGTERM');
      await gone;
    },
  };
}

/** Starts a stopped broker once more, with the calls traced from its first one on. Resolves when it serves or has ended. */
export async function startTraced(broker: BrokerOnDisk, injection: Injection): Promise<ChildProcess> {
  // Not with --seccomp-bpf: then no signal is injected.
  const trace = ['strace', '-f', '-qq', '-o', join(broker.folder, 'calls.txt')];
  const child = run([...trace, ...expressions(injection), ...brokerCommand(broker.propertiesFile)]);
  await until('the traced broker', async () => hasEnded(child) || (await broker.isHealthy()));
  return child;
}

/** Starts a stopped broker once more, with more in its environment. */
export async function startWith(
  broker: BrokerOnDisk,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const child = run(brokerCommand(broker.propertiesFile), environment);
  await until('the broker', async () => !hasEnded(child) && (await broker.isHealthy()), {
    hopeless: () => (hasEnded(child) ? 'it has ended' : null),
  });
}

export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function expressions({ call, effect }: Injection): readonly string[] {
  return ['-e', `trace=${call}`, '-e', `inject=${call}:${effect}`];
}

function isCall(line: string): boolean {
  return /\w+\(/.test(line) && !line.includes('resumed');
}

function run(
  [command = '', ...args]: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): ChildProcess {
  const child = spawn(command, args, {
    env: {
      PATH: process.env['PATH'],
      UV_THREADPOOL_SIZE: '1',
      SEATLOG_PARENT_PID: String(process.pid),
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.resume();
  onTestFinished(async () => {
    if (hasEnded(child)) return;
    const gone = once(child, 'close');
    child.kill('SIGTERM');
    await gone;
  });
  return child;
}
