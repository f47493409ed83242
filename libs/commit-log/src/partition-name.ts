import { LogError } from './log-error.ts';

/** Kafka's limit: the name of a topic is part of a directory's. */
const TOPIC_NAME = /^[a-zA-Z0-9._-]{1,249}$/;
const PARTITION_DIRECTORY = /^([a-zA-Z0-9._-]{1,249})-(0|[1-9]\d{0,9})$/;
const ASIDE_DIRECTORY = /^.+\.[0-9a-f]{32}-(delete|stray|future)$/;
const LARGEST_PARTITION = 2 ** 31 - 1;
/** What file systems take as one name. */
const LONGEST_FILE_NAME = 255;

export interface PartitionName {
  readonly topic: string;
  readonly partition: number;
}

/** `<topic>-<partition>`, the name of the directory. */
export function partitionName(topic: string, partition: number): string {
  return `${topic}-${partition}`;
}

/** Null for a name that no partition's directory has. */
export function parsePartitionName(name: string): PartitionName | null {
  const match = PARTITION_DIRECTORY.exec(name);
  const topic = match?.[1];
  if (topic === undefined || topic === '.' || topic === '..' || ASIDE_DIRECTORY.test(name)) return null;
  const partition = Number(match?.[2]);
  return partition <= LARGEST_PARTITION ? { topic, partition } : null;
}

/** Whatever a name is made of, only this lets it near the disk: throws PARTITION_NAME_INVALID. */
export function requirePartitionName(topic: string, partition: number): string {
  const legalTopic = TOPIC_NAME.test(topic) && topic !== '.' && topic !== '..';
  const legalPartition = Number.isInteger(partition) && partition >= 0 && partition <= LARGEST_PARTITION;
  if (legalTopic && legalPartition) return partitionName(topic, partition);
  throw new LogError(
    'PARTITION_NAME_INVALID',
    `${JSON.stringify(topic)} partition ${partition} cannot be the name of a log`,
  );
}

export type AsideReason = 'delete' | 'stray';

/** `<topic>-<partition>.<uuid>-<reason>`, the name shortened where it would be too long for a file. */
export function asideDirectoryName(name: string, uniqueId: Uint8Array, reason: AsideReason): string {
  const suffix = `.${hex(uniqueId)}-${reason}`;
  return name.slice(0, LONGEST_FILE_NAME - suffix.length) + suffix;
}

/** Whether a directory is on its way out, `delete`, or was set aside for a person to look at, `stray`; else null. */
export function asideReasonOf(directoryName: string): 'delete' | 'stray' | 'future' | null {
  const reason = ASIDE_DIRECTORY.exec(directoryName)?.[1];
  return reason === 'delete' || reason === 'stray' || reason === 'future' ? reason : null;
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
