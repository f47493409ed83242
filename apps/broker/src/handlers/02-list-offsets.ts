/**
 * ListOffsets: -1 the end (high watermark, or last stable offset for read_committed), -2 the log start, -3 (from version 7
 * on) the record with the greatest timestamp, else the first record of that time or later. Nothing is moved to tiered storage:
 * what is kept locally (-4) begins at the log start, and nothing was or will be moved (-5, -6). No such record: offset -1,
 * timestamp -1, no error. A partition that is named twice is INVALID_REQUEST. While a new leader's high watermark is behind the start of its epoch, ends and times are
 * not yet known: OFFSET_NOT_AVAILABLE (LEADER_NOT_AVAILABLE below version 5).
 */
import { LogError } from '@seatlog/commit-log';
import { apis, ErrorCode, ProtocolError, type RequestOf, type ResponseInput } from '@seatlog/kafka-protocol';
import {
  EARLIEST_LOCAL_TIMESTAMP,
  EARLIEST_PENDING_UPLOAD_TIMESTAMP,
  EARLIEST_TIMESTAMP,
  LATEST_TIERED_TIMESTAMP,
  LATEST_TIMESTAMP,
  MAX_TIMESTAMP,
  NO_OFFSET,
  offsetForTimestamp,
} from '../replica-manager/offset-by-time.ts';
import type { Partition } from '../replica-manager/partition.ts';
import type { BrokerServices } from '../services.ts';
import { defineHandler } from './handler.ts';

type ListOffsetsRequest = RequestOf<typeof apis.listOffsets>;
type PartitionRequest = ListOffsetsRequest['topics'][number]['partitions'][number];
type PartitionResponse = ResponseInput<typeof apis.listOffsets>['topics'][number]['partitions'][number];

const LEADER_EPOCH_FROM = 4;
const OFFSET_NOT_AVAILABLE_FROM = 5;
/** Since when a timestamp stands for something else than a time. */
const MEANT_FROM: ReadonlyMap<number, number> = new Map([
  [LATEST_TIMESTAMP, 0],
  [EARLIEST_TIMESTAMP, 0],
  [MAX_TIMESTAMP, 7],
  [EARLIEST_LOCAL_TIMESTAMP, 8],
  [LATEST_TIERED_TIMESTAMP, 9],
  [EARLIEST_PENDING_UPLOAD_TIMESTAMP, 11],
]);
const READ_COMMITTED = 1;
const CONSUMER = -1;

export const listOffsets = defineHandler(apis.listOffsets, (services) => (request, context, respond) => {
  respond({
    topics: request.topics.map(({ name, partitions }) => ({
      name,
      partitions: distinct(partitions, (partition) =>
        answerFor(services, request, name, partition, context.apiVersion),
      ),
    })),
  });
});

/** One answer for each partition, INVALID_REQUEST for one that is named twice. */
function distinct(
  partitions: readonly PartitionRequest[],
  answer: (partition: PartitionRequest) => PartitionResponse,
): readonly PartitionResponse[] {
  const answers = new Map<number, PartitionResponse>();
  for (const partition of partitions) {
    const { partitionIndex } = partition;
    answers.set(
      partitionIndex,
      answers.has(partitionIndex) ? failure(partitionIndex, ErrorCode.INVALID_REQUEST) : answer(partition),
    );
  }
  return [...answers.values()];
}

function answerFor(
  services: BrokerServices,
  request: ListOffsetsRequest,
  topic: string,
  { partitionIndex, currentLeaderEpoch, timestamp }: PartitionRequest,
  apiVersion: number,
): PartitionResponse {
  const found = services.replicas.led(topic, partitionIndex, currentLeaderEpoch);
  const { partition } = found;
  if (partition === undefined || found.errorCode !== ErrorCode.NONE)
    return failure(partitionIndex, found.errorCode);
  const isConsumer = request.replicaId === CONSUMER;
  if (timestamp < 0 && apiVersion < (MEANT_FROM.get(timestamp) ?? Infinity)) {
    return failure(partitionIndex, ErrorCode.UNSUPPORTED_VERSION);
  }
  if (isConsumer && timestamp !== EARLIEST_TIMESTAMP && !isHighWatermarkOfEpoch(partition)) {
    return failure(
      partitionIndex,
      apiVersion >= OFFSET_NOT_AVAILABLE_FROM
        ? ErrorCode.OFFSET_NOT_AVAILABLE
        : ErrorCode.LEADER_NOT_AVAILABLE,
    );
  }
  try {
    const answer = offsetForTimestamp(partition, timestamp, boundFor(partition, request));
    const { offset, leaderEpoch } = answer;
    return {
      partitionIndex,
      errorCode: ErrorCode.NONE,
      offset,
      timestamp: answer.timestamp,
      ...(apiVersion >= LEADER_EPOCH_FROM ? { leaderEpoch } : {}),
    };
  } catch (error) {
    if (error instanceof LogError) return failure(partitionIndex, error.kafkaErrorCode);
    if (error instanceof ProtocolError) return failure(partitionIndex, ErrorCode.CORRUPT_MESSAGE);
    throw error;
  }
}

function boundFor(partition: Partition, { replicaId, isolationLevel }: ListOffsetsRequest): number {
  if (replicaId !== CONSUMER) return partition.logEndOffset;
  return isolationLevel === READ_COMMITTED ? partition.lastStableOffset : partition.highWatermark;
}

function isHighWatermarkOfEpoch(partition: Partition): boolean {
  const entry = partition.log.leaderEpochs.findLast(({ epoch }) => epoch === partition.leaderEpoch);
  return entry === undefined || partition.highWatermark >= entry.startOffset;
}

function failure(partitionIndex: number, errorCode: number): PartitionResponse {
  return { partitionIndex, errorCode, ...NO_OFFSET };
}
