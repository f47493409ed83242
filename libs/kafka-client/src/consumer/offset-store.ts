/**
 * A group's committed offsets: commits and reads them at the coordinator, looking for it anew when it moved, again after a
 * pause when it is not ready, until the deadline. Commits carry the membership under which they are made.
 */
import { apis, ErrorCode, type RequestInput, type ResponseOf } from '@seatlog/kafka-protocol';
import { backoffMs } from '../backoff.ts';
import { brokerError } from '../broker-error.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { KafkaClientError } from '../errors.ts';
import type { BrokerConnection } from '../network/broker-connection.ts';
import { asKafkaClientError, coordinatorMoved, worthRepeating, type Coordinator } from './coordinator.ts';
import { partitionKey } from './partition-sets.ts';
import type { TopicPartition } from './types.ts';

/** From this version on OffsetFetch asks for several groups at once. */
const SEVERAL_GROUPS_FROM = 8;

export interface OffsetToCommit extends TopicPartition {
  readonly offset: number;
  readonly leaderEpoch: number;
}

export interface StoredOffset extends TopicPartition {
  /** -1 if none was committed. */
  readonly offset: number;
  readonly leaderEpoch: number;
  readonly metadata: string;
}

export interface Membership {
  readonly memberId: string;
  readonly generation: number;
  readonly groupInstanceId: string | null;
}

type CommitRequest = RequestInput<typeof apis.offsetCommit>;
type FetchResponse = ResponseOf<typeof apis.offsetFetch>;

export class OffsetStore {
  readonly #cluster: Cluster;
  readonly #coordinator: Coordinator;
  readonly #groupId: string;
  readonly #purpose: string;

  constructor(cluster: Cluster, coordinator: Coordinator, groupId: string, purpose: string) {
    this.#cluster = cluster;
    this.#coordinator = coordinator;
    this.#groupId = groupId;
    this.#purpose = purpose;
  }

  /**
   * Commits; `membership` is asked before each attempt. Rejects with the broker's refusal: those of the group
   * (ILLEGAL_GENERATION, REBALANCE_IN_PROGRESS, ...) are the caller's matter.
   */
  async commit(
    offsets: readonly OffsetToCommit[],
    membership: () => Membership,
    deadline: number,
  ): Promise<void> {
    await this.#persist(deadline, async (connection) => {
      const response = await connection.request(apis.offsetCommit, (version) =>
        commitRequest(this.#groupId, offsets, membership(), version),
      );
      const failed = response.topics
        .flatMap(({ name, partitions }) => partitions.map((partition) => ({ name, ...partition })))
        .find(({ errorCode }) => errorCode !== ErrorCode.NONE);
      if (failed === undefined) return ErrorCode.NONE;
      if (worthRepeating(failed.errorCode)) return failed.errorCode;
      throw brokerError(failed.errorCode, {
        what: `the offset of ${failed.name}-${failed.partitionIndex} was not committed for group ${this.#groupId}`,
      });
    });
  }

  /** Committed offsets of these partitions, or of all that the group has. */
  async fetch(
    partitions: readonly TopicPartition[] | null,
    deadline: number,
    requireStable = false,
  ): Promise<readonly StoredOffset[]> {
    let found: readonly StoredOffset[] = [];
    await this.#persist(deadline, async (connection) => {
      const response = await connection.request(apis.offsetFetch, (version) =>
        fetchRequest(this.#groupId, partitions, requireStable, version),
      );
      const group = response.groups[0] ?? response;
      if (group.errorCode !== ErrorCode.NONE) return this.#refusal(group.errorCode);
      const failed = group.topics
        .flatMap((topic) => topic.partitions)
        .find(({ errorCode }) => errorCode !== 0);
      if (failed !== undefined) return this.#refusal(failed.errorCode);
      found = storedOffsets(group.topics);
      return ErrorCode.NONE;
    });
    return found;
  }

  #refusal(errorCode: number): number {
    if (worthRepeating(errorCode)) return errorCode;
    throw brokerError(errorCode, { what: `the offsets of group ${this.#groupId} cannot be read` });
  }

  /** Repeats an attempt that gives the code of an error worth repeating, or fails for want of a connection. */
  async #persist(
    deadline: number,
    attempt: (connection: BrokerConnection) => Promise<number>,
  ): Promise<void> {
    const { ports, retryBackoff } = this.#cluster.settings;
    for (let failures = 1; ; failures++) {
      let error: KafkaClientError;
      try {
        const errorCode = await attempt(await this.#coordinator.connection(this.#purpose));
        if (errorCode === ErrorCode.NONE) return;
        if (coordinatorMoved(errorCode)) this.#coordinator.forget();
        error = brokerError(errorCode, { what: `the coordinator of group ${this.#groupId} is not ready` });
      } catch (cause) {
        error = asKafkaClientError(cause);
        if (!error.retriable) throw error;
        if (error.code.startsWith('CONNECTION') || error.code === 'REQUEST_TIMEOUT')
          this.#coordinator.forget();
      }
      const pause = backoffMs(retryBackoff, failures, ports.random.fraction());
      if (ports.clock.monotonic() + pause > deadline) throw error;
      await new Promise<void>((resolve) => {
        ports.timers.schedule(pause, resolve);
      });
    }
  }
}

function byTopic<P extends TopicPartition>(partitions: readonly P[]): Map<string, P[]> {
  const topics = new Map<string, P[]>();
  const seen = new Map<string, P>();
  // The last one counts if a partition is named twice.
  for (const partition of partitions) seen.set(partitionKey(partition), partition);
  for (const partition of seen.values()) {
    const list = topics.get(partition.topic);
    if (list === undefined) topics.set(partition.topic, [partition]);
    else list.push(partition);
  }
  return topics;
}

function commitRequest(
  groupId: string,
  offsets: readonly OffsetToCommit[],
  membership: Membership,
  version: number,
): CommitRequest {
  return {
    groupId,
    generationIdOrMemberEpoch: membership.generation,
    memberId: membership.memberId,
    ...(version >= 7 ? { groupInstanceId: membership.groupInstanceId } : {}),
    topics: Array.from(byTopic(offsets), ([name, partitions]) => ({
      name,
      partitions: partitions.map(({ partition, offset, leaderEpoch }) => ({
        partitionIndex: partition,
        committedOffset: offset,
        committedLeaderEpoch: leaderEpoch,
        committedMetadata: '',
      })),
    })),
  };
}

function fetchRequest(
  groupId: string,
  partitions: readonly TopicPartition[] | null,
  requireStable: boolean,
  version: number,
): RequestInput<typeof apis.offsetFetch> {
  const topics =
    partitions === null
      ? null
      : Array.from(byTopic(partitions), ([name, list]) => ({
          name,
          partitionIndexes: list.map(({ partition }) => partition),
        }));
  const stable = version >= 7 ? { requireStable } : {};
  return version >= SEVERAL_GROUPS_FROM
    ? { groups: [{ groupId, topics }], ...stable }
    : { groupId, topics, ...stable };
}

function storedOffsets(topics: FetchResponse['topics']): StoredOffset[] {
  return topics.flatMap(({ name, partitions }) =>
    partitions.map(({ partitionIndex, committedOffset, committedLeaderEpoch, metadata }) => ({
      topic: name,
      partition: partitionIndex,
      offset: committedOffset,
      leaderEpoch: committedLeaderEpoch,
      metadata: metadata ?? '',
    })),
  );
}
