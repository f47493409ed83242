/** What of a topic's configs its logs go by. */
import type { CleanupPolicy, LogConfig } from '@seatlog/commit-log';
import type { TopicConfig } from './topic-config.ts';
import { UNLIMITED } from './value-types.ts';

export function logConfigOf(topic: TopicConfig): LogConfig {
  return {
    segmentBytes: topic['segment.bytes'],
    segmentMs: topic['segment.ms'],
    segmentIndexBytes: topic['segment.index.bytes'],
    indexIntervalBytes: topic['index.interval.bytes'],
    retentionMs: topic['retention.ms'],
    retentionBytes: topic['retention.bytes'],
    cleanupPolicy: cleanupPolicy(topic['cleanup.policy']),
    flushMessages: orInfinity(topic['flush.messages']),
    flushMs: orInfinity(topic['flush.ms']),
    fileDeleteDelayMs: topic['file.delete.delay.ms'],
    messageTimestampType: topic['message.timestamp.type'],
  };
}

function orInfinity(value: number): number {
  return value >= UNLIMITED ? Number.POSITIVE_INFINITY : value;
}

function cleanupPolicy(policies: readonly string[]): CleanupPolicy {
  if (!policies.includes('compact')) return 'delete';
  return policies.includes('delete') ? 'compact,delete' : 'compact';
}
