/** OffsetFetch: what a group has committed and is replicated. */
import { ErrorCode, ZERO_UUID } from '@seatlog/kafka-protocol';
import type { CommittedOffset } from './committed-offset.ts';
import type { OffsetStore } from './offset-store.ts';

export interface OffsetFetchTopic {
  readonly name: string;
  /** The id that the topic has now, `ZERO_UUID` where it is not known. */
  readonly topicId: string;
  readonly partitionIndexes: readonly number[];
}

export interface FetchedOffset {
  readonly partitionIndex: number;
  /** The next offset to read, -1 if none is committed. */
  readonly committedOffset: number;
  readonly committedLeaderEpoch: number;
  readonly metadata: string;
  readonly errorCode: number;
}

export interface FetchedTopic {
  readonly name: string;
  readonly topicId: string;
  readonly partitions: readonly FetchedOffset[];
}

/** `topics` null: all that the group has committed. A group that nobody knows has committed nothing. */
export function fetchOffsets(
  offsets: OffsetStore,
  groupId: string,
  topics: readonly OffsetFetchTopic[] | null,
): readonly FetchedTopic[] {
  if (topics === null) return fetchAll(offsets, groupId);
  return topics.map(({ name, topicId, partitionIndexes }) => ({
    name,
    topicId,
    partitions: partitionIndexes.map((partition) => {
      const committed = offsets.get(groupId, name, partition);
      return fetched(partition, isOfTopic(committed, topicId) ? committed : undefined);
    }),
  }));
}

/** What was committed for a topic of the same name that is gone is not an offset of this one. */
function isOfTopic(committed: CommittedOffset | undefined, topicId: string): boolean {
  if (committed === undefined) return false;
  return committed.topicId === topicId || committed.topicId === ZERO_UUID || topicId === ZERO_UUID;
}

function fetchAll(offsets: OffsetStore, groupId: string): readonly FetchedTopic[] {
  const topics = new Map<string, { topicId: string; partitions: FetchedOffset[] }>();
  for (const { topic, partition, committed } of offsets.of(groupId)) {
    const known = topics.get(topic) ?? { topicId: committed.topicId, partitions: [] };
    known.partitions.push(fetched(partition, committed));
    topics.set(topic, known);
  }
  return [...topics].map(([name, { topicId, partitions }]) => ({ name, topicId, partitions }));
}

function fetched(partitionIndex: number, committed: CommittedOffset | undefined): FetchedOffset {
  return {
    partitionIndex,
    committedOffset: committed?.offset ?? -1,
    committedLeaderEpoch: committed?.leaderEpoch ?? -1,
    metadata: committed?.metadata ?? '',
    errorCode: ErrorCode.NONE,
  };
}
