/** What follows when a write is replicated, when it is known to have failed, and when it takes too long. */
import { ErrorCode } from '@seatlog/kafka-protocol';
import { completeStaticReturn, revertStaticReturn } from './group/static-return.ts';
import { abandonAssignment, becomeStable } from './group/rebalance.ts';
import { abandonBurial, completeBurial } from './offsets/removal.ts';
import type { PendingAppends, PendingWrite } from './pending-appends.ts';
import type { ShardState } from './shard-state.ts';
import type { Step } from './step.ts';
import { commitErrorOf, groupErrorOf } from './write-errors.ts';

export function settleAppend(
  step: Step,
  state: ShardState,
  appends: PendingAppends,
  appendId: number,
  errorCode: number,
): void {
  step.cancel({ kind: 'append', appendId });
  const append = appends.settle(appendId);
  if (append === undefined) return;
  const { write, answered } = append;
  if (isInLog(errorCode)) apply(state, write);
  else withdraw(step, state, write);
  if (answered) return;
  if (errorCode === ErrorCode.NONE) confirm(step, state, write);
  else fail(step, state, write, errorCode);
}

/** Written, though to fewer replicas than asked for, is written: the next to read the log will find it. */
function isInLog(errorCode: number): boolean {
  return errorCode === ErrorCode.NONE || errorCode === ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND;
}

/** The caller is told that it failed, though it may yet be replicated, and then it counts. */
export function onAppendTimer(
  step: Step,
  state: ShardState,
  appends: PendingAppends,
  appendId: number,
): void {
  const write = appends.giveUpWaiting(appendId);
  if (write === undefined) return;
  step.warn('a write is not replicated in time', {
    write: write.kind,
    groupId: write.groupId,
    timeoutMs: step.config.commitTimeoutMs,
  });
  fail(step, state, write, ErrorCode.REQUEST_TIMED_OUT);
}

/** What a replicated write changes, whether or not somebody still waits for it. */
function apply(state: ShardState, write: PendingWrite): void {
  const { groupId } = write;
  switch (write.kind) {
    case 'offsets':
      state.pendingOffsets.settle(groupId, write.offsets);
      for (const { topic, partition, committed } of write.offsets) {
        state.offsets.put(groupId, topic, partition, committed);
      }
      return;
    case 'offsets-removed':
      for (const { topic, partition } of write.keys) state.offsets.remove(groupId, topic, partition);
      return;
    case 'group-removed':
      completeBurial(state, groupId);
      return;
    case 'assignment':
    case 'empty-generation':
    case 'static-rename':
      return;
  }
}

/** What a write that is not in the log leaves behind. */
function withdraw(step: Step, state: ShardState, write: PendingWrite): void {
  if (write.kind === 'offsets') state.pendingOffsets.settle(write.groupId, write.offsets);
  if (write.kind === 'group-removed') abandonBurial(step, state, write.groupId);
}

function confirm(step: Step, state: ShardState, write: PendingWrite): void {
  const group = state.groups.get(write.groupId);
  switch (write.kind) {
    case 'offsets':
      step.respond(write.token, write.answer(ErrorCode.NONE));
      return;
    case 'offsets-removed':
      if (write.request !== null) step.respond(write.request.token, write.request.response);
      return;
    case 'group-removed':
      if (write.token !== null) {
        step.respond(write.token, { type: 'delete-group', errorCode: ErrorCode.NONE });
      }
      return;
    case 'assignment':
      // Meanwhile somebody may have joined or left: then this assignment is of a generation that is over.
      if (group?.state === 'CompletingRebalance' && group.generationId === write.generationId) {
        becomeStable(step, group, write.assignments);
      }
      return;
    case 'static-rename':
      if (group !== undefined) completeStaticReturn(step, group, write);
      return;
    case 'empty-generation':
      return;
  }
}

/** The group's side of a failed write; whoever asked for it is told by `refuseCaller`. */
function fail(step: Step, state: ShardState, write: PendingWrite, errorCode: number): void {
  refuseCaller(step, write, errorCode);
  const group = state.groups.get(write.groupId);
  switch (write.kind) {
    case 'offsets':
      if (group !== undefined) state.forgetIfUnused(group);
      return;
    case 'assignment':
      if (group?.state === 'CompletingRebalance' && group.generationId === write.generationId) {
        abandonAssignment(step, group, groupErrorOf(errorCode));
      }
      return;
    case 'static-rename':
      if (group !== undefined) revertStaticReturn(step, group, write, groupErrorOf(errorCode));
      return;
    case 'empty-generation':
      step.warn('the empty generation of a group could not be stored', { groupId: write.groupId, errorCode });
      return;
    case 'offsets-removed':
    case 'group-removed':
      return;
  }
}

function refuseCaller(step: Step, write: PendingWrite, errorCode: number): void {
  switch (write.kind) {
    case 'offsets':
      step.respond(write.token, write.answer(commitErrorOf(errorCode)));
      return;
    case 'offsets-removed':
      if (write.request !== null) {
        step.respond(write.request.token, {
          type: 'delete-offsets',
          errorCode: groupErrorOf(errorCode),
          topics: [],
        });
      }
      return;
    case 'group-removed':
      if (write.token !== null) {
        step.respond(write.token, { type: 'delete-group', errorCode: groupErrorOf(errorCode) });
      }
      return;
    case 'assignment':
    case 'empty-generation':
    case 'static-rename':
      return;
  }
}

/** Nobody will settle the writes under way: their callers are told, members of groups by whoever dismisses them. */
export function refuseWaitingCallers(step: Step, appends: PendingAppends, errorCode: number): void {
  for (const { write, answered } of appends.drain()) {
    if (!answered) refuseCaller(step, write, errorCode);
  }
}
