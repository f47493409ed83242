/**
 * Which cluster a node belongs to: what its configuration says, else what its log directory says, else a fresh id. The
 * log directory itself refuses an id that is not its own.
 */
import { randomUuid } from '@seatlog/metadata-quorum';
import type { FileSystem, Random } from '@seatlog/runtime';
import { parseProperties } from './config/properties-file.ts';

const META_PROPERTIES = 'meta.properties';

export function clusterIdFor(
  configured: string | null,
  logDirectory: string,
  fileSystem: FileSystem,
  random: Random,
): string {
  if (configured !== null) return configured;
  const path = `${logDirectory}/${META_PROPERTIES}`;
  if (fileSystem.stat(path) === null) return randomUuid(random);
  const stored = parseProperties(new TextDecoder().decode(fileSystem.readFile(path))).get('cluster.id');
  return stored ?? randomUuid(random);
}
