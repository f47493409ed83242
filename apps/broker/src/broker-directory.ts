/** Opens the broker's log directory, with its events led to the replicas and to the log. */
import { type LogDirectory, openLogDirectory } from '@seatlog/commit-log';
import type { BrokerPorts } from './broker-ports.ts';
import { clusterIdFor } from './cluster-id.ts';
import type { BrokerConfig } from './config/broker-config.ts';
import type { Logger } from './logger.ts';
import type { LocalReplicas } from './replica-manager/local-replicas.ts';

export function openBrokerDirectory(
  { values }: BrokerConfig,
  { fileSystem, random, clock, timers, turns }: BrokerPorts,
  replicas: LocalReplicas,
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
      logEndOffsetAdvanced: (partitionLog) => replicas.logEndOffsetAdvanced(partitionLog),
      logStartOffsetRaised: (partitionLog) => replicas.logStartOffsetRaised(partitionLog),
      failed: ({ topic, partition }, error) =>
        log.error('A log takes no more appends', {
          topic,
          partition,
          code: error.code,
          hint: error.hint,
          error,
        }),
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
