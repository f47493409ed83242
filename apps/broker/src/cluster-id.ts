/**
 * Which cluster a node belongs to: what its configuration says, else what its log directory says, else a fresh id. A
 * fresh id is for a node that is its own quorum: several that made up one each would never agree. The log directory
 * itself refuses an id that is not its own.
 */
import { randomUuid } from '@seatlog/metadata-quorum';
import type { FileSystem, Random } from '@seatlog/runtime';
import { ConfigError } from './config/config-error.ts';
import type { BrokerConfigValues } from './config/definitions.ts';
import { nodeRoles } from './config/node-roles.ts';
import { parseProperties } from './config/properties-file.ts';

const META_PROPERTIES = 'meta.properties';

export function clusterIdFor(
  values: BrokerConfigValues,
  logDirectory: string,
  fileSystem: FileSystem,
  random: Random,
): string {
  const known = values['cluster.id'] ?? storedClusterId(logDirectory, fileSystem);
  if (known !== null) return known;
  const { isController, voters } = nodeRoles(values);
  if (isController && voters.length <= 1) return randomUuid(random);
  throw new ConfigError(
    'cluster.id',
    `${logDirectory} is fresh, and this node is one of several: give them all the same cluster.id`,
  );
}

function storedClusterId(logDirectory: string, fileSystem: FileSystem): string | null {
  const path = `${logDirectory}/${META_PROPERTIES}`;
  if (fileSystem.stat(path) === null) return null;
  return parseProperties(new TextDecoder().decode(fileSystem.readFile(path))).get('cluster.id') ?? null;
}
