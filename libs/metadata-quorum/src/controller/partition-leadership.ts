/**
 * Who leads a partition, and who is in its ISR, when its brokers change (R20).
 *
 * The leader, in this order:
 * 1. the present one, if it is still valid;
 * 2. the first live replica, in assignment order, of the ISR, or of the eligible leader replicas if the ISR is empty;
 * 3. both empty: the last known leader, if there is exactly one and it is live (unclean: RECOVERING);
 * 4. any live replica, if the topic allows unclean elections (RECOVERING);
 * 5. none.
 * A leader from outside of the ISR is its ISR, alone.
 *
 * Replicas that leave an ISR which is smaller than the minimum become eligible leader replicas: the high watermark
 * does not rise below the minimum, so they hold all that was ever acknowledged.
 */
import type { PartitionImage } from '../image/cluster-image.ts';
import { LeaderRecoveryState, NO_LEADER } from '../image/cluster-image.ts';
import type { PartitionChangeRecord } from '../records/metadata-record.ts';
import { partitionChange } from '../records/metadata-record.ts';

export interface LeadershipRules {
  /** Live, and not about to be taken out. */
  readonly mayLead: (brokerId: number) => boolean;
  readonly minInsyncReplicas: number;
  readonly uncleanElection: boolean;
  /** False: the cluster keeps no eligible leader replicas, and the last ISR member stays in the ISR. */
  readonly elrEnabled: boolean;
}

export interface LeadershipTargets {
  /** What the ISR shall be, before an election from outside of it. */
  readonly isr?: readonly number[];
  /** Replicas that may have lost records: no longer eligible leaders. */
  readonly uncleanlyStopped?: ReadonlySet<number>;
  readonly leaderRecoveryState?: number;
}

interface Election {
  readonly leader: number;
  readonly unclean: boolean;
}

/** The record that brings a partition to its targets and to the right leader; null if all is as it should be. */
export function decideLeadership(
  topicId: string,
  partition: PartitionImage,
  targets: LeadershipTargets,
  rules: LeadershipRules,
): PartitionChangeRecord | null {
  const stopped = targets.uncleanlyStopped ?? new Set<number>();
  const wanted = targets.isr ?? partition.isr;
  const keepsLast = wanted.length === 0 && !rules.elrEnabled;
  const isrBefore = keepsLast ? partition.isr : wanted;
  const elrBefore = partition.elr.filter((id) => !stopped.has(id));
  const { leader, unclean } = elect(partition, isrBefore, elrBefore, rules);
  const isr = leader === NO_LEADER || isrBefore.includes(leader) ? isrBefore : [leader];
  const eligible = eligibleReplicas(partition, isr, leader, stopped, rules);
  const change: Partial<PartitionChangeRecord> = {
    ...(sameIds(isr, partition.isr) ? {} : { isr }),
    ...(leader === partition.leader ? {} : { leader }),
    ...(sameIds(eligible.elr, partition.elr) ? {} : { eligibleLeaderReplicas: eligible.elr }),
    ...(sameIds(eligible.lastKnownElr, partition.lastKnownElr)
      ? {}
      : { lastKnownElr: eligible.lastKnownElr }),
    ...recovery(partition, unclean, targets.leaderRecoveryState),
  };
  return Object.keys(change).length === 0 ? null : partitionChange(topicId, partition.index, change);
}

function elect(
  partition: PartitionImage,
  isr: readonly number[],
  elr: readonly number[],
  rules: LeadershipRules,
): Election {
  const candidates = isr.length > 0 ? isr : elr;
  const valid = (id: number): boolean => candidates.includes(id) && rules.mayLead(id);
  if (valid(partition.leader)) return { leader: partition.leader, unclean: false };
  const clean = partition.replicas.find(valid);
  if (clean !== undefined) return { leader: clean, unclean: false };
  const [lastKnown] = partition.lastKnownElr;
  const single = partition.lastKnownElr.length === 1 && isr.length === 0 && elr.length === 0;
  if (rules.elrEnabled && single && lastKnown !== undefined && rules.mayLead(lastKnown)) {
    return { leader: lastKnown, unclean: true };
  }
  const any = rules.uncleanElection ? partition.replicas.find(rules.mayLead) : undefined;
  return any === undefined ? { leader: NO_LEADER, unclean: false } : { leader: any, unclean: true };
}

function eligibleReplicas(
  partition: PartitionImage,
  isr: readonly number[],
  leader: number,
  stopped: ReadonlySet<number>,
  rules: LeadershipRules,
): { readonly elr: readonly number[]; readonly lastKnownElr: readonly number[] } {
  if (!rules.elrEnabled) return { elr: partition.elr, lastKnownElr: partition.lastKnownElr };
  if (isr.length >= Math.min(rules.minInsyncReplicas, partition.replicas.length))
    return { elr: [], lastKnownElr: [] };
  const elr = [...new Set([...partition.elr, ...partition.isr])].filter(
    (id) => !isr.includes(id) && !stopped.has(id),
  );
  // Who led last is noted when the partition loses its leader, and stays noted until the ISR is large enough.
  const losesLeader = leader === NO_LEADER && partition.leader !== NO_LEADER && isr.length === 0;
  return { elr, lastKnownElr: losesLeader ? [partition.leader] : partition.lastKnownElr };
}

function recovery(
  partition: PartitionImage,
  unclean: boolean,
  target: number | undefined,
): Partial<PartitionChangeRecord> {
  const state = unclean ? LeaderRecoveryState.RECOVERING : (target ?? partition.leaderRecoveryState);
  return state === partition.leaderRecoveryState ? {} : { leaderRecoveryState: state };
}

function sameIds(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((id, index) => id === right[index]);
}
