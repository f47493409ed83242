/**
 * A leader proposes another ISR for its partitions (R13).
 *
 * The controller accepts it if the proposal comes from the leader it knows, in the epochs it knows, and every member is
 * live in the incarnation that the leader saw. Proposals do not depend on each other.
 *
 * An ISR that completes a move to other replicas takes effect together with the end of the move. If the sender is not
 * among the replicas that stay, another leads then, and the answer is NEW_LEADER_ELECTED though the change is made.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { ClusterImage, PartitionImage } from '../image/cluster-image.ts';
import { isActive, isLost, LeaderRecoveryState, topicById } from '../image/cluster-image.ts';
import { foldAll } from '../image/image-draft.ts';
import type { MetadataRecord } from '../records/metadata-record.ts';
import { withBroker } from './broker-lifecycle.ts';
import type { ConfigSchema } from './config-schema.ts';
import type { Decision } from './decision.ts';
import { orRefusal, Refusal, repeated } from './decision.ts';
import { leadershipRules } from './leadership-rules.ts';
import { decideLeadership } from './partition-leadership.ts';

export interface IsrMember {
  readonly brokerId: number;
  /** The epoch of the incarnation whose fetches the leader saw; -1: any. */
  readonly brokerEpoch: number;
}

export interface IsrProposal {
  readonly topicId: string;
  readonly partitionIndex: number;
  readonly leaderEpoch: number;
  readonly partitionEpoch: number;
  readonly isr: readonly IsrMember[];
  readonly leaderRecoveryState: number;
}

export interface AlterPartitionRequest {
  readonly brokerId: number;
  readonly brokerEpoch: number;
  readonly partitions: readonly IsrProposal[];
}

export interface AlteredPartition {
  readonly topicId: string;
  readonly partitionIndex: number;
  readonly errorCode: number;
  readonly errorMessage: string | null;
  /** The partition as it is after the change; null if it was refused, or is led by another now. */
  readonly partition: PartitionImage | null;
}

export interface AlterPartitionAnswer {
  /** NONE, or what is wrong with the sender: then there are no results. */
  readonly errorCode: number;
  readonly errorMessage: string | null;
  readonly partitions: readonly AlteredPartition[];
}

export function alterPartitions(
  image: ClusterImage,
  request: AlterPartitionRequest,
  schema: ConfigSchema,
): Decision<AlterPartitionAnswer> {
  const sender = withBroker(image, request.brokerId, request.brokerEpoch, () => []).answer;
  if (sender.errorCode !== ErrorCode.NONE) {
    return {
      records: [],
      answer: { errorCode: sender.errorCode, errorMessage: sender.errorMessage, partitions: [] },
    };
  }
  const records: MetadataRecord[] = [];
  const twice = repeated(request.partitions.map(partitionKey));
  const partitions = request.partitions.map((proposal) => {
    const { topicId, partitionIndex } = proposal;
    return orRefusal<AlteredPartition>(
      () => {
        if (twice.has(partitionKey(proposal))) {
          throw new Refusal(ErrorCode.INVALID_REQUEST, 'The request has more than one proposal for it.');
        }
        const { record, partition } = accept(image, request.brokerId, proposal, schema);
        if (record !== null) records.push(record);
        if (partition.leader !== request.brokerId) {
          const errorMessage = `With this change broker ${partition.leader} leads.`;
          const errorCode = ErrorCode.NEW_LEADER_ELECTED;
          return { topicId, partitionIndex, errorCode, errorMessage, partition: null };
        }
        return { topicId, partitionIndex, errorCode: ErrorCode.NONE, errorMessage: null, partition };
      },
      ({ errorCode, message }) => ({
        topicId,
        partitionIndex,
        errorCode,
        errorMessage: message,
        partition: null,
      }),
    );
  });
  return { records, answer: { errorCode: ErrorCode.NONE, errorMessage: null, partitions } };
}

function partitionKey({ topicId, partitionIndex }: IsrProposal): string {
  return `${topicId}:${partitionIndex}`;
}

function accept(
  image: ClusterImage,
  brokerId: number,
  proposal: IsrProposal,
  schema: ConfigSchema,
): { readonly record: MetadataRecord | null; readonly partition: PartitionImage } {
  const topic = topicById(image, proposal.topicId);
  if (topic === undefined) {
    throw new Refusal(ErrorCode.UNKNOWN_TOPIC_ID, `There is no topic with id ${proposal.topicId}.`);
  }
  const partition = topic.partitions[proposal.partitionIndex];
  if (partition === undefined) {
    const what = `${topic.name}-${proposal.partitionIndex}`;
    throw new Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, `There is no partition ${what}.`);
  }
  checkEpochs(partition, brokerId, proposal);
  checkMembers(image, partition, proposal);
  const record = decideLeadership(
    topic.id,
    partition,
    { isr: proposal.isr.map((member) => member.brokerId), leaderRecoveryState: proposal.leaderRecoveryState },
    leadershipRules(image, schema, topic.name),
  );
  const after = record === null ? image : foldAll(image, [record]);
  return { record, partition: after.topics.get(topic.name)?.partitions[partition.index] ?? partition };
}

function checkEpochs(partition: PartitionImage, brokerId: number, proposal: IsrProposal): void {
  const { leaderEpoch, partitionEpoch } = proposal;
  if (leaderEpoch > partition.leaderEpoch || partitionEpoch > partition.partitionEpoch) {
    throw new Refusal(ErrorCode.NOT_CONTROLLER, 'The proposal knows more than this controller does.');
  }
  if (leaderEpoch < partition.leaderEpoch) {
    throw new Refusal(ErrorCode.FENCED_LEADER_EPOCH, `The leader epoch is ${partition.leaderEpoch} by now.`);
  }
  if (brokerId !== partition.leader) {
    throw new Refusal(ErrorCode.INVALID_REQUEST, `Broker ${brokerId} does not lead the partition.`);
  }
  if (partitionEpoch < partition.partitionEpoch) {
    throw new Refusal(
      ErrorCode.INVALID_UPDATE_VERSION,
      `The partition epoch is ${partition.partitionEpoch} by now.`,
    );
  }
}

function checkMembers(image: ClusterImage, partition: PartitionImage, proposal: IsrProposal): void {
  const ids = proposal.isr.map((member) => member.brokerId);
  if (repeated(ids).size > 0 || ids.some((id) => !partition.replicas.includes(id))) {
    throw new Refusal(ErrorCode.INVALID_REQUEST, `The ISR ${ids.join(', ')} is no part of the replicas.`);
  }
  if (!ids.includes(partition.leader)) {
    throw new Refusal(ErrorCode.INVALID_REQUEST, `The ISR ${ids.join(', ')} is without the leader.`);
  }
  const recovering = proposal.leaderRecoveryState === LeaderRecoveryState.RECOVERING;
  if (recovering && (ids.length > 1 || partition.leaderRecoveryState === LeaderRecoveryState.RECOVERED)) {
    throw new Refusal(
      ErrorCode.INVALID_REQUEST,
      'A recovering leader is alone in its ISR, and recovers once.',
    );
  }
  for (const { brokerId, brokerEpoch } of proposal.isr) {
    const broker = image.brokers.get(brokerId);
    const isIncarnation = brokerEpoch === -1 || broker?.epoch === brokerEpoch;
    const isLosing = isLost(partition, brokerId) && !partition.isr.includes(brokerId);
    if (!isActive(broker) || !isIncarnation || isLosing) {
      throw new Refusal(ErrorCode.INELIGIBLE_REPLICA, `Broker ${brokerId} cannot be in an ISR now.`);
    }
  }
}
