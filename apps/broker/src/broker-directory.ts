/** A node's log directory: opened with its events led to whom they concern, and closed with the clean-stop marker. */
import { type LogDirectory, LogError, type LogListener, openLogDirectory } from '@seatlog/commit-log';
import type { BrokerPorts } from './broker-ports.ts';
import { clusterIdFor } from './cluster-id.ts';
import type { BrokerConfig } from './config/broker-config.ts';
import type { Logger } from './logger.ts';

/** So many partitions are named in an error. */
const MAX_NAMED = 10;

/** What the replicas of a broker hear of their logs. */
export type LogProgress = Required<
  Pick<LogListener, 'logEndOffsetAdvanced' | 'logStartOffsetRaised' | 'failed'>
>;

/** A node without replicas has nobody to tell. */
export const noProgress: LogProgress = {
  logEndOffsetAdvanced: () => {},
  logStartOffsetRaised: () => {},
  failed: () => {},
};

export function openNodeDirectory(
  { values }: BrokerConfig,
  { fileSystem, random, clock, timers, turns }: BrokerPorts,
  progress: LogProgress,
  log: Logger,
): LogDirectory {
  const path = values['log.dirs'] ?? values['log.dir'];
  return openLogDirectory({
    path,
    clusterId: clusterIdFor(values, path, fileSystem, random),
    nodeId: values['node.id'],
    fileSystem,
    clock,
    timers,
    turns,
    random,
    listener: {
      logEndOffsetAdvanced: (partitionLog) => progress.logEndOffsetAdvanced(partitionLog),
      logStartOffsetRaised: (partitionLog) => progress.logStartOffsetRaised(partitionLog),
      failed: (partitionLog, error) => {
        const { topic, partition } = partitionLog;
        const { code, hint } = error;
        log.error('A log takes no more appends', { topic, partition, code, hint, error });
        progress.failed(partitionLog, error);
      },
      report: ({ level, message, partition }) =>
        log[level](message, partition === undefined ? {} : { partition }),
    },
    limits: { tailCacheBytes: values['seatlog.log.tail.cache.bytes'] },
    intervals: {
      retentionCheckMs: values['log.retention.check.interval.ms'],
      recoveryPointCheckpointMs: values['log.flush.offset.checkpoint.interval.ms'],
      logStartOffsetCheckpointMs: values['log.flush.start.offset.checkpoint.interval.ms'],
      highWatermarkCheckpointMs: values['replica.high.watermark.checkpoint.interval.ms'],
      producerIdExpirationMs: values['producer.id.expiration.ms'],
    },
  });
}

/**
 * A broker that registers with the epoch of a clean stop says that it has all it had (F24). Where that turns out wrong it
 * must not be let in; at its next start there is no marker, and it registers as one that may have lost records.
 */
export function requireWholeLogs({ shortened }: LogDirectory): void {
  if (shortened.size === 0) return;
  const names = [...shortened].slice(0, MAX_NAMED).join(', ');
  const message = `${shortened.size} partitions end before where the last clean stop left them (${names}); start again to fetch what is missing`;
  throw new LogError('LOG_CORRUPT', message);
}

/** Without a word to the caller if it fails: then there is no clean-stop marker, and the next start recovers. */
export function closeDirectory(directory: LogDirectory, brokerEpoch: number, log: Logger): Promise<void> {
  return new Promise((resolve) => {
    directory.close({ brokerEpoch }, (error) => {
      if (error !== null)
        log.warn('The logs could not be closed cleanly; the next start recovers them', { error });
      resolve();
    });
  });
}
