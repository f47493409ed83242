/** Logs: segments, retention, flushing, timestamps. Most have a topic config that overrides them. */
import {
  boolean,
  double,
  int,
  list,
  long,
  oneOf,
  optionalInt,
  optionalLong,
  optionalString,
  string,
  UNLIMITED,
} from './value-types.ts';

const DAY_MS = 86_400_000;

export const logDefinitions = {
  'log.dir': string('/tmp/kafka-logs', 'The directory of the logs, unless log.dirs is given.'),
  'log.dirs': optionalString('The directory of the logs. One directory is supported.'),
  'message.max.bytes': int(1_048_588, { min: 0 }, 'The largest record batch, as it comes (compressed).'),
  'compression.type': oneOf(
    ['producer'],
    'producer',
    'Batches are stored as producers compressed them; nothing else is supported.',
  ),
  'log.segment.bytes': int(1_073_741_824, { min: 14 }, 'The size at which a segment is rolled.'),
  'log.roll.ms': optionalLong({ min: 1 }, 'The age at which a segment is rolled.', ['log.roll.hours']),
  'log.roll.hours': int(
    168,
    { min: 1 },
    'The age at which a segment is rolled, unless log.roll.ms is given.',
  ),
  'log.roll.jitter.ms': optionalLong({ min: 0 }, 'The most by which rolls are spread.', [
    'log.roll.jitter.hours',
  ]),
  'log.roll.jitter.hours': int(
    0,
    { min: 0 },
    'The most by which rolls are spread, unless log.roll.jitter.ms is given.',
  ),
  'log.retention.ms': optionalLong({ min: -1 }, 'How long records are kept; -1: for good.', [
    'log.retention.minutes',
    'log.retention.hours',
  ]),
  'log.retention.minutes': optionalInt(
    { min: -1 },
    'How long records are kept, unless log.retention.ms is given.',
  ),
  'log.retention.hours': int(
    168,
    { min: -1 },
    'How long records are kept, unless log.retention.ms or .minutes is given.',
  ),
  'log.retention.bytes': long(-1, { min: -1 }, 'How many bytes of a partition are kept; -1: no bound.'),
  'log.retention.check.interval.ms': long(300_000, { min: 1 }, 'How often retention is looked at.'),
  'log.flush.offset.checkpoint.interval.ms': int(
    60_000,
    { min: 1 },
    'How often the points up to which logs are flushed are written to the checkpoint.',
  ),
  'log.flush.start.offset.checkpoint.interval.ms': int(
    60_000,
    { min: 1 },
    'How often log start offsets are written to the checkpoint.',
  ),
  'log.segment.delete.delay.ms': long(
    60_000,
    { min: 0 },
    'How long the files of a deleted segment stay on disk.',
  ),
  'log.index.interval.bytes': int(4096, { min: 0 }, 'Bytes of log between two index entries.'),
  'log.index.size.max.bytes': int(
    10_485_760,
    { min: 12 },
    'The size at which a full index rolls its segment.',
  ),
  'log.preallocate': boolean(false, 'Whether segment files are allocated at their full size.'),
  'log.flush.interval.messages': long(
    UNLIMITED,
    { min: 1 },
    'Records after which a partition is flushed to disk. 1: flushed before every ack, shared by all that wait.',
  ),
  'log.flush.interval.ms': optionalLong({ min: 0 }, 'How long records may stay unflushed.', [
    'log.flush.scheduler.interval.ms',
  ]),
  'log.flush.scheduler.interval.ms': long(UNLIMITED, { min: 0 }, 'How often unflushed logs are looked for.'),
  'log.cleanup.policy': list(['delete'], 'delete, compact, or both.', ['delete', 'compact']),
  'log.cleaner.enable': boolean(true, 'Whether compacted topics are compacted.'),
  'log.cleaner.min.cleanable.ratio': double(
    0.5,
    { min: 0, max: 1 },
    'The share of a log that must be dirty before it is compacted.',
  ),
  'log.cleaner.min.compaction.lag.ms': long(0, { min: 0 }, 'How long a record stays out of compaction.'),
  'log.cleaner.max.compaction.lag.ms': long(
    UNLIMITED,
    { min: 1 },
    'How long a record may stay out of compaction.',
  ),
  'log.cleaner.delete.retention.ms': long(DAY_MS, { min: 0 }, 'How long tombstones are kept.'),
  'log.cleaner.backoff.ms': long(
    15_000,
    { min: 0 },
    'How long the cleaner sleeps when there is nothing to do.',
  ),
  'log.message.timestamp.type': oneOf(
    ['CreateTime', 'LogAppendTime'],
    'CreateTime',
    'Whose time records bear.',
  ),
  'log.message.timestamp.before.max.ms': long(UNLIMITED, { min: 0 }, 'How far in the past a record may lie.'),
  'log.message.timestamp.after.max.ms': long(
    3_600_000,
    { min: 0 },
    'How far in the future a record may lie.',
  ),
  'seatlog.log.tail.cache.bytes': long(
    33_554_432,
    { min: 0 },
    'Bytes of the latest batches, of all partitions together, that are kept in memory for readers.',
  ),
  'producer.id.expiration.ms': int(
    DAY_MS,
    { min: 1 },
    'How long the state of a silent idempotent producer is kept.',
  ),
} as const;
