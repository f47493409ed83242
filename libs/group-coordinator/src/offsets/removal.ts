/**
 * Taking away: groups that a client deletes, offsets that a client deletes, offsets past their retention, offsets of
 * topics that are gone. Each is written as tombstones, and counts once these are replicated.
 *
 * All moves of groups to and from Dead (`group-state.ts` draws them) are made here.
 */
import { ErrorCode, ZERO_UUID } from '@seatlog/kafka-protocol';
import type { DeleteGroupEvent, DeleteOffsetsEvent, RequestToken } from '../events.ts';
import type { ClassicGroup } from '../group/classic-group.ts';
import { subscribedTopics, usesConsumerProtocol } from '../group/subscription.ts';
import { groupTombstone } from '../records/group-metadata-record.ts';
import { offsetTombstone } from '../records/offset-commit-record.ts';
import type { ShardState } from '../shard-state.ts';
import type { Step } from '../step.ts';
import type { OffsetKey } from './committed-offset.ts';
import { expiredOffsets } from './expiry.ts';

/** Tombstones in one batch: with the longest names they stay well below a batch's limit of a mebibyte. */
const MAX_TOMBSTONES_PER_APPEND = 1000;

export function deleteGroup(step: Step, state: ShardState, event: DeleteGroupEvent): void {
  const group = state.groups.get(event.groupId);
  if (group === undefined || group.state === 'Dead') {
    step.respond(event.token, { type: 'delete-group', errorCode: ErrorCode.GROUP_ID_NOT_FOUND });
    return;
  }
  if (group.state !== 'Empty') {
    step.respond(event.token, { type: 'delete-group', errorCode: ErrorCode.NON_EMPTY_GROUP });
    return;
  }
  step.info('group is deleted', { groupId: group.groupId });
  bury(step, state, group, event.token);
}

/** Offsets still on their way are taken back too: their records come before the tombstones. */
function bury(step: Step, state: ShardState, group: ClassicGroup, token: RequestToken | null): void {
  const { groupId } = group;
  for (const memberId of group.pendingMembers.keys()) step.cancel({ kind: 'session', groupId, memberId });
  group.pendingMembers.clear();
  group.enter('Dead', step.now);
  removeOffsets(step, groupId, [...state.offsets.of(groupId), ...state.pendingOffsets.of(groupId)]);
  step.append([groupTombstone(groupId)], { kind: 'group-removed', groupId, token });
}

function removeOffsets(step: Step, groupId: string, keys: readonly OffsetKey[]): void {
  for (let from = 0; from < keys.length; from += MAX_TOMBSTONES_PER_APPEND) {
    const part = keys.slice(from, from + MAX_TOMBSTONES_PER_APPEND);
    step.append(
      part.map(({ topic, partition }) => offsetTombstone(groupId, topic, partition)),
      { kind: 'offsets-removed', groupId, keys: part, request: null },
    );
  }
}

/** The group's tombstone is replicated. */
export function completeBurial(state: ShardState, groupId: string): void {
  state.groups.delete(groupId);
  // Tombstones of offsets that could not be written leave what a group that never had members would.
  if (state.offsets.hasOffsets(groupId)) state.groupOrFresh(groupId);
}

/** The group's tombstone could not be written: it lives on. */
export function abandonBurial(step: Step, state: ShardState, groupId: string): void {
  const group = state.groups.get(groupId);
  if (group?.state === 'Dead') group.enter('Empty', step.now);
}

export function deleteOffsets(step: Step, state: ShardState, event: DeleteOffsetsEvent): void {
  const group = state.groups.get(event.groupId);
  const refuse = (errorCode: number): void =>
    step.respond(event.token, { type: 'delete-offsets', errorCode, topics: [] });
  if (group === undefined || group.state === 'Dead') {
    refuse(ErrorCode.GROUP_ID_NOT_FOUND);
    return;
  }
  if (group.state !== 'Empty' && !usesConsumerProtocol(group)) {
    refuse(ErrorCode.NON_EMPTY_GROUP);
    return;
  }
  const isInUse = topicsInUse(group);
  const topics = event.topics.map(({ name, partitions }) => ({
    name,
    partitions: partitions.map((partitionIndex) => ({
      partitionIndex,
      errorCode: isInUse(name) ? ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC : ErrorCode.NONE,
    })),
  }));
  const keys = event.topics
    .filter(({ name }) => !isInUse(name))
    .flatMap(({ name, partitions }) => partitions.map((partition) => ({ topic: name, partition })))
    .filter(({ topic, partition }) => isKnown(state, event.groupId, topic, partition));
  const response = { type: 'delete-offsets', errorCode: ErrorCode.NONE, topics } as const;
  if (keys.length === 0) {
    step.respond(event.token, response);
    return;
  }
  const last = keys.slice(-MAX_TOMBSTONES_PER_APPEND);
  removeOffsets(step, event.groupId, keys.slice(0, -MAX_TOMBSTONES_PER_APPEND));
  step.append(
    last.map(({ topic, partition }) => offsetTombstone(event.groupId, topic, partition)),
    {
      kind: 'offsets-removed',
      groupId: event.groupId,
      keys: last,
      request: { token: event.token, response },
    },
  );
}

/** A topic that members read is in use; where that cannot be told, every topic is. */
function topicsInUse(group: ClassicGroup): (topic: string) => boolean {
  if (group.state === 'Empty') return () => false;
  const subscribed = subscribedTopics(group);
  return (topic) => subscribed?.has(topic) ?? true;
}

function isKnown(state: ShardState, groupId: string, topic: string, partition: number): boolean {
  return (
    state.offsets.get(groupId, topic, partition) !== undefined ||
    state.pendingOffsets.has(groupId, topic, partition)
  );
}

/** Offsets past their retention go, and groups that have neither members nor offsets left go with them. */
export function expireOffsets(step: Step, state: ShardState): void {
  for (const group of state.groups.values()) {
    if (group.state === 'Dead') continue;
    const { groupId } = group;
    const kept = [...state.offsets.of(groupId)].length;
    const expired = expiredOffsets(step, state, group);
    if (expired.length > 0) step.info('offsets expired', { groupId, offsets: expired.length });
    const isDone =
      group.state === 'Empty' &&
      group.pendingMembers.size === 0 &&
      expired.length === kept &&
      !state.pendingOffsets.hasAny(groupId);
    if (isDone) bury(step, state, group, null);
    else removeOffsets(step, groupId, expired);
  }
}

/** The topics are gone: so are the offsets that were committed for them, but not those of a topic that took the name. */
export function removeOffsetsOfTopics(
  step: Step,
  state: ShardState,
  deleted: readonly { readonly name: string; readonly topicId: string }[],
): void {
  const ids = new Map(deleted.map(({ name, topicId }) => [name, topicId]));
  for (const groupId of state.offsets.groupIds()) {
    const keys = [...state.offsets.of(groupId)].filter(({ topic, committed }) => {
      const deletedId = ids.get(topic);
      if (deletedId === undefined) return false;
      return committed.topicId === deletedId || committed.topicId === ZERO_UUID;
    });
    removeOffsets(step, groupId, keys);
  }
}
