/**
 * How long offsets are kept. A group without members: from when the last one left. A group whose members still read:
 * offsets of topics that nobody of them reads, from the commit. Who commits without ever joining: from the commit. A
 * commit that brought an expiry of its own is kept to that time. Nothing that is being committed just now expires.
 */
import type { ClassicGroup } from '../group/classic-group.ts';
import { subscribedTopics } from '../group/subscription.ts';
import type { ShardState } from '../shard-state.ts';
import type { Step } from '../step.ts';
import type { CommittedOffset } from './committed-offset.ts';
import type { StoredOffset } from './offset-store.ts';

/** From when an offset's retention counts; null: it is in use. */
type RetentionStart = (stored: StoredOffset) => number | null;

export function expiredOffsets(step: Step, state: ShardState, group: ClassicGroup): readonly StoredOffset[] {
  const startOf = retentionStart(group);
  if (startOf === null) return [];
  return [...state.offsets.of(group.groupId)].filter((stored) => {
    if (state.pendingOffsets.has(group.groupId, stored.topic, stored.partition)) return false;
    const start = startOf(stored);
    return start !== null && isOver(step, stored.committed, start);
  });
}

function isOver(step: Step, committed: CommittedOffset, start: number): boolean {
  if (committed.expireTimestamp !== null) return step.now >= committed.expireTimestamp;
  return step.now - start >= step.config.offsetsRetentionMs;
}

function retentionStart(group: ClassicGroup): RetentionStart | null {
  if (group.protocolType === null) return ({ committed }) => committed.commitTimestamp;
  if (group.state === 'Empty') {
    return ({ committed }) => Math.max(group.stateSince ?? 0, committed.commitTimestamp);
  }
  if (group.state !== 'Stable') return null;
  const subscribed = subscribedTopics(group);
  if (subscribed === null) return null;
  return ({ topic, committed }) => (subscribed.has(topic) ? null : committed.commitTimestamp);
}
