/** Defaults and rules of the consumer's options, applied once. Pure. */
import { KafkaClientError } from '../errors.ts';
import type { AnyTopic } from '../topics/topic.ts';
import type { Assignor } from './assignors/assignor.ts';
import { cooperativeStickyAssignor } from './assignors/cooperative-sticky.ts';
import { rangeAssignor } from './assignors/range.ts';
import { roundRobinAssignor } from './assignors/round-robin.ts';
import type { AssignorName, ConsumerOptions, OffsetReset, PartitionsCallback } from './types.ts';

export interface ConsumerSettings {
  readonly groupId: string | null;
  readonly topics: readonly (string | AnyTopic)[];
  readonly groupInstanceId: string | null;
  readonly assignors: readonly Assignor[];
  /** Whether all assignors let members keep their partitions while the group rebalances. */
  readonly cooperative: boolean;
  readonly sessionTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  readonly maxPollIntervalMs: number;
  readonly maxPollRecords: number;
  readonly autoOffsetReset: OffsetReset;
  readonly autoCommitIntervalMs: number | null;
  readonly readCommitted: boolean;
  readonly checkCrcs: boolean;
  readonly rackId: string;
  readonly fetchMinBytes: number;
  readonly fetchMaxWaitMs: number;
  readonly fetchMaxBytes: number;
  readonly maxPartitionFetchBytes: number;
  readonly maxBufferedBytes: number;
  readonly onAssigned: PartitionsCallback | null;
  readonly onRevoked: PartitionsCallback | null;
  readonly onLost: PartitionsCallback | null;
}

const ASSIGNORS: Readonly<Record<AssignorName, Assignor>> = {
  range: rangeAssignor,
  roundrobin: roundRobinAssignor,
  'cooperative-sticky': cooperativeStickyAssignor,
};

export function consumerSettings(options: ConsumerOptions<string | AnyTopic>): ConsumerSettings {
  const assignors = (options.assignors ?? ['range', 'cooperative-sticky']).map((name) => ASSIGNORS[name]);
  const settings: ConsumerSettings = {
    groupId: options.groupId ?? null,
    topics: options.topics ?? [],
    groupInstanceId: options.groupInstanceId ?? null,
    assignors,
    cooperative: assignors.every((assignor) => assignor?.cooperative),
    sessionTimeoutMs: options.sessionTimeoutMs ?? 45_000,
    heartbeatIntervalMs: options.heartbeatIntervalMs ?? 3000,
    maxPollIntervalMs: options.maxPollIntervalMs ?? 300_000,
    maxPollRecords: options.maxPollRecords ?? 500,
    autoOffsetReset: options.autoOffsetReset ?? 'latest',
    autoCommitIntervalMs: options.autoCommitIntervalMs ?? null,
    readCommitted: options.isolationLevel === 'read_committed',
    checkCrcs: options.checkCrcs ?? true,
    rackId: options.rackId ?? '',
    fetchMinBytes: options.fetchMinBytes ?? 1,
    fetchMaxWaitMs: options.fetchMaxWaitMs ?? 500,
    fetchMaxBytes: options.fetchMaxBytes ?? 52_428_800,
    maxPartitionFetchBytes: options.maxPartitionFetchBytes ?? 1_048_576,
    maxBufferedBytes: options.maxBufferedBytes ?? 67_108_864,
    onAssigned: options.onAssigned ?? null,
    onRevoked: options.onRevoked ?? null,
    onLost: options.onLost ?? null,
  };
  check(settings);
  return Object.freeze(settings);
}

function check(settings: ConsumerSettings): void {
  const { assignors, heartbeatIntervalMs, sessionTimeoutMs, maxPollRecords, groupId, topics } = settings;
  if (assignors.length === 0 || assignors.includes(undefined as unknown as Assignor)) {
    throw invalid('assignors are unknown or none', "use 'range', 'roundrobin' or 'cooperative-sticky'");
  }
  if (heartbeatIntervalMs * 2 > sessionTimeoutMs) {
    throw invalid(
      `heartbeatIntervalMs ${heartbeatIntervalMs} is more than half of sessionTimeoutMs ${sessionTimeoutMs}`,
      'a third of the session timeout is a good interval',
    );
  }
  if (!Number.isInteger(maxPollRecords) || maxPollRecords < 1) {
    throw invalid(`maxPollRecords is ${maxPollRecords}`, 'use a whole number from 1 on');
  }
  if (groupId !== null && topics.length === 0 && settings.autoCommitIntervalMs !== null) {
    throw invalid('autoCommitIntervalMs without topics to subscribe to', 'name topics, or commit by hand');
  }
  for (const name of [
    'fetchMinBytes',
    'fetchMaxWaitMs',
    'fetchMaxBytes',
    'maxPartitionFetchBytes',
  ] as const) {
    if (!Number.isInteger(settings[name]) || settings[name] < 0) {
      throw invalid(`${name} is ${settings[name]}`, 'use a whole number');
    }
  }
}

function invalid(message: string, hint: string): KafkaClientError {
  return new KafkaClientError('INVALID_CONFIGURATION', `consumer: ${message}`, { retriable: false, hint });
}
