/**
 * The coordinator of the groups whose records live in one partition of `__consumer_offsets`.
 *
 * Promises: one event in, effects out, in order; no clock, no chance, no I/O. The same events at the same moments on the
 * same contents give the same effects. What it holds is at all times what folding its partition's replicated records
 * would give, apart from members that wait for a generation, and from an empty generation whose record could not be
 * written: after it, members of before come back until their sessions end.
 *
 * Expects of the caller:
 * - `loaded` is the first event, and `resigned` the last;
 * - the monotonic time of its moments never falls;
 * - every `append` is settled exactly once, successes in order, with 0 only when the records are replicated;
 * - every request's token is answered to its client when the `respond` effect comes, which is exactly once;
 * - requests are of groups that belong to this partition (`groupPartition`).
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { GroupConfig } from './config.ts';
import type { GroupEffect } from './effects.ts';
import type { GroupEvent, GroupRequest, JoinEvent } from './events.ts';
import { dismiss, joinRefusal } from './group/answers.ts';
import { type DescribedGroup, describeGroup, type ListedGroup, listGroup } from './group/description.ts';
import { join } from './group/joining.ts';
import { leave, onSessionTimer } from './group/leaving.ts';
import { onRebalanceTimer, onSyncTimer, rebalance } from './group/rebalance.ts';
import { extendSession } from './group/sessions.ts';
import { heartbeat, sync } from './group/syncing.ts';
import type { ShardContents } from './loading/shard-contents.ts';
import { commitOffsets } from './offsets/committing.ts';
import { type FetchedTopic, fetchOffsets, type OffsetFetchTopic } from './offsets/fetching.ts';
import { deleteGroup, deleteOffsets, expireOffsets, removeOffsetsOfTopics } from './offsets/removal.ts';
import { PendingAppends } from './pending-appends.ts';
import { refusalOf, requestFault } from './refusals.ts';
import { onAppendTimer, refuseWaitingCallers, settleAppend } from './settling.ts';
import { ShardState } from './shard-state.ts';
import { type Moment, Step } from './step.ts';
import type { TimerName } from './timers.ts';

export class GroupShard {
  readonly #config: GroupConfig;
  readonly #state: ShardState;
  readonly #appends = new PendingAppends();

  constructor(config: GroupConfig, contents: ShardContents) {
    this.#config = config;
    this.#state = new ShardState(contents);
  }

  step(event: GroupEvent, moment: Moment): readonly GroupEffect[] {
    const step = new Step(moment, this.#config, this.#appends);
    this.#take(step, event);
    return step.effects;
  }

  /** What the group has committed; `topics` null for all of it. */
  fetchOffsets(groupId: string, topics: readonly OffsetFetchTopic[] | null): readonly FetchedTopic[] {
    return fetchOffsets(this.#state.offsets, groupId, topics);
  }

  /** Undefined: there is no such group. */
  describe(groupId: string): DescribedGroup | undefined {
    const group = this.#state.groups.get(groupId);
    return group === undefined ? undefined : describeGroup(group);
  }

  list(): readonly ListedGroup[] {
    return [...this.#state.groups.values()].map(listGroup);
  }

  #take(step: Step, event: GroupEvent): void {
    const state = this.#state;
    switch (event.type) {
      case 'timer-fired':
        this.#onTimer(step, event.timer);
        return;
      case 'appended':
        settleAppend(step, state, this.#appends, event.appendId, event.errorCode);
        return;
      case 'expire-offsets':
        expireOffsets(step, state);
        return;
      case 'topics-deleted':
        removeOffsetsOfTopics(step, state, event.topics);
        return;
      case 'loaded':
        this.#start(step);
        return;
      case 'resigned':
        this.#resign(step);
        return;
      default:
        this.#answer(step, event);
    }
  }

  #answer(step: Step, request: GroupRequest): void {
    const fault = requestFault(request, this.#config);
    if (fault !== null) {
      step.respond(request.token, refusalOf(request, fault));
      return;
    }
    const state = this.#state;
    switch (request.type) {
      case 'join':
        this.#join(step, request);
        return;
      case 'sync':
        sync(step, state.groups.get(request.groupId), request);
        return;
      case 'heartbeat':
        heartbeat(step, state.groups.get(request.groupId), request);
        return;
      case 'leave':
        leave(step, state.groups.get(request.groupId), request);
        return;
      case 'commit-offsets':
        commitOffsets(step, state, request);
        return;
      case 'delete-group':
        deleteGroup(step, state, request);
        return;
      case 'delete-offsets':
        deleteOffsets(step, state, request);
    }
  }

  #join(step: Step, event: JoinEvent): void {
    // A member that has an id has a group. If nobody knows it, its id is of a time before.
    const known = this.#state.groups.get(event.groupId);
    if (known === undefined && event.memberId !== '') {
      step.respond(event.token, joinRefusal(ErrorCode.UNKNOWN_MEMBER_ID, event.memberId));
      return;
    }
    const group = known ?? this.#state.groupOrFresh(event.groupId);
    join(step, group, event);
    this.#state.forgetIfUnused(group);
  }

  #onTimer(step: Step, timer: TimerName): void {
    if (timer.kind === 'append') {
      onAppendTimer(step, this.#state, this.#appends, timer.appendId);
      return;
    }
    const group = this.#state.groups.get(timer.groupId);
    if (group === undefined) return;
    switch (timer.kind) {
      case 'rebalance':
        onRebalanceTimer(step, group);
        return;
      case 'sync':
        onSyncTimer(step, group);
        return;
      case 'session':
        onSessionTimer(step, group, timer.memberId);
        this.#state.forgetIfUnused(group);
    }
  }

  /** Members that were there when the log was written have one session's time to show that they still are. */
  #start(step: Step): void {
    for (const group of this.#state.groups.values()) {
      for (const member of group.members.values()) extendSession(step, group, member);
      if (group.members.size > this.#config.maxSize) {
        rebalance(step, group, `more than ${this.#config.maxSize} members`);
      }
    }
  }

  #resign(step: Step): void {
    for (const group of this.#state.groups.values()) {
      for (const member of group.members.values()) dismiss(step, member, ErrorCode.NOT_COORDINATOR);
    }
    refuseWaitingCallers(step, this.#appends, ErrorCode.NOT_COORDINATOR);
  }
}
