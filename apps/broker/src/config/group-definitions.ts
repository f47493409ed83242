/** Consumer groups, committed offsets, transactions. */
import { int, long, oneOf, short } from './value-types.ts';

const MINUTE_MS = 60_000;

export const groupDefinitions = {
  'group.min.session.timeout.ms': int(6000, { min: 0 }, 'The shortest session timeout a member may ask for.'),
  'group.max.session.timeout.ms': int(
    30 * MINUTE_MS,
    { min: 0 },
    'The longest session timeout a member may ask for.',
  ),
  'group.initial.rebalance.delay.ms': int(
    3000,
    { min: 0 },
    'How long an empty group waits for more members before its first generation.',
  ),
  'group.max.size': int(2_147_483_647, { min: 1 }, 'The most members of a group.'),
  'group.consumer.session.timeout.ms': int(
    45_000,
    { min: 1 },
    'Session timeout of groups of the consumer protocol.',
  ),
  'group.consumer.heartbeat.interval.ms': int(
    5000,
    { min: 1 },
    'Heartbeat interval of groups of the consumer protocol.',
  ),
  'offset.metadata.max.bytes': int(4096, { min: 0 }, 'The longest metadata text of a committed offset.'),
  'offsets.topic.num.partitions': int(50, { min: 1 }, 'Partitions of __consumer_offsets.'),
  'offsets.topic.replication.factor': short(3, { min: 1 }, 'Replicas of __consumer_offsets.'),
  'offsets.topic.segment.bytes': int(104_857_600, { min: 14 }, 'Segment size of __consumer_offsets.'),
  'offsets.topic.compression.codec': int(
    0,
    { min: 0, max: 4 },
    'Compression of batches in __consumer_offsets.',
  ),
  'offsets.load.buffer.size': int(
    5_242_880,
    { min: 1 },
    'Bytes read at a time when a partition of __consumer_offsets is loaded.',
  ),
  'offsets.commit.timeout.ms': int(5000, { min: 1 }, 'How long a commit waits to be replicated.'),
  'offsets.retention.minutes': int(10_080, { min: 1 }, 'How long the offsets of an empty group are kept.'),
  'offsets.retention.check.interval.ms': long(
    600_000,
    { min: 1 },
    'How often expired offsets are looked for.',
  ),
  'transaction.state.log.num.partitions': int(50, { min: 1 }, 'Partitions of __transaction_state.'),
  'transaction.state.log.replication.factor': short(3, { min: 1 }, 'Replicas of __transaction_state.'),
  'transaction.state.log.min.isr': int(2, { min: 1 }, 'Minimal ISR of __transaction_state.'),
  'transaction.state.log.segment.bytes': int(
    104_857_600,
    { min: 14 },
    'Segment size of __transaction_state.',
  ),
  'transaction.max.timeout.ms': int(
    15 * MINUTE_MS,
    { min: 1 },
    'The longest transaction timeout a producer may ask for.',
  ),
  'transactional.id.expiration.ms': int(
    604_800_000,
    { min: 1 },
    'How long an idle transactional id is kept.',
  ),
  'group.coordinator.rebalance.protocols': oneOf(
    ['classic'],
    'classic',
    'Protocols of group coordination that are served.',
  ),
} as const;
