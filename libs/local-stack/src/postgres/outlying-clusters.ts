/**
 * Clusters that could not lie in their data directory (unprivileged-user.ts). Beside each lies a note of where it belongs,
 * `<cluster>.for`. When that data directory is gone, nobody finds the cluster any more: the next server that starts removes it.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { endLeftoverServer } from './postgres-cluster.ts';
import { OPEN_PLACE, OUTLYING_NAME } from './unprivileged-user.ts';

const NOTE = '.for';

/** `wanted`: the path in the data directory at which it would lie. */
export function noteWhereItBelongs(cluster: string, wanted: string): void {
  if (cluster !== wanted) writeFileSync(`${cluster}${NOTE}`, wanted);
}

export function removeCluster(cluster: string): void {
  rmSync(cluster, { recursive: true, force: true });
  rmSync(`${cluster}${NOTE}`, { force: true });
}

export async function removeAbandonedClusters(): Promise<void> {
  for (const name of readdirSync(OPEN_PLACE)) {
    if (!name.startsWith(OUTLYING_NAME) || !name.endsWith(NOTE)) continue;
    const note = join(OPEN_PLACE, name);
    const wanted = textOf(note);
    if (wanted === null || existsSync(dirname(wanted))) continue;
    const cluster = note.slice(0, -NOTE.length);
    await endLeftoverServer(cluster);
    removeCluster(cluster);
  }
}

/** Null where another process was faster. */
function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
