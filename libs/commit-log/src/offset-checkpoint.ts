import { type FileSystem, FileSystemError } from '@seatlog/runtime';
import { decodeCheckpoint, encodeCheckpoint, parseCount } from './checkpoint-text.ts';
import { parsePartitionName, partitionName } from './partition-name.ts';

/** Offsets by `<topic>-<partition>`. */
export type OffsetsByPartition = ReadonlyMap<string, number>;

/** Lines `topic partition offset`, sorted, so that the same offsets give the same file. */
export function encodeOffsetCheckpoint(offsets: OffsetsByPartition): Uint8Array {
  const lines = Array.from(offsets, ([name, offset]) => {
    const parsed = parsePartitionName(name);
    return parsed === null ? null : `${parsed.topic} ${parsed.partition} ${offset}`;
  });
  return encodeCheckpoint(lines.filter((line) => line !== null).sort());
}

/** Null when the bytes are no offset checkpoint. */
export function decodeOffsetCheckpoint(bytes: Uint8Array): Map<string, number> | null {
  const rows = decodeCheckpoint(bytes, 3);
  if (rows === null) return null;
  const offsets = new Map<string, number>();
  for (const [topic, partitionText, offsetText] of rows) {
    const partition = parseCount(partitionText);
    const offset = parseCount(offsetText);
    if (topic === undefined || partition === null || offset === null) return null;
    offsets.set(partitionName(topic, partition), offset);
  }
  return offsets;
}

/** What the file holds; nothing when it is missing; null, for the caller to warn, when it is garbled. */
export function readOffsetCheckpoint(files: FileSystem, path: string): Map<string, number> | null {
  try {
    return decodeOffsetCheckpoint(files.readFile(path));
  } catch (error) {
    if (error instanceof FileSystemError && error.code === 'ENOENT') return new Map();
    throw error;
  }
}
