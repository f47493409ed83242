/**
 * What is wrong with a request before anything in it counts: another cluster's, not of the metadata log, from or to
 * somebody who does not vote. Gives the one partition of the request, or the refusal.
 */
import { ErrorCode, ZERO_UUID } from '@seatlog/kafka-protocol';
import { METADATA_TOPIC } from '../controller/topic-name.ts';
import type { LeaderAndEpoch } from './quorum-effects.ts';
import {
  METADATA_TOPIC_ID,
  type QuorumApiName,
  type ReceivedRequest,
  type ResponseToSend,
} from './quorum-messages.ts';
import { partitionRefused, requestRefused } from './quorum-answers.ts';
import type { QuorumSettings } from './quorum-settings.ts';

export type Checked<Partition> =
  | { readonly kind: 'sound'; readonly partition: Partition }
  | { readonly kind: 'refused'; readonly answer: ResponseToSend };

type Body<Name extends QuorumApiName> = Extract<ReceivedRequest, { readonly api: Name }>['body'];
type PartitionOf<Name extends 'vote' | 'beginQuorumEpoch' | 'endQuorumEpoch'> =
  Body<Name>['topics'][number]['partitions'][number];
export type FetchedPartition = Body<'fetch'>['topics'][number]['partitions'][number];
export type SnapshotPartition = Body<'fetchSnapshot'>['topics'][number]['partitions'][number];

/** Looks at requests on behalf of one node, whose view of the leader goes into refusals. */
export class RequestCheck {
  readonly #settings: QuorumSettings;
  readonly #leader: () => LeaderAndEpoch;

  constructor(settings: QuorumSettings, leader: () => LeaderAndEpoch) {
    this.#settings = settings;
    this.#leader = leader;
  }

  vote(body: Body<'vote'>): Checked<PartitionOf<'vote'>> {
    const api = 'vote';
    const partition = onlyPartition(body.topics, isNamed);
    if (this.#isForeign(body.clusterId)) return refused(api, ErrorCode.INCONSISTENT_CLUSTER_ID);
    if (partition?.partitionIndex !== 0) return refused(api, ErrorCode.INVALID_REQUEST);
    const { replicaId, replicaEpoch, lastOffset, lastOffsetEpoch, preVote, voterDirectoryId } = partition;
    const isPossible =
      lastOffset >= 0 &&
      lastOffsetEpoch >= 0 &&
      (preVote ? lastOffsetEpoch <= replicaEpoch : lastOffsetEpoch < replicaEpoch);
    if (!isPossible || replicaId === this.#settings.nodeId) return refused(api, ErrorCode.INVALID_REQUEST);
    const errorCode =
      this.#voterError(replicaId) ||
      this.#addresseeError(body.voterId, voterDirectoryId) ||
      this.#epochError(replicaEpoch);
    return this.#partition(api, errorCode, partition);
  }

  beginQuorumEpoch(body: Body<'beginQuorumEpoch'>): Checked<PartitionOf<'beginQuorumEpoch'>> {
    const api = 'beginQuorumEpoch';
    const partition = onlyPartition(body.topics, isNamed);
    if (this.#isForeign(body.clusterId)) return refused(api, ErrorCode.INCONSISTENT_CLUSTER_ID);
    if (partition?.partitionIndex !== 0 || !this.#areReachable(body.leaderEndpoints)) {
      return refused(api, ErrorCode.INVALID_REQUEST);
    }
    const { leaderId, leaderEpoch, voterDirectoryId } = partition;
    if (leaderId === this.#settings.nodeId) return refused(api, ErrorCode.INVALID_REQUEST);
    const errorCode =
      this.#voterError(leaderId) ||
      this.#addresseeError(body.voterId, voterDirectoryId) ||
      this.#epochError(leaderEpoch);
    return this.#partition(api, errorCode, partition);
  }

  endQuorumEpoch(body: Body<'endQuorumEpoch'>): Checked<PartitionOf<'endQuorumEpoch'>> {
    const api = 'endQuorumEpoch';
    const partition = onlyPartition(body.topics, isNamed);
    if (this.#isForeign(body.clusterId)) return refused(api, ErrorCode.INCONSISTENT_CLUSTER_ID);
    if (partition?.partitionIndex !== 0 || !this.#areReachable(body.leaderEndpoints)) {
      return refused(api, ErrorCode.INVALID_REQUEST);
    }
    const { leaderId, leaderEpoch } = partition;
    if (leaderId === this.#settings.nodeId) return refused(api, ErrorCode.INVALID_REQUEST);
    return this.#partition(api, this.#voterError(leaderId) || this.#epochError(leaderEpoch), partition);
  }

  /** Epochs are the leader's matter: see `leaderError`. */
  fetch(body: Body<'fetch'>): Checked<FetchedPartition> {
    const api = 'fetch';
    if (this.#isForeign(body.clusterId)) return refused(api, ErrorCode.INCONSISTENT_CLUSTER_ID);
    const isLog = (topic: Body<'fetch'>['topics'][number]) =>
      topic.topic === METADATA_TOPIC || topic.topicId === METADATA_TOPIC_ID;
    const partition = onlyPartition(body.topics, isLog);
    if (partition?.partition !== 0) return refused(api, ErrorCode.INVALID_REQUEST);
    const { fetchOffset, lastFetchedEpoch, currentLeaderEpoch } = partition;
    const isPossible = fetchOffset >= 0 && lastFetchedEpoch >= 0 && currentLeaderEpoch >= 0;
    if (!isPossible || fetcherOf(body) === this.#settings.nodeId) {
      return this.#partition(api, ErrorCode.INVALID_REQUEST, partition);
    }
    return this.#partition(api, ErrorCode.NONE, partition);
  }

  fetchSnapshot(body: Body<'fetchSnapshot'>): Checked<SnapshotPartition> {
    const api = 'fetchSnapshot';
    if (this.#isForeign(body.clusterId)) return refused(api, ErrorCode.INCONSISTENT_CLUSTER_ID);
    const partition = onlyPartition(body.topics, ({ name }) => name === METADATA_TOPIC);
    if (partition?.partition !== 0) return refused(api, ErrorCode.INVALID_REQUEST);
    return this.#partition(api, ErrorCode.NONE, partition);
  }

  /** Why this node cannot answer for the log as its leader; 0 if it can. */
  leaderError(requestedEpoch: number): number {
    const { leaderId, epoch } = this.#leader();
    if (requestedEpoch < epoch) return ErrorCode.FENCED_LEADER_EPOCH;
    if (requestedEpoch > epoch) return ErrorCode.UNKNOWN_LEADER_EPOCH;
    return leaderId === this.#settings.nodeId ? ErrorCode.NONE : ErrorCode.NOT_LEADER_OR_FOLLOWER;
  }

  #partition<Partition>(api: QuorumApiName, errorCode: number, partition: Partition): Checked<Partition> {
    if (errorCode === ErrorCode.NONE) return { kind: 'sound', partition };
    return { kind: 'refused', answer: partitionRefused(api, errorCode, this.#leader()) };
  }

  #isForeign(clusterId: string | null): boolean {
    return clusterId !== null && clusterId !== this.#settings.clusterId;
  }

  /** Both ends of an election are voters. */
  #voterError(senderId: number): number {
    const { voters, nodeId } = this.#settings;
    const isVoter = (id: number) => voters.some((voter) => voter.id === id);
    return isVoter(senderId) && isVoter(nodeId) ? ErrorCode.NONE : ErrorCode.INCONSISTENT_VOTER_SET;
  }

  /** -1 and the zero uuid say nothing of the addressee. */
  #addresseeError(voterId: number, directoryId: string): number {
    const { nodeId, directoryId: own } = this.#settings;
    const isMeant =
      (voterId === -1 || voterId === nodeId) && (directoryId === ZERO_UUID || directoryId === own);
    return isMeant ? ErrorCode.NONE : ErrorCode.INVALID_VOTER_KEY;
  }

  #epochError(epoch: number): number {
    return epoch < this.#leader().epoch ? ErrorCode.FENCED_LEADER_EPOCH : ErrorCode.NONE;
  }

  /** A leader that names addresses names one of the listener that this node speaks to. */
  #areReachable(endpoints: readonly { readonly name: string }[]): boolean {
    return endpoints.length === 0 || endpoints.some(({ name }) => name === this.#settings.listenerName);
  }
}

/** The replica that fetches; -1 for a consumer. */
export function fetcherOf(body: Body<'fetch'>): number {
  return body.replicaState.replicaId === -1 ? body.replicaId : body.replicaState.replicaId;
}

function refused(api: QuorumApiName, errorCode: number): { kind: 'refused'; answer: ResponseToSend } {
  return { kind: 'refused', answer: requestRefused(api, errorCode) };
}

function isNamed({ topicName }: { readonly topicName: string }): boolean {
  return topicName === METADATA_TOPIC;
}

function onlyPartition<Topic extends { readonly partitions: readonly unknown[] }>(
  topics: readonly Topic[],
  isLog: (topic: Topic) => boolean,
): Topic['partitions'][number] | null {
  const [topic] = topics;
  if (topics.length !== 1 || topic === undefined || !isLog(topic) || topic.partitions.length !== 1)
    return null;
  return topic.partitions[0] ?? null;
}
