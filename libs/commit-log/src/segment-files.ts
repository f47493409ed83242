/**
 * Names of the files of a segment: the base offset in twenty digits, so that the names alone, sorted, find the
 * segment of an offset.
 */
export type SegmentFileKind = 'log' | 'index' | 'timeindex' | 'snapshot' | 'txnindex';

/** Appended to the name of what is about to be removed. */
export const DELETED_SUFFIX = '.deleted';
/** Appended by compaction to what is not finished yet. */
export const CLEANED_SUFFIX = '.cleaned';
/** Appended by compaction to what is finished and takes the place of older segments. */
export const SWAP_SUFFIX = '.swap';

const OFFSET_DIGITS = 20;
const SEGMENT_FILE = /^(\d{20})\.(log|index|timeindex|snapshot|txnindex)$/;

export interface SegmentFileName {
  readonly baseOffset: number;
  readonly kind: SegmentFileKind;
}

function segmentFileName(baseOffset: number, kind: SegmentFileKind): string {
  return `${String(baseOffset).padStart(OFFSET_DIGITS, '0')}.${kind}`;
}

export function segmentFilePath(directory: string, baseOffset: number, kind: SegmentFileKind): string {
  return `${directory}/${segmentFileName(baseOffset, kind)}`;
}

/** Null for a name of another form, or an offset beyond what a number holds. */
export function parseSegmentFileName(name: string): SegmentFileName | null {
  const match = SEGMENT_FILE.exec(name);
  if (match === null) return null;
  const baseOffset = Number(match[1]);
  return Number.isSafeInteger(baseOffset) ? { baseOffset, kind: match[2] as SegmentFileKind } : null;
}
