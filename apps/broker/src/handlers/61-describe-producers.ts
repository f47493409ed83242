/**
 * DescribeProducers 0: the producers that a partition's leader remembers, with what each appended last. Only the leader
 * answers: who asks another one is told NOT_LEADER_OR_FOLLOWER.
 */
import { apis, ErrorCode, errorByCode, type ResponseInput } from '@seatlog/kafka-protocol';
import { topicNameProblem } from '@seatlog/metadata-quorum';
import type { BrokerServices } from '../services.ts';
import { defineHandler } from './handler.ts';

type Topic = ResponseInput<typeof apis.describeProducers>['topics'][number];
type PartitionAnswer = Topic['partitions'][number];

export const describeProducers = defineHandler(
  apis.describeProducers,
  ({ replicas }) =>
    (request, _context, respond) => {
      respond({
        throttleTimeMs: 0,
        topics: request.topics.map(({ name, partitionIndexes }) => ({
          name,
          partitions: partitionIndexes.map((index) => describePartition(replicas, name, index)),
        })),
      });
    },
);

function refused(partitionIndex: number, errorCode: number): PartitionAnswer {
  return { partitionIndex, errorCode, errorMessage: errorByCode(errorCode).message, activeProducers: [] };
}

function describePartition(
  replicas: BrokerServices['replicas'],
  topic: string,
  partitionIndex: number,
): PartitionAnswer {
  if (topicNameProblem(topic) !== null) return refused(partitionIndex, ErrorCode.INVALID_TOPIC_EXCEPTION);
  const { partition, errorCode } = replicas.led(topic, partitionIndex);
  if (partition === undefined || errorCode !== ErrorCode.NONE) return refused(partitionIndex, errorCode);
  return {
    partitionIndex,
    errorCode,
    activeProducers: partition.log.producers.map((producer) => ({
      producerId: producer.producerId,
      producerEpoch: producer.producerEpoch,
      lastSequence: producer.lastSequence,
      lastTimestamp: producer.lastTimestamp,
      coordinatorEpoch: producer.coordinatorEpoch,
      currentTxnStartOffset: producer.currentTransactionFirstOffset,
    })),
  };
}
