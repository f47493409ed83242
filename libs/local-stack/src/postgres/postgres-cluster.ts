/** The data folder of a PostgreSQL server: made once, and freed of a server that lost its owner. */
import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endProcess } from '../end-process.ts';
import { LocalStackError } from '../local-stack-error.ts';
import { commandLineOf, identityOf } from '../process-identity.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import type { UnprivilegedUser } from './unprivileged-user.ts';

const run = promisify(execFile);

export interface ClusterPlan {
  readonly binaries: PostgresBinaries;
  /** The data folder; it exists and belongs to the user that runs the server. */
  readonly cluster: string;
  readonly user: UnprivilegedUser | undefined;
  readonly superuser: string;
  /** False: what initdb writes is not synced. */
  readonly durable: boolean;
}

/** Does nothing on a cluster that exists. A run that was cut short leaves no half cluster: it is made beside, then moved in. */
export async function initializeCluster(plan: ClusterPlan): Promise<void> {
  const { binaries, cluster, user, superuser, durable } = plan;
  if (existsSync(join(cluster, 'PG_VERSION'))) return;
  const unfinished = join(cluster, 'unfinished');
  rmSync(cluster, { recursive: true, force: true });
  mkdirSync(cluster, { mode: 0o700 });
  if (user !== undefined) chownSync(cluster, user.uid, user.gid);
  try {
    await run(
      binaries.initdb,
      [
        `--pgdata=${unfinished}`,
        `--username=${superuser}`,
        '--auth=trust',
        '--encoding=UTF8',
        '--locale=C.UTF-8',
        ...(durable ? [] : ['--no-sync']),
        '--no-instructions',
      ],
      { cwd: cluster, env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', TZ: 'UTC' }, ...user },
    );
  } catch (cause) {
    throw new LocalStackError('POSTGRES_INITDB_FAILED', `initdb failed in ${cluster}`, {
      hint: `It said: ${(cause as { stderr?: string }).stderr ?? String(cause)}`,
      cause,
    });
  }
  moveUp(unfinished, cluster);
}

function moveUp(unfinished: string, cluster: string): void {
  const beside = `${cluster}.made`;
  rmSync(beside, { recursive: true, force: true });
  renameSync(unfinished, beside);
  rmSync(cluster, { recursive: true, force: true });
  renameSync(beside, cluster);
}

/**
 * A server whose owner was killed goes on serving. It is found by `postmaster.pid`, and only ended if the process of
 * that number really is a PostgreSQL server on this folder. A file that names anything else is removed: a server
 * refuses to start while it names a live process.
 */
export async function endLeftoverServer(cluster: string): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  let pid: number;
  try {
    pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
  } catch {
    return;
  }
  const identity = Number.isInteger(pid) && pid > 1 ? identityOf(pid) : undefined;
  const command = identity === undefined ? '' : commandLineOf(pid);
  const isOurs = command.includes('postgres') && command.includes(cluster);
  if (identity !== undefined && isOurs) await endProcess(identity, 'SIGINT');
  rmSync(file, { force: true });
}
