/** The quorum's part of `/state`, and what a node without replicas tells there. */
import type { QuorumMember } from '@seatlog/metadata-quorum';
import type { NodeState } from '../node-options.ts';
import type { DescribedQuorum } from '../quorum/metadata-quorum.ts';

export function quorumState(quorum: DescribedQuorum): object {
  const { role, isVoter, leader, votedId, highWatermark, logEndOffset, voters, observers } =
    quorum.description;
  const member = ({
    id,
    logEndOffset: reached,
    lastFetchTimestamp,
    lastCaughtUpTimestamp,
  }: QuorumMember) => ({
    nodeId: id,
    logEndOffset: reached,
    lag: Math.max(0, logEndOffset - reached),
    lastFetchTimestamp,
    lastCaughtUpTimestamp,
  });
  return {
    role,
    isVoter,
    leaderId: leader.leaderId,
    leaderEpoch: leader.epoch,
    votedId,
    isActiveController: quorum.term !== null,
    highWatermark,
    logEndOffset,
    voters: voters.map(member),
    observers: observers.map(member),
  };
}

/** With the fields of a broker that a controller has as well. */
export function controllerState(
  quorum: DescribedQuorum,
  lifecycleState: NodeState,
  listeners: readonly object[],
): object {
  return {
    broker: {
      nodeId: quorum.nodeId,
      clusterId: quorum.clusterId,
      roles: ['controller'],
      state: lifecycleState,
      controllerId: quorum.controllerId,
      metadataOffset: quorum.image.lastOffset,
      listeners,
    },
    quorum: quorumState(quorum),
    fetchers: [],
    partitions: [],
    groups: [],
  };
}
