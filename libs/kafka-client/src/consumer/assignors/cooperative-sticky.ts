/**
 * Sticky and balanced: members keep what they hold as far as shares differ by at most one where subscriptions allow it.
 * Cooperative: a partition that moves is given to nobody in this round; its holder gives it up and the group rebalances
 * once more, so that no partition is ever held by two.
 */
import {
  compare,
  emptyAssignment,
  inStableOrder,
  type Assignment,
  type Assignor,
  type AssignorMember,
} from './assignor.ts';

interface Partition {
  readonly topic: string;
  readonly partition: number;
}

interface Share {
  readonly memberId: string;
  readonly topics: ReadonlySet<string>;
  readonly held: Map<string, Partition>;
}

export const cooperativeStickyAssignor: Assignor = {
  name: 'cooperative-sticky',
  cooperative: true,
  assign(members, partitionCounts) {
    const owners = currentOwners(members, partitionCounts);
    const balanced = stickyBalance(members, partitionCounts, owners);
    return withoutTransfers(balanced, owners);
  },
};

const keyOf = ({ topic, partition }: Partition): string => `${topic}-${partition}`;

/** Who holds what, by the word of the latest generation; what two claim alike is held by neither. */
function currentOwners(
  members: readonly AssignorMember[],
  partitionCounts: ReadonlyMap<string, number>,
): Map<string, string> {
  const claims = new Map<string, { memberId: string | null; generation: number }>();
  for (const { memberId, owned, generation, topics } of members) {
    for (const partition of owned) {
      if (!topics.includes(partition.topic)) continue;
      if (partition.partition >= (partitionCounts.get(partition.topic) ?? 0)) continue;
      const key = keyOf(partition);
      const other = claims.get(key);
      if (other === undefined || generation > other.generation) claims.set(key, { memberId, generation });
      else if (generation === other.generation) claims.set(key, { memberId: null, generation });
    }
  }
  const owners = new Map<string, string>();
  for (const [key, { memberId }] of claims) if (memberId !== null) owners.set(key, memberId);
  return owners;
}

function stickyBalance(
  members: readonly AssignorMember[],
  partitionCounts: ReadonlyMap<string, number>,
  owners: ReadonlyMap<string, string>,
): Map<string, Share> {
  const shares = new Map<string, Share>(
    inStableOrder(members).map(({ memberId, topics }) => [
      memberId,
      { memberId, topics: new Set(topics), held: new Map() },
    ]),
  );
  const homeless: Partition[] = [];
  for (const [topic, count] of [...partitionCounts].sort(([a], [b]) => compare(a, b))) {
    for (let partition = 0; partition < count; partition++) {
      const key = keyOf({ topic, partition });
      const owner = shares.get(owners.get(key) ?? '');
      if (owner === undefined) homeless.push({ topic, partition });
      else owner.held.set(key, { topic, partition });
    }
  }
  // Those that fewest can take first, so that the others can even out the rest.
  const takersOf = (topic: string): Share[] => [...shares.values()].filter(({ topics }) => topics.has(topic));
  homeless.sort((a, b) => takersOf(a.topic).length - takersOf(b.topic).length);
  for (const partition of homeless)
    leastLoaded(takersOf(partition.topic))?.held.set(keyOf(partition), partition);
  evenOut([...shares.values()]);
  return shares;
}

/** Moves partitions, one at a time, from those with at least two more to those who may take them. Each move lowers the sum of squares, so it ends. */
function evenOut(shares: readonly Share[]): void {
  for (let moved = true; moved; ) {
    moved = false;
    for (const from of shares.toSorted((a, b) => b.held.size - a.held.size)) {
      const move = bestMove(from, shares);
      if (move === null) continue;
      from.held.delete(keyOf(move.partition));
      move.to.held.set(keyOf(move.partition), move.partition);
      moved = true;
      break;
    }
  }
}

function bestMove(from: Share, shares: readonly Share[]): { partition: Partition; to: Share } | null {
  let best: { partition: Partition; to: Share } | null = null;
  // The last ones got are the first to go.
  for (const partition of [...from.held.values()].reverse()) {
    const to = leastLoaded(shares.filter((share) => share !== from && share.topics.has(partition.topic)));
    if (to === undefined || from.held.size - to.held.size < 2) continue;
    if (best === null || to.held.size < best.to.held.size) best = { partition, to };
  }
  return best;
}

function leastLoaded(shares: readonly Share[]): Share | undefined {
  let least: Share | undefined;
  for (const share of shares) if (least === undefined || share.held.size < least.held.size) least = share;
  return least;
}

function withoutTransfers(
  shares: ReadonlyMap<string, Share>,
  owners: ReadonlyMap<string, string>,
): Assignment {
  const assignment = emptyAssignment([]);
  for (const { memberId, held } of shares.values()) {
    const settled = [...held].filter(([key]) => (owners.get(key) ?? memberId) === memberId);
    assignment.set(
      memberId,
      settled
        .map(([, partition]) => partition)
        .sort((a, b) => compare(a.topic, b.topic) || a.partition - b.partition),
    );
  }
  return assignment;
}
