import type { LogConfig } from './log-config.ts';
import type { LogSegment } from './log-segment.ts';

/** What retention goes by; only segments wholly below the high watermark are ever deleted. */
export interface RetentionLimits {
  readonly config: LogConfig;
  readonly now: number;
  readonly logStartOffset: number;
  readonly highWatermark: number;
}

/**
 * How many of the oldest segments may go. They go in order: the first that must stay keeps all behind it. The active
 * segment counts like the others; the caller begins another before it takes the last.
 */
export function countDeletable(segments: readonly LogSegment[], limits: RetentionLimits): number {
  let size = segments.reduce((total, segment) => total + segment.sizeBytes, 0);
  let count = 0;
  for (const segment of segments) {
    if (segment.sizeBytes === 0 || segment.nextOffset > limits.highWatermark) break;
    const belowStart = segment.nextOffset <= limits.logStartOffset;
    if (!belowStart && !isExpired(segment, limits) && !isSurplus(size - segment.sizeBytes, limits.config))
      break;
    size -= segment.sizeBytes;
    count += 1;
  }
  return count;
}

function isExpired(segment: LogSegment, { config, now }: RetentionLimits): boolean {
  if (!deletesByPolicy(config) || config.retentionMs < 0) return false;
  return now - segment.latestTimestamp() > config.retentionMs;
}

function isSurplus(sizeWithout: number, config: LogConfig): boolean {
  return deletesByPolicy(config) && config.retentionBytes >= 0 && sizeWithout >= config.retentionBytes;
}

function deletesByPolicy(config: LogConfig): boolean {
  return config.cleanupPolicy !== 'compact';
}
