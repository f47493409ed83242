/**
 * AlterPartition 2-3 (R13): a leader proposes another ISR. Members without epochs (version 2) are taken in whatever
 * incarnation they are.
 */
import { apis, ErrorCode, type RequestOf, type ResponseInput } from '@seatlog/kafka-protocol';
import {
  type AlteredPartition,
  alterPartitions,
  type IsrMember,
  type IsrProposal,
} from '@seatlog/metadata-quorum';
import { defineControllerHandler } from '../../handlers/handler.ts';

type Request = RequestOf<typeof apis.alterPartition>;
type TopicResult = ResponseInput<typeof apis.alterPartition>['topics'][number];

const EPOCHS_FROM = 3;
const ANY_EPOCH = -1;

export const alterPartition = defineControllerHandler(
  apis.alterPartition,
  ({ metadata, topicCreation }) =>
    (request, { apiVersion }, respond) => {
      const { brokerId, brokerEpoch } = request;
      const proposal = { brokerId, brokerEpoch, partitions: proposals(request, apiVersion) };
      metadata.change(
        (image) => alterPartitions(image, proposal, topicCreation.schema),
        (outcome) => {
          if (outcome.kind === 'failed') {
            respond({ throttleTimeMs: 0, errorCode: outcome.errorCode, topics: [] });
            return;
          }
          const { errorCode, partitions } = outcome.answer;
          respond({ throttleTimeMs: 0, errorCode, topics: byTopic(partitions) });
        },
      );
    },
);

function proposals({ topics }: Request, apiVersion: number): readonly IsrProposal[] {
  return topics.flatMap(({ topicId, partitions }) =>
    partitions.map((partition) => ({
      topicId,
      partitionIndex: partition.partitionIndex,
      leaderEpoch: partition.leaderEpoch,
      partitionEpoch: partition.partitionEpoch,
      isr: members(partition, apiVersion),
      leaderRecoveryState: partition.leaderRecoveryState,
    })),
  );
}

function members(
  { newIsr, newIsrWithEpochs }: Request['topics'][number]['partitions'][number],
  apiVersion: number,
): readonly IsrMember[] {
  if (apiVersion >= EPOCHS_FROM) return newIsrWithEpochs;
  return newIsr.map((brokerId) => ({ brokerId, brokerEpoch: ANY_EPOCH }));
}

function byTopic(altered: readonly AlteredPartition[]): readonly TopicResult[] {
  const topics = new Map<string, TopicResult['partitions'][number][]>();
  for (const result of altered) {
    const partitions = topics.get(result.topicId) ?? [];
    topics.set(result.topicId, partitions);
    partitions.push(partitionResult(result));
  }
  return [...topics].map(([topicId, partitions]) => ({ topicId, partitions }));
}

function partitionResult({ partitionIndex, errorCode, partition }: AlteredPartition) {
  return {
    partitionIndex,
    errorCode:
      partition === null && errorCode === ErrorCode.NONE ? ErrorCode.UNKNOWN_SERVER_ERROR : errorCode,
    leaderId: partition?.leader ?? 0,
    leaderEpoch: partition?.leaderEpoch ?? 0,
    isr: partition?.isr ?? [],
    leaderRecoveryState: partition?.leaderRecoveryState ?? 0,
    partitionEpoch: partition?.partitionEpoch ?? 0,
  };
}
