/** A client in a story: it remembers its member id and generation as a real one does. */
import { ErrorCode, encodeAssignment, encodeSubscription, ZERO_UUID } from '@seatlog/kafka-protocol';
import type { CommitOffsetsEvent } from '../events.ts';
import type { JoinResponse, SyncResponse } from '../responses.ts';
import type { Asked, GroupWorld } from './group-world.ts';

export interface ActorOptions {
  readonly groupId?: string;
  readonly instanceId?: string;
  /** JoinGroup's version; it decides whether ids are handed out first and whether assignments may be skipped. */
  readonly version?: number;
  readonly sessionTimeoutMs?: number;
  readonly rebalanceTimeoutMs?: number;
  readonly protocols?: readonly string[];
  readonly protocolType?: string;
  readonly topics?: readonly string[];
}

const latestJoinVersion = 9;

export const assignmentOf = (...partitions: number[]): Uint8Array =>
  new Uint8Array(encodeAssignment({ assignedPartitions: [{ topic: 'seats', partitions }] }));

export class GroupActor {
  readonly name: string;
  readonly groupId: string;
  memberId = '';
  generationId = -1;
  instanceId: string | null;
  protocols: readonly string[];
  topics: readonly string[];
  lastJoin: Asked<JoinResponse> | null = null;
  lastSync: Asked<SyncResponse> | null = null;
  readonly #world: GroupWorld;
  readonly #options: ActorOptions;

  constructor(world: GroupWorld, name: string, options: ActorOptions) {
    this.#world = world;
    this.name = name;
    this.#options = options;
    this.groupId = options.groupId ?? 'db-writer';
    this.instanceId = options.instanceId ?? null;
    this.protocols = options.protocols ?? ['range'];
    this.topics = options.topics ?? ['seats'];
  }

  get version(): number {
    return this.#options.version ?? latestJoinVersion;
  }

  /** One JoinGroup request as it is. */
  asksToJoin(): Asked<JoinResponse> {
    const metadata = encodeSubscription({ topics: [...this.topics] });
    this.lastJoin = this.#world.ask({
      type: 'join',
      groupId: this.groupId,
      memberId: this.memberId,
      groupInstanceId: this.instanceId,
      clientId: this.name,
      clientHost: '/127.0.0.1',
      sessionTimeoutMs: this.#options.sessionTimeoutMs ?? 10_000,
      rebalanceTimeoutMs: this.version === 0 ? -1 : (this.#options.rebalanceTimeoutMs ?? 30_000),
      protocolType: this.#options.protocolType ?? 'consumer',
      protocols: this.protocols.map((name) => ({ name, metadata })),
      reason: null,
      uuid: this.#uuid(),
      requiresKnownMemberId: this.version >= 4,
      supportsSkippingAssignment: this.version >= 9,
    });
    return this.lastJoin;
  }

  /** Joins as clients do: with the id that it was given, if it was given one. */
  joins(): Asked<JoinResponse> {
    const asked = this.asksToJoin();
    if (asked.answer?.errorCode !== ErrorCode.MEMBER_ID_REQUIRED) return asked;
    this.memberId = asked.answer.memberId;
    return this.asksToJoin();
  }

  /** Takes in the answer to its join. */
  learnsGeneration(): JoinResponse {
    const answer = this.lastJoin?.answer;
    if (answer === undefined) throw new Error(`${this.name} has no answer to its join`);
    if (answer.errorCode !== ErrorCode.NONE) throw new Error(`${this.name} was refused: ${answer.errorCode}`);
    this.memberId = answer.memberId;
    this.generationId = answer.generationId;
    return answer;
  }

  /** Asks for its assignment; a leader brings the others'. */
  syncs(assignments: Readonly<Record<string, Uint8Array>> = {}): Asked<SyncResponse> {
    this.lastSync = this.#world.ask({
      type: 'sync',
      groupId: this.groupId,
      memberId: this.memberId,
      generationId: this.generationId,
      groupInstanceId: this.instanceId,
      protocolType: null,
      protocolName: null,
      assignments: Object.entries(assignments).map(([memberId, assignment]) => ({ memberId, assignment })),
    });
    return this.lastSync;
  }

  /** Gives the error code. */
  heartbeats(): number | undefined {
    return this.#world.ask({
      type: 'heartbeat',
      groupId: this.groupId,
      memberId: this.memberId,
      generationId: this.generationId,
      groupInstanceId: this.instanceId,
    }).answer?.errorCode;
  }

  leaves(): number | undefined {
    const answer = this.#world.ask({
      type: 'leave',
      groupId: this.groupId,
      members: [{ memberId: this.memberId, groupInstanceId: this.instanceId, reason: null }],
    }).answer;
    return answer?.members[0]?.errorCode ?? answer?.errorCode;
  }

  commits(partition: number, offset: number, change: Partial<CommitOffsetsEvent> = {}) {
    const asked = this.#world.ask({
      type: 'commit-offsets',
      groupId: this.groupId,
      memberId: this.memberId,
      generationId: this.generationId,
      groupInstanceId: this.instanceId,
      retentionTimeMs: -1,
      namesMissingGroup: true,
      topics: [commitTo('seats', partition, offset)],
      ...change,
    });
    return {
      get errorCode(): number | undefined {
        return asked.answer?.topics[0]?.partitions[0]?.errorCode;
      },
    };
  }

  /** The committed offset that a fetch gives. */
  committed(partition: number, topic = 'seats'): number | undefined {
    const topics = [{ name: topic, topicId: ZERO_UUID, partitionIndexes: [partition] }];
    return this.#world.shard.fetchOffsets(this.groupId, topics)[0]?.partitions[0]?.committedOffset;
  }

  deletesOffsets(topic: string, ...partitions: number[]) {
    return this.#world.ask({
      type: 'delete-offsets',
      groupId: this.groupId,
      topics: [{ name: topic, partitions }],
    });
  }

  #uuid(): string {
    return Buffer.from(this.#world.random.bytes(16)).toString('hex');
  }
}

export function commitTo(
  name: string,
  partitionIndex: number,
  committedOffset: number,
  metadata: string | null = null,
) {
  return {
    name,
    topicId: ZERO_UUID,
    partitions: [{ partitionIndex, committedOffset, committedLeaderEpoch: -1, committedMetadata: metadata }],
  };
}

/** All are in the group, and each has its share of as many partitions as there are members. */
export function settle(world: GroupWorld, ...actors: readonly GroupActor[]): void {
  for (const actor of actors) if (actor.lastJoin?.answer === undefined) actor.joins();
  if (actors.some(({ lastJoin }) => lastJoin?.answer === undefined)) {
    world.advance(world.config.initialRebalanceDelayMs * 2);
  }
  const answers = actors.map((actor) => ({ actor, answer: actor.learnsGeneration() }));
  const shares: Record<string, Uint8Array> = {};
  actors.forEach(({ memberId }, index) => {
    shares[memberId] = assignmentOf(index);
  });
  for (const { actor, answer } of answers) {
    actor.syncs(answer.leader === actor.memberId ? shares : {});
  }
}
