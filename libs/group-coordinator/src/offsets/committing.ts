/**
 * OffsetCommit. Members commit in their generation; who never joined may commit for a group that has no members. A
 * commit is answered, and seen by fetches, once it is replicated.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { CommitOffsetsEvent, RequestToken } from '../events.ts';
import type { ClassicGroup } from '../group/classic-group.ts';
import { extendSession } from '../group/sessions.ts';
import type { OffsetWrite } from '../pending-appends.ts';
import { offsetCommitRecord } from '../records/offset-commit-record.ts';
import type { CommitOffsetsResponse } from '../responses.ts';
import type { ShardState } from '../shard-state.ts';
import type { Step } from '../step.ts';

const NO_RETENTION_OF_ITS_OWN = -1;

export function commitOffsets(step: Step, state: ShardState, event: CommitOffsetsEvent): void {
  const group = groupToCommitTo(state, event);
  const fault = typeof group === 'number' ? group : commitFault(group, event);
  if (fault !== ErrorCode.NONE || typeof group === 'number') {
    step.respond(
      event.token,
      responseTo(event, () => fault),
    );
    return;
  }
  keepSession(step, group, event.memberId);

  const isTooLong = (text: string | null): boolean =>
    text !== null && text.length > step.config.offsetMetadataMaxLength;
  const offsets = offsetsOf(step, event).filter(({ committed }) => !isTooLong(committed.metadata));
  const answer = (errorCode: number): CommitOffsetsResponse =>
    responseTo(event, (metadata) => (isTooLong(metadata) ? ErrorCode.OFFSET_METADATA_TOO_LARGE : errorCode));
  if (offsets.length === 0) {
    step.respond(event.token, answer(ErrorCode.NONE));
    state.forgetIfUnused(group);
    return;
  }
  write(step, state, event.groupId, offsets, event.token, answer);
}

function groupToCommitTo(state: ShardState, event: CommitOffsetsEvent): ClassicGroup | number {
  const known = state.groups.get(event.groupId);
  if (known !== undefined) return known;
  // Whoever states no generation does not take part in group management: any name is a group's.
  if (event.generationId < 0) return state.groupOrFresh(event.groupId);
  return event.namesMissingGroup ? ErrorCode.GROUP_ID_NOT_FOUND : ErrorCode.ILLEGAL_GENERATION;
}

function commitFault(group: ClassicGroup, event: CommitOffsetsEvent): number {
  if (group.state === 'Dead') return ErrorCode.COORDINATOR_NOT_AVAILABLE;
  if (event.generationId < 0 && group.state === 'Empty') return ErrorCode.NONE;
  if (event.generationId < 0 && event.memberId === '' && event.groupInstanceId === null) {
    return ErrorCode.UNKNOWN_MEMBER_ID;
  }
  const member = group.memberOrError(event.memberId, event.groupInstanceId);
  if (typeof member === 'number') return member;
  if (event.generationId !== group.generationId) return ErrorCode.ILLEGAL_GENERATION;
  // The member has joined a generation whose assignment it does not know yet, so what it commits is of the last one.
  return group.state === 'CompletingRebalance' ? ErrorCode.REBALANCE_IN_PROGRESS : ErrorCode.NONE;
}

function keepSession(step: Step, group: ClassicGroup, memberId: string): void {
  const member = group.members.get(memberId);
  if (member !== undefined) extendSession(step, group, member);
}

function offsetsOf(step: Step, event: CommitOffsetsEvent): OffsetWrite[] {
  const expireTimestamp =
    event.retentionTimeMs === NO_RETENTION_OF_ITS_OWN ? null : step.now + event.retentionTimeMs;
  return event.topics.flatMap((topic) =>
    topic.partitions.map((partition) => ({
      topic: topic.name,
      partition: partition.partitionIndex,
      committed: {
        offset: partition.committedOffset,
        leaderEpoch: partition.committedLeaderEpoch,
        metadata: partition.committedMetadata ?? '',
        commitTimestamp: step.now,
        expireTimestamp,
        topicId: topic.topicId,
      },
    })),
  );
}

function write(
  step: Step,
  state: ShardState,
  groupId: string,
  offsets: readonly OffsetWrite[],
  token: RequestToken,
  answer: (errorCode: number) => CommitOffsetsResponse,
): void {
  state.pendingOffsets.add(groupId, offsets);
  const records = offsets.map(({ topic, partition, committed }) =>
    offsetCommitRecord(groupId, topic, partition, committed),
  );
  step.append(records, { kind: 'offsets', groupId, offsets, token, answer });
}

function responseTo(
  event: CommitOffsetsEvent,
  errorOf: (metadata: string | null) => number,
): CommitOffsetsResponse {
  return {
    type: 'commit-offsets',
    topics: event.topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map(({ partitionIndex, committedMetadata }) => ({
        partitionIndex,
        errorCode: errorOf(committedMetadata),
      })),
    })),
  };
}
