/** `<dataDirectory>/stack.json`: where the parts of a running stack are, for other commands (audit, load). */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityOf, isAlive, type ProcessIdentity } from '../process-identity.ts';
import type { StackEndpoints } from './stack-types.ts';

export interface RunningStack {
  readonly owner: ProcessIdentity;
  readonly endpoints: StackEndpoints;
  readonly processes: Readonly<Record<string, number>>;
}

const fileOf = (dataDirectory: string): string => join(dataDirectory, 'stack.json');

export function writeStackFile(dataDirectory: string, stack: Omit<RunningStack, 'owner'>): void {
  const owner = identityOf(process.pid);
  const file = fileOf(dataDirectory);
  // Owner only: a database URL may hold a password.
  writeFileSync(`${file}.written`, `${JSON.stringify({ owner, ...stack }, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.written`, file);
}

export function removeStackFile(dataDirectory: string): void {
  rmSync(fileOf(dataDirectory), { force: true });
}

/** Undefined when no stack runs on that folder; the file of a stack that was killed does not count. */
export function readRunningStack(dataDirectory: string): RunningStack | undefined {
  try {
    const stack = JSON.parse(readFileSync(fileOf(dataDirectory), 'utf8')) as RunningStack;
    return isAlive(stack.owner) ? stack : undefined;
  } catch {
    return undefined;
  }
}
