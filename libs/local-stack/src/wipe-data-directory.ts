/** Removes all that servers wrote for a data directory, also the cluster that could not lie in it. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { removeCluster } from './postgres/outlying-clusters.ts';
import { reachablePath, userForPostgres } from './postgres/unprivileged-user.ts';

export function wipeDataDirectory(dataDirectory: string): void {
  // Asked while the folder still exists: the answer depends on who may enter it.
  const cluster = reachablePath(userForPostgres(), join(dataDirectory, 'postgres'));
  removeCluster(cluster);
  rmSync(dataDirectory, { recursive: true, force: true });
}
