/**
 * DescribeLogDirs 1-5: the replicas of this broker with their sizes; all of them for null, else those asked for that are
 * here. There is one log directory. How large its volume is, and how much is free, is not told (-1).
 */
import { resolve } from 'node:path';
import { apis, ErrorCode, type RequestOf } from '@seatlog/kafka-protocol';
import type { Partition } from '../replica-manager/partition.ts';
import { defineHandler } from './handler.ts';

type Asked = RequestOf<typeof apis.describeLogDirs>['topics'];

export const describeLogDirs = defineHandler(
  apis.describeLogDirs,
  ({ config, replicas }) =>
    (request, _context, respond) => {
      const topics = new Map<string, Partition[]>();
      const isAsked = askedFor(request.topics);
      for (const partition of replicas.partitions()) {
        if (!isAsked(partition)) continue;
        topics.set(partition.topic, [...(topics.get(partition.topic) ?? []), partition]);
      }
      const result = {
        errorCode: ErrorCode.NONE,
        logDir: resolve(config.values['log.dirs'] ?? config.values['log.dir']),
        topics: [...topics].map(([name, partitions]) => ({ name, partitions: partitions.map(described) })),
      };
      respond({ throttleTimeMs: 0, results: [result] });
    },
);

function askedFor(topics: Asked): (partition: Partition) => boolean {
  if (topics === null) return () => true;
  const asked = new Set(topics.flatMap(({ topic, partitions }) => partitions.map((id) => `${topic}-${id}`)));
  return ({ topic, index }) => asked.has(`${topic}-${index}`);
}

function described({ index, log, highWatermark, logEndOffset }: Partition) {
  return {
    partitionIndex: index,
    partitionSize: log.sizeBytes,
    offsetLag: Math.max(0, highWatermark - logEndOffset),
    isFutureKey: false,
  };
}
