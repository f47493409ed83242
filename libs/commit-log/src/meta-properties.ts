import { type FileSystem, FileSystemError } from '@seatlog/runtime';
import { LogError } from './log-error.ts';

/** Whose log directory it is: Kafka's `meta.properties`, version 1. */
export interface MetaProperties {
  readonly clusterId: string;
  readonly nodeId: number;
  readonly directoryId: string | null;
}

const FILE_NAME = 'meta.properties';

/** Null when the directory belongs to nobody yet; throws LOG_DIRECTORY_FOREIGN for a file that cannot be understood. */
export function readMetaProperties(files: FileSystem, directory: string): MetaProperties | null {
  let bytes: Uint8Array;
  try {
    bytes = files.readFile(`${directory}/${FILE_NAME}`);
  } catch (error) {
    if (error instanceof FileSystemError && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return null;
    throw error;
  }
  const properties = parseProperties(new TextDecoder().decode(bytes));
  const clusterId = properties.get('cluster.id');
  const nodeId = properties.get('node.id') ?? properties.get('broker.id');
  if (clusterId === undefined || nodeId === undefined || !/^\d+$/.test(nodeId)) {
    throw new LogError(
      'LOG_DIRECTORY_FOREIGN',
      `${directory}/${FILE_NAME} does not name a cluster.id and a node.id`,
    );
  }
  return { clusterId, nodeId: Number(nodeId), directoryId: properties.get('directory.id') ?? null };
}

export function writeMetaProperties(files: FileSystem, directory: string, meta: MetaProperties): void {
  const lines = [`cluster.id=${meta.clusterId}`, `node.id=${meta.nodeId}`, 'version=1'];
  if (meta.directoryId !== null) lines.push(`directory.id=${meta.directoryId}`);
  const text = `#\n${lines.sort().join('\n')}\n`;
  files.replaceFile(`${directory}/${FILE_NAME}`, new TextEncoder().encode(text));
}

/** Throws unless the directory is this node's. */
export function requireOwn(
  directory: string,
  found: MetaProperties,
  own: { clusterId: string; nodeId: number },
): void {
  if (found.clusterId !== own.clusterId)
    throw foreign(directory, 'cluster.id', found.clusterId, own.clusterId);
  if (found.nodeId !== own.nodeId)
    throw foreign(directory, 'node.id', String(found.nodeId), String(own.nodeId));
}

function foreign(directory: string, field: string, found: string, own: string): LogError {
  return new LogError(
    'LOG_DIRECTORY_FOREIGN',
    `${directory} belongs to ${field} ${found}, and this broker has ${field} ${own}`,
  );
}

/** The lines that such files consist of: `key=value` with comments, and Java's backslash before a separator. */
function parseProperties(text: string): Map<string, string> {
  const properties = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const match = /^\s*([^#!\s=:][^\s=:]*)\s*[=:]\s*(.*?)\s*$/.exec(line);
    if (match?.[1] !== undefined) properties.set(match[1], (match[2] ?? '').replace(/\\(.)/g, '$1'));
  }
  return properties;
}
