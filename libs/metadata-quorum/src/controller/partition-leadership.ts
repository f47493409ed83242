/**
 * Who leads a partition, who is in its ISR, and whether a move to other replicas is complete, when its brokers, its
 * ISR or its assignment change (R20).
 *
 * A move is complete when all replicas that it adds are in the ISR and one that stays is: those that it removes leave
 * then. It is looked at with every change, and again once a leader from outside of the ISR is elected, so no decision of
 * its own is needed; but an unclean election takes nobody out who may have what its leader lacks.
 *
 * The leader, in this order:
 * 1. the first of the assignment, where an election asks for it and it is in sync and live;
 * 2. the present one, if it is still valid;
 * 3. the first live replica, in assignment order, of the ISR, or of the eligible leader replicas if the ISR is empty;
 * 4. both empty: the last known leader, if there is exactly one and it is live (unclean: RECOVERING);
 * 5. any live replica, if unclean elections are allowed (RECOVERING);
 * 6. none.
 * A leader from outside of the ISR is its ISR, alone.
 *
 * Replicas that leave an ISR which is smaller than the minimum become eligible leader replicas: the high watermark
 * does not rise below the minimum, so they hold all that was ever acknowledged.
 *
 * The leader is named, and so its epoch raised, when it changes and when a replica leaves the assignment: whoever
 * still sends as that replica is then fenced by the epoch.
 */
import type { PartitionImage } from '../image/cluster-image.ts';
import { isLost, LeaderRecoveryState, NO_LEADER } from '../image/cluster-image.ts';
import type { PartitionChangeRecord } from '../records/metadata-record.ts';
import { partitionChange } from '../records/metadata-record.ts';
import type { Assignment } from './assignment.ts';
import { assignmentChanges, completedMove } from './assignment.ts';

export interface LeadershipRules {
  /** Live, and not about to be taken out. A replica that is lost may not lead in any case. */
  readonly mayLead: (brokerId: number) => boolean;
  readonly minInsyncReplicas: number;
  readonly uncleanElection: boolean;
  /** False: the cluster keeps no eligible leader replicas, and the last ISR member stays in the ISR. */
  readonly elrEnabled: boolean;
  /** Where a broker puts a replica that it does not have yet. */
  readonly directoryOf: (brokerId: number) => string;
}

export interface LeadershipTargets {
  /** What the ISR shall be, before an election from outside of it. */
  readonly isr?: readonly number[];
  /** Replicas that may have lost records: no longer eligible leaders. */
  readonly uncleanlyStopped?: ReadonlySet<number>;
  readonly leaderRecoveryState?: number;
  readonly assignment?: Assignment;
  /** The first of the assignment shall lead, if it can. */
  readonly preferFirst?: boolean;
}

/** What an election chooses from. */
interface Candidates {
  readonly replicas: readonly number[];
  readonly isr: readonly number[];
  readonly elr: readonly number[];
  readonly lastKnownElr: readonly number[];
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
  rulesOfAll: LeadershipRules,
): PartitionChangeRecord | null {
  const mayLead = (id: number): boolean => rulesOfAll.mayLead(id) && !isLost(partition, id);
  const rules = { ...rulesOfAll, mayLead };
  const stopped = targets.uncleanlyStopped ?? new Set<number>();
  const wanted = targets.isr ?? partition.isr;
  const keepsLast = wanted.length === 0 && !rules.elrEnabled;
  const before = completedMove(targets.assignment ?? partition, keepsLast ? partition.isr : wanted);
  const candidates = candidatesOf(partition, before, stopped);
  const { leader, unclean } = elect(partition.leader, candidates, targets.preferFirst === true, rules);
  const { assignment, isr } = afterElection(before, leader, unclean);
  const assigned = (id: number): boolean => assignment.replicas.includes(id);
  const remaining = candidatesOf(partition, { assignment, isr }, stopped);
  const eligible = eligibleReplicas(partition, remaining, leader, stopped, rules);
  const replicaLeft = !partition.replicas.every(assigned);
  const change: Partial<PartitionChangeRecord> = {
    ...(sameIds(isr, partition.isr) ? {} : { isr }),
    ...(leader === partition.leader && !replicaLeft ? {} : { leader }),
    ...(sameIds(eligible.elr, partition.elr) ? {} : { eligibleLeaderReplicas: eligible.elr }),
    ...(sameIds(eligible.lastKnownElr, partition.lastKnownElr)
      ? {}
      : { lastKnownElr: eligible.lastKnownElr }),
    ...recovery(partition, unclean, targets.leaderRecoveryState),
    ...assignmentChanges(partition, assignment, rules.directoryOf),
  };
  return Object.keys(change).length === 0 ? null : partitionChange(topicId, partition.index, change);
}

interface Placement {
  readonly assignment: Assignment;
  readonly isr: readonly number[];
}

function candidatesOf(
  partition: PartitionImage,
  { assignment: { replicas }, isr }: Placement,
  stopped: ReadonlySet<number>,
): Candidates {
  const assigned = (id: number): boolean => replicas.includes(id);
  return {
    replicas,
    isr,
    elr: partition.elr.filter((id) => assigned(id) && !stopped.has(id)),
    lastKnownElr: partition.lastKnownElr.filter(assigned),
  };
}

/** A leader from outside of the ISR is its ISR, alone: that may be what a move waited for. */
function afterElection({ assignment, isr }: Placement, leader: number, unclean: boolean): Placement {
  if (leader === NO_LEADER || isr.includes(leader)) return { assignment, isr };
  return unclean ? { assignment, isr: [leader] } : completedMove(assignment, [leader]);
}

function elect(
  present: number,
  { replicas, isr, elr, lastKnownElr }: Candidates,
  preferFirst: boolean,
  rules: LeadershipRules,
): Election {
  const inSync = isr.length > 0 ? isr : elr;
  const valid = (id: number): boolean => inSync.includes(id) && rules.mayLead(id);
  const order = [...(preferFirst ? replicas.slice(0, 1) : []), present, ...replicas];
  const clean = order.find(valid);
  if (clean !== undefined) return { leader: clean, unclean: false };
  const [lastKnown] = lastKnownElr;
  const single = lastKnownElr.length === 1 && isr.length === 0 && elr.length === 0;
  if (rules.elrEnabled && single && lastKnown !== undefined && rules.mayLead(lastKnown)) {
    return { leader: lastKnown, unclean: true };
  }
  const any = rules.uncleanElection ? replicas.find(rules.mayLead) : undefined;
  return any === undefined ? { leader: NO_LEADER, unclean: false } : { leader: any, unclean: true };
}

function eligibleReplicas(
  partition: PartitionImage,
  { replicas, isr, elr, lastKnownElr }: Candidates,
  leader: number,
  stopped: ReadonlySet<number>,
  rules: LeadershipRules,
): { readonly elr: readonly number[]; readonly lastKnownElr: readonly number[] } {
  if (!rules.elrEnabled) return { elr, lastKnownElr };
  if (isr.length >= Math.min(rules.minInsyncReplicas, replicas.length)) return { elr: [], lastKnownElr: [] };
  const left = partition.isr.filter((id) => replicas.includes(id) && !stopped.has(id));
  const eligible = [...new Set([...elr, ...left])].filter((id) => !isr.includes(id));
  // Who led last is noted when the partition loses its leader, and stays noted until the ISR is large enough.
  const losesLeader = leader === NO_LEADER && partition.leader !== NO_LEADER && isr.length === 0;
  const noted = losesLeader && replicas.includes(partition.leader) ? [partition.leader] : lastKnownElr;
  return { elr: eligible, lastKnownElr: noted };
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
