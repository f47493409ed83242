/**
 * The states of a classic group, under Kafka's names, and the moves between them.
 *
 *     Empty ──────────────► PreparingRebalance   a first member joins
 *     PreparingRebalance ─► CompletingRebalance  all have joined, or the time to join is over
 *     PreparingRebalance ─► Empty                everyone left before the time was over
 *     CompletingRebalance ► Stable               the leader's assignment is replicated
 *     CompletingRebalance ► PreparingRebalance   a member joins, changes, leaves, fails, or the assignment is not stored
 *     Stable ─────────────► PreparingRebalance   a member joins, changes, leaves or fails
 *     Empty ──────────────► Dead                 deleted, or its last offset expired: the tombstone is being written
 *     Dead ───────────────► Empty                the tombstone could not be written
 *
 * `rebalance.ts` makes the moves of living groups, `removal.ts` those to and from Dead; nobody else does.
 */
export type GroupState = 'Empty' | 'PreparingRebalance' | 'CompletingRebalance' | 'Stable' | 'Dead';

const successors: Readonly<Record<GroupState, readonly GroupState[]>> = {
  Empty: ['PreparingRebalance', 'Dead'],
  PreparingRebalance: ['CompletingRebalance', 'Empty'],
  CompletingRebalance: ['Stable', 'PreparingRebalance'],
  Stable: ['PreparingRebalance'],
  Dead: ['Empty'],
};

export function mayMove(from: GroupState, to: GroupState): boolean {
  return successors[from].includes(to);
}
