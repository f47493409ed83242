/** Everything that the coordinator of one partition of `__consumer_offsets` holds. */
import { ClassicGroup } from './group/classic-group.ts';
import type { ShardContents } from './loading/shard-contents.ts';
import type { OffsetStore } from './offsets/offset-store.ts';
import { PendingOffsets } from './offsets/pending-offsets.ts';

export class ShardState {
  readonly groups = new Map<string, ClassicGroup>();
  /** What was committed and is replicated. */
  readonly offsets: OffsetStore;
  readonly pendingOffsets = new PendingOffsets();

  constructor(contents: ShardContents) {
    this.offsets = contents.offsets;
    for (const [groupId, snapshot] of contents.groups) {
      this.groups.set(groupId, ClassicGroup.fromSnapshot(groupId, snapshot));
    }
    // Who commits without ever joining leaves offsets and no record of a group.
    for (const groupId of contents.offsets.groupIds()) {
      if (!this.groups.has(groupId)) this.groups.set(groupId, new ClassicGroup(groupId, null));
    }
  }

  /** The group, made if there is none. */
  groupOrFresh(groupId: string): ClassicGroup {
    const known = this.groups.get(groupId);
    if (known !== undefined) return known;
    const fresh = new ClassicGroup(groupId, null);
    this.groups.set(groupId, fresh);
    return fresh;
  }

  /** Forgets a group that came to nothing: no member, no offset, no record. */
  forgetIfUnused(group: ClassicGroup): void {
    const isUsed =
      group.state !== 'Empty' ||
      group.generationId > 0 ||
      group.pendingMembers.size > 0 ||
      this.offsets.hasOffsets(group.groupId) ||
      this.pendingOffsets.hasAny(group.groupId);
    if (!isUsed) this.groups.delete(group.groupId);
  }
}
