/**
 * DeleteRecords 0-2: raises the log start offsets of partitions that this broker leads; -1 means up to the high
 * watermark. Answered when all partitions are done. The logs of coordinators are not cut, nor those of topics that are
 * compacted and nothing else, where POLICY_VIOLATION says so.
 */
import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import { isInternalTopic } from '@seatlog/metadata-quorum';
import type { BrokerServices } from '../services.ts';
import { defineHandler } from './handler.ts';

interface PartitionResult {
  readonly partitionIndex: number;
  readonly lowWatermark: number;
  readonly errorCode: number;
}

export const deleteRecords = defineHandler(apis.deleteRecords, (services) => (request, _context, respond) => {
  const results: { readonly name: string; readonly partitions: PartitionResult[] }[] = [];
  // One more than there are partitions, so that an answer given at once does not end the whole.
  let pending = 1;
  const finishOne = (): void => {
    pending -= 1;
    if (pending === 0) respond({ throttleTimeMs: 0, topics: results });
  };
  for (const { name, partitions } of request.topics) {
    const topicResults: PartitionResult[] = [];
    results.push({ name, partitions: topicResults });
    for (const [place, { partitionIndex, offset }] of partitions.entries()) {
      pending += 1;
      deletePartition(
        services,
        name,
        partitionIndex,
        offset,
        request.timeoutMs,
        (errorCode, lowWatermark) => {
          topicResults[place] = { partitionIndex, errorCode, lowWatermark };
          finishOne();
        },
      );
    }
  }
  finishOne();
});

function deletePartition(
  { replicas, metadata }: BrokerServices,
  topic: string,
  partition: number,
  offset: number,
  timeoutMs: number,
  done: (errorCode: number, lowWatermark: number) => void,
): void {
  if (isInternalTopic(topic)) done(ErrorCode.INVALID_TOPIC_EXCEPTION, -1);
  else if (metadata.image.topics.get(topic)?.partitions[partition] === undefined) {
    done(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1);
  } else replicas.deleteRecords(topic, partition, offset, timeoutMs, done);
}
