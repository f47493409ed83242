/**
 * One owner per folder: a file that names the owning process. The lock of a process that has died, however it died,
 * is taken over at once; there is no time-out to wait for and nothing to clean up by hand.
 */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { LocalStackError } from './local-stack-error.ts';
import { identityOf, isAlive, type ProcessIdentity } from './process-identity.ts';

interface Owner extends ProcessIdentity {
  /** Tells two locks of one process apart. */
  readonly token: string;
}

export interface FolderLock {
  release(): void;
}

/** Gives the lock, or undefined with a live owner in `holder()`. */
export function tryLock(file: string): FolderLock | { readonly holder: number } {
  mkdirSync(dirname(file), { recursive: true });
  const identity = identityOf(process.pid);
  if (identity === undefined) throw new Error('This process cannot see itself in the process table');
  const mine: Owner = { ...identity, token: randomUUID() };
  const prepared = `${file}.${mine.token}`;
  writeFileSync(prepared, JSON.stringify(mine));
  try {
    for (;;) {
      if (linkIfAbsent(prepared, file)) return { release: () => release(file, mine.token) };
      const holder = readOwner(file);
      if (holder !== undefined && isAlive(holder)) return { holder: holder.pid };
      removeStale(file, holder?.token);
    }
  } finally {
    rmSync(prepared, { force: true });
  }
}

export function isLock(outcome: ReturnType<typeof tryLock>): outcome is FolderLock {
  return 'release' in outcome;
}

const ASK_AGAIN_MS = 50;

/** Waits for the lock; rejects past the deadline. */
export async function lockWithin(file: string, ms: number, what: string): Promise<FolderLock> {
  const end = performance.now() + ms;
  for (;;) {
    const outcome = tryLock(file);
    if (isLock(outcome)) return outcome;
    if (performance.now() > end) {
      throw new LocalStackError(
        'LOCK_NOT_FREE_IN_TIME',
        `Process ${outcome.holder} holds ${what} for too long`,
        {
          hint: `Wait for it or end it: kill ${outcome.holder}`,
        },
      );
    }
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
  }
}

/** Creation by link is atomic and brings the content with it: nobody ever reads a half-written owner. */
function linkIfAbsent(prepared: string, file: string): boolean {
  try {
    linkSync(prepared, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Two may see the same stale lock: the rename has one winner, who puts a lock that changed meanwhile back. */
function removeStale(file: string, staleToken: string | undefined): void {
  const aside = `${file}.stale-${randomUUID()}`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  const moved = readOwner(aside);
  if (moved !== undefined && moved.token !== staleToken) linkIfAbsent(aside, file);
  rmSync(aside, { force: true });
}

function release(file: string, token: string): void {
  if (readOwner(file)?.token === token) rmSync(file, { force: true });
}

function readOwner(file: string): Owner | undefined {
  try {
    const owner = JSON.parse(readFileSync(file, 'utf8')) as Partial<Owner>;
    const { pid, startTime, token } = owner;
    return pid === undefined || startTime === undefined || token === undefined
      ? undefined
      : { pid, startTime, token };
  } catch {
    return undefined;
  }
}
