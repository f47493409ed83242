import type { FileSystem } from '@seatlog/runtime';
import { walkBatches } from './batch-walk.ts';
import {
  CLEANED_SUFFIX,
  DELETED_SUFFIX,
  parseSegmentFileName,
  SWAP_SUFFIX,
  segmentFilePath,
  type SegmentFileName,
} from './segment-files.ts';

/** Names of what a crash left unfinished in a partition's directory, and what a start did about it. */
export interface Leftovers {
  readonly removed: readonly string[];
  readonly swapped: readonly string[];
}

const TEMPORARY_SUFFIX = '.tmp';

/**
 * Finishes what a crash interrupted: removals are completed, half-written files dropped, and a swap of compacted
 * segments is carried through, since all of it was on disk before it began. Files of other names stay as they are.
 */
export function finishLeftovers(files: FileSystem, directory: string): Leftovers {
  const names = files.readDirectory(directory).map((entry) => entry.name);
  const removed = names.filter(isUnfinished);
  for (const name of removed) files.unlink(`${directory}/${name}`);
  const swapped = names.filter((name) => segmentNameBefore(name, SWAP_SUFFIX)?.kind === 'log');
  for (const name of swapped) completeSwap(files, directory, name);
  for (const name of names) removeStrayIndex(files, directory, name);
  if (removed.length + swapped.length > 0) files.syncDirectory(directory);
  return { removed, swapped };
}

function isUnfinished(name: string): boolean {
  return (
    name.endsWith(DELETED_SUFFIX) ||
    name.endsWith(TEMPORARY_SUFFIX) ||
    segmentNameBefore(name, CLEANED_SUFFIX) !== null ||
    // Indexes are built again from the log that they belong to.
    ['index', 'timeindex', 'txnindex'].includes(segmentNameBefore(name, SWAP_SUFFIX)?.kind ?? '')
  );
}

function segmentNameBefore(name: string, suffix: string): SegmentFileName | null {
  return name.endsWith(suffix) ? parseSegmentFileName(name.slice(0, -suffix.length)) : null;
}

/** The compacted segment takes the place of all that lie in its range. */
function completeSwap(files: FileSystem, directory: string, name: string): void {
  const baseOffset = segmentNameBefore(name, SWAP_SUFFIX)?.baseOffset ?? 0;
  const end = endOffsetOf(files, `${directory}/${name}`, baseOffset);
  for (const entry of files.readDirectory(directory)) {
    const segment = parseSegmentFileName(entry.name);
    if (segment === null || segment.baseOffset < baseOffset || segment.baseOffset >= end) continue;
    if (segment.kind !== 'snapshot') files.unlink(`${directory}/${entry.name}`);
  }
  files.rename(`${directory}/${name}`, segmentFilePath(directory, baseOffset, 'log'));
}

function endOffsetOf(files: FileSystem, path: string, baseOffset: number): number {
  const file = files.open(path, 'read');
  let end = baseOffset + 1;
  try {
    const options = { from: 0, to: file.size(), expectedOffset: baseOffset, depth: 'headers' } as const;
    walkBatches(file, options, (_bytes, _position, lastOffset) => {
      end = lastOffset + 1;
      return true;
    });
  } finally {
    file.close();
  }
  return end;
}

function removeStrayIndex(files: FileSystem, directory: string, name: string): void {
  const segment = parseSegmentFileName(name);
  if (segment === null || segment.kind === 'log' || segment.kind === 'snapshot') return;
  if (files.stat(segmentFilePath(directory, segment.baseOffset, 'log')) === null)
    files.unlink(`${directory}/${name}`);
}
