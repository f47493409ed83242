/** PostgreSQL refuses to run as root. Where we are root (containers, CI) it runs as nobody. */
import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';

export interface UnprivilegedUser {
  readonly uid: number;
  readonly gid: number;
}

const NOBODY: UnprivilegedUser = { uid: 65534, gid: 65534 };
const OTHERS_MAY_ENTER = 0o001;
/** Survives a restart of the machine on the usual systems, and all may enter it. */
export const OPEN_PLACE = '/var/tmp';
/** How the names of clusters there begin. */
export const OUTLYING_NAME = 'seatlog-postgres-data-';

/** Who runs the server instead of us; undefined: we do. */
export function userForPostgres(): UnprivilegedUser | undefined {
  return process.getuid?.() === 0 ? NOBODY : undefined;
}

/** Whether that user may pass through every folder on the way to `path`, and enter it. */
export function canReach(user: UnprivilegedUser, path: string): boolean {
  let folder = resolve(path);
  for (;;) {
    const status = statSync(folder, { throwIfNoEntry: false });
    const enters = status === undefined || status.uid === user.uid || (status.mode & OTHERS_MAY_ENTER) !== 0;
    if (!enters) return false;
    const parent = dirname(folder);
    if (parent === folder) return true;
    folder = parent;
  }
}

/**
 * A folder that the server can own: the wanted one, or, where its user cannot get there (a checkout under a closed
 * home), one in /var/tmp that belongs to the wanted path alone.
 */
export function ownedFolder(user: UnprivilegedUser | undefined, wanted: string): string {
  const folder = reachablePath(user, wanted);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  chmodSync(folder, 0o700);
  return folder;
}

export function reachablePath(user: UnprivilegedUser | undefined, wanted: string): string {
  if (user === undefined || canReach(user, dirname(wanted))) return wanted;
  const name = createHash('sha256').update(resolve(wanted)).digest('hex').slice(0, 16);
  return join(OPEN_PLACE, `${OUTLYING_NAME}${name}`);
}
