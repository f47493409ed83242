/** The coordinator's limits, from the broker's configuration. */
import { defaultGroupConfig, type GroupConfig } from '@seatlog/group-coordinator';
import type { BrokerConfig } from '../config/broker-config.ts';

const MINUTE_MS = 60_000;

/** Strings in records of old versions have 32,767 bytes, and a UTF-16 unit takes at most three of them. */
const LONGEST_OFFSET_METADATA = 10_922;

export function groupSettings({ values }: BrokerConfig): GroupConfig {
  return {
    ...defaultGroupConfig,
    minSessionTimeoutMs: values['group.min.session.timeout.ms'],
    maxSessionTimeoutMs: values['group.max.session.timeout.ms'],
    initialRebalanceDelayMs: values['group.initial.rebalance.delay.ms'],
    maxSize: values['group.max.size'],
    offsetMetadataMaxLength: Math.min(values['offset.metadata.max.bytes'], LONGEST_OFFSET_METADATA),
    commitTimeoutMs: values['offsets.commit.timeout.ms'],
    offsetsRetentionMs: values['offsets.retention.minutes'] * MINUTE_MS,
  };
}
