/** The answer to DescribeQuorum: who leads, what is committed, and how far everybody has come. */
import { type apis, ErrorCode, type RequestOf, type ResponseInput } from '@seatlog/kafka-protocol';
import { METADATA_TOPIC } from '../controller/topic-name.ts';
import type { QuorumDescription, QuorumMember } from './quorum-description.ts';
import type { QuorumSettings } from './quorum-settings.ts';

type DescribeQuorumRequest = RequestOf<typeof apis.describeQuorum>;
type DescribeQuorumResponse = ResponseInput<typeof apis.describeQuorum>;

/** The first version of the answer that names the voters' listeners, and replicas' directories. */
const NODES_SINCE = 2;

/** `version`: of the request. Only the leader knows how the others stand; anybody else says who leads. */
export function describeQuorum(
  quorum: QuorumDescription,
  settings: QuorumSettings,
  request: DescribeQuorumRequest,
  version: number,
): DescribeQuorumResponse {
  const topics = request.topics.map(({ topicName, partitions }) => ({
    topicName,
    partitions: partitions.map(({ partitionIndex }) =>
      topicName === METADATA_TOPIC && partitionIndex === 0
        ? describePartition(quorum, version)
        : refused(partitionIndex, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, quorum),
    ),
  }));
  return version < NODES_SINCE
    ? { errorCode: 0, topics }
    : { errorCode: 0, topics, nodes: nodesOf(settings) };
}

function describePartition(quorum: QuorumDescription, version: number) {
  const replicaState = (member: QuorumMember) => ({
    ...progressOf(member),
    ...(version < NODES_SINCE ? {} : { replicaDirectoryId: member.directoryId }),
  });
  if (quorum.role !== 'leader') return refused(0, ErrorCode.NOT_LEADER_OR_FOLLOWER, quorum);
  return {
    partitionIndex: 0,
    errorCode: ErrorCode.NONE,
    leaderId: quorum.leader.leaderId,
    leaderEpoch: quorum.leader.epoch,
    highWatermark: quorum.highWatermark,
    currentVoters: quorum.voters.map(replicaState),
    observers: quorum.observers.map(replicaState),
  };
}

function refused(partitionIndex: number, errorCode: number, { leader }: QuorumDescription) {
  return {
    partitionIndex,
    errorCode,
    leaderId: leader.leaderId,
    leaderEpoch: leader.epoch,
    highWatermark: -1,
    currentVoters: [],
    observers: [],
  };
}

function progressOf({ id, logEndOffset, lastFetchTimestamp, lastCaughtUpTimestamp }: QuorumMember) {
  return { replicaId: id, logEndOffset, lastFetchTimestamp, lastCaughtUpTimestamp };
}

function nodesOf({ voters, listenerName: name }: QuorumSettings) {
  return voters.map(({ id, host, port }) => ({ nodeId: id, listeners: [{ name, host, port }] }));
}
