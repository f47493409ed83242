/**
 * The groups that this broker coordinates: one `CoordinatedPartition` for each partition of `__consumer_offsets` that
 * it leads. Leadership comes and goes with the metadata; each term begins with reading the partition back, also when
 * this broker led it before, since another may have written meanwhile.
 */
import {
  type GroupConfig,
  type GroupRequest,
  type GroupRequestBody,
  type GroupRequestType,
  type GroupResponseTo,
  type GroupShard,
  type OffsetFetchTopic,
  refusalOf,
  requestFault,
} from '@seatlog/group-coordinator';
import { ErrorCode } from '@seatlog/kafka-protocol';
import { changesBetween, type ClusterImage, GROUP_OFFSETS_TOPIC } from '@seatlog/metadata-quorum';
import type { Cancel } from '@seatlog/runtime';
import type { AutomaticTopics } from '../controller/automatic-topics.ts';
import type { MetadataService } from '../metadata/metadata-service.ts';
import { OccasionalLog } from '../network/occasional-log.ts';
import type { LeadershipChange } from '../replica-manager/replica-manager.ts';
import { CoordinatedPartition, type CoordinatedPartitionOptions } from './coordinated-partition.ts';
import type {
  Coordinator,
  FetchedOffsets,
  GroupDescription,
  GroupListing,
  GroupService,
  GroupSummary,
} from './group-service.ts';
import { groupSettings } from './group-settings.ts';
import { coordinatorOf, ensureOffsetsTopic, noCoordinator, offsetsPartitionOf } from './offsets-topic.ts';
import { LoadingTurns } from './loading-turns.ts';
import { isOfType } from './parked-requests.ts';

export interface GroupCoordinatorOptions extends Omit<CoordinatedPartitionOptions, 'groupConfig'> {
  readonly metadata: MetadataService;
  readonly automaticTopics: AutomaticTopics;
}

/** The groups of a partition, or why this broker does not serve them. */
type Place =
  | { readonly partition: CoordinatedPartition; readonly shard: GroupShard }
  | { readonly shard: null; readonly errorCode: number };

export class GroupCoordinator implements GroupService {
  readonly #options: GroupCoordinatorOptions;
  readonly #groupConfig: GroupConfig;
  readonly #complaints: OccasionalLog;
  readonly #loadingTurns: LoadingTurns;
  readonly #led = new Map<number, CoordinatedPartition>();
  readonly #stops: (() => void)[] = [];
  #cancelSweep: Cancel = () => {};

  constructor(options: GroupCoordinatorOptions) {
    this.#options = options;
    this.#groupConfig = groupSettings(options.config);
    this.#loadingTurns = new LoadingTurns(options.turns);
    this.#complaints = new OccasionalLog(options.clock, options.log);
  }

  start(): void {
    const { metadata, replicas } = this.#options;
    this.#stops.push(
      replicas.onLeadership((change) => this.#leadershipChanged(change)),
      metadata.subscribe((image, previous) => this.#metadataChanged(image, previous)),
    );
    this.#scheduleSweep();
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
    this.#cancelSweep();
    for (const partition of this.#led.values()) partition.resign();
    this.#led.clear();
  }

  ask<T extends GroupRequestType>(
    type: T,
    request: GroupRequestBody<T>,
    respond: (response: GroupResponseTo<T>) => void,
  ): void {
    const place = this.#placeOf(request.groupId);
    if (place.shard !== null) {
      place.partition.ask(type, request, respond);
      return;
    }
    // With type and token it is the request of that type again; nobody will ask for this token.
    const whole = { ...request, type, token: 0 } as unknown as GroupRequest;
    const fault = requestFault(whole, this.#groupConfig);
    const refusal = refusalOf(whole, fault ?? whileAbsent(type, place.errorCode));
    if (isOfType(refusal, type)) respond(refusal);
  }

  fetchOffsets(groupId: string, topics: readonly OffsetFetchTopic[] | null): FetchedOffsets {
    const place = this.#placeOf(groupId);
    if (place.shard === null) return { errorCode: place.errorCode, topics: [] };
    return { errorCode: ErrorCode.NONE, topics: place.shard.fetchOffsets(groupId, topics) };
  }

  describe(groupId: string): GroupDescription {
    const place = this.#placeOf(groupId);
    if (place.shard === null) return { errorCode: place.errorCode, group: null };
    return { errorCode: ErrorCode.NONE, group: place.shard.describe(groupId) ?? null };
  }

  list(): GroupListing {
    const partitions = [...this.#led.values()];
    const isLoading = partitions.some(
      ({ shard, absenceError }) => shard === null && absenceError === ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    );
    if (isLoading) return { errorCode: ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, groups: [] };
    return { errorCode: ErrorCode.NONE, groups: partitions.flatMap(({ shard }) => shard?.list() ?? []) };
  }

  findCoordinator(groupId: string, listenerName: string, done: (coordinator: Coordinator) => void): void {
    const { metadata } = this.#options;
    ensureOffsetsTopic(this.#options, (errorCode, errorMessage) => {
      const coordinator =
        errorCode === ErrorCode.NONE
          ? coordinatorOf(metadata.image, groupId, listenerName)
          : noCoordinator(errorMessage ?? '', errorCode);
      if (coordinator.errorCode !== ErrorCode.NONE) this.#complain(groupId, coordinator);
      done(coordinator);
    });
  }

  summaries(): readonly GroupSummary[] {
    return [...this.#led.values()].flatMap(({ shard }) =>
      shard === null ? [] : shard.list().map(({ groupId }) => summaryOf(shard, groupId)),
    );
  }

  /** Clients ask again and again without a word to their users, so the operator is told. */
  #complain(groupId: string, { errorMessage }: Coordinator): void {
    this.#complaints.warn('a group has no coordinator', {
      groupId,
      reason: errorMessage,
      hint: 'offsets.topic.replication.factor must not be above the number of live brokers',
    });
  }

  #placeOf(groupId: string): Place {
    const index = offsetsPartitionOf(this.#options.metadata.image, groupId);
    const partition = index === undefined ? undefined : this.#led.get(index);
    if (partition === undefined) return { shard: null, errorCode: ErrorCode.NOT_COORDINATOR };
    const { shard } = partition;
    return shard === null ? { shard, errorCode: partition.absenceError } : { partition, shard };
  }

  #leadershipChanged(change: LeadershipChange): void {
    if (change.topic !== GROUP_OFFSETS_TOPIC) return;
    const current = this.#led.get(change.partition);
    if (change.kind !== 'elected') {
      current?.resign();
      this.#led.delete(change.partition);
      return;
    }
    if (current?.leaderEpoch === change.leaderEpoch) return;
    current?.resign();
    const partition = this.#options.replicas.partition(change.topic, change.partition);
    if (partition === undefined) return;
    const led = new CoordinatedPartition(partition, change.leaderEpoch, {
      ...this.#options,
      turns: this.#loadingTurns,
      groupConfig: this.#groupConfig,
    });
    this.#led.set(change.partition, led);
    led.load();
  }

  #metadataChanged(image: ClusterImage, previous: ClusterImage): void {
    if (image.topics === previous.topics) return;
    const deleted = changesBetween(previous, image).deletedTopics.map(({ name, id }) => ({
      name,
      topicId: id,
    }));
    if (deleted.length === 0) return;
    for (const partition of this.#led.values()) partition.topicsDeleted(deleted);
  }

  #scheduleSweep(): void {
    const { config, timers } = this.#options;
    this.#cancelSweep = timers.schedule(config.values['offsets.retention.check.interval.ms'], () => {
      for (const partition of this.#led.values()) partition.expireOffsets();
      this.#scheduleSweep();
    });
  }
}

/**
 * A heartbeat during the load is good news: the member is there, and its session begins anew when the load is done.
 * Clients take any error that they do not expect here for fatal.
 */
function whileAbsent(type: GroupRequestType, errorCode: number): number {
  const isLoading = errorCode === ErrorCode.COORDINATOR_LOAD_IN_PROGRESS;
  return type === 'heartbeat' && isLoading ? ErrorCode.NONE : errorCode;
}

function summaryOf(shard: GroupShard, groupId: string): GroupSummary {
  const group = shard.describe(groupId);
  return {
    groupId,
    state: group?.groupState ?? 'Dead',
    members: group?.members.length ?? 0,
    committed: shard.fetchOffsets(groupId, null).flatMap(({ name, partitions }) =>
      partitions.map(({ partitionIndex, committedOffset }) => ({
        topic: name,
        partition: partitionIndex,
        offset: committedOffset,
      })),
    ),
  };
}
