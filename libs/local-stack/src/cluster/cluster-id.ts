/** The id that all nodes of a cluster share: made once and kept with their data. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ID_BYTES = 16;

export function clusterIdIn(dataDirectory: string): string {
  const file = join(dataDirectory, 'cluster-id');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    const id = randomBytes(ID_BYTES).toString('base64url');
    mkdirSync(dataDirectory, { recursive: true });
    writeFileSync(file, `${id}\n`);
    return id;
  }
}
