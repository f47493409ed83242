/**
 * Where the replicas of new partitions go.
 *
 * Brokers are laid out in one ring in which racks alternate, unfenced brokers before fenced ones within a rack. The
 * first replicas of successive partitions walk around the ring, so leaders are spread evenly; the further replicas
 * of a partition are the next brokers of other racks, at a distance that grows by one with each whole round, so that
 * the partitions of a failed leader do not all fall to the same broker. A partition is in as many racks as it can be.
 * A fenced broker never comes first: its partition would have no leader.
 */
import type { Random } from '@seatlog/runtime';
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { BrokerRegistration, ClusterImage } from '../image/cluster-image.ts';
import { Refusal } from './decision.ts';

export interface PlacementRequest {
  readonly partitions: number;
  readonly replicationFactor: number;
  /** Index of the first of these partitions in its topic: added partitions go on where the others ended. */
  readonly firstPartition?: number;
}

/** Replica lists, one for each partition. Throws a refusal with INVALID_REPLICATION_FACTOR if there are too few. */
export function placeReplicas(
  image: ClusterImage,
  { partitions, replicationFactor, firstPartition = 0 }: PlacementRequest,
  random: Random,
): readonly (readonly number[])[] {
  const usable = [...image.brokers.values()].filter((broker) => !broker.inControlledShutdown);
  checkFactor(usable, replicationFactor);
  const ring = rackAlternated(usable);
  const leaders = ring.filter((broker) => !broker.fenced);
  const start = random.uint32() % leaders.length;
  const placed: number[][] = [];
  for (let index = firstPartition; index < firstPartition + partitions; index += 1) {
    const first = leaders[(start + index) % leaders.length];
    if (first === undefined) throw new RangeError('the ring of brokers is empty');
    const round = Math.floor(index / leaders.length);
    placed.push(replicasFrom(ring, first, round, replicationFactor));
  }
  return placed;
}

function checkFactor(usable: readonly BrokerRegistration[], replicationFactor: number): void {
  if (usable.length < replicationFactor) {
    throw new Refusal(
      ErrorCode.INVALID_REPLICATION_FACTOR,
      `Replication factor ${replicationFactor} needs as many brokers; ${usable.length} are registered.`,
    );
  }
  if (usable.every((broker) => broker.fenced)) {
    throw new Refusal(
      ErrorCode.INVALID_REPLICATION_FACTOR,
      'No broker is live: all registered ones are fenced.',
    );
  }
}

/** One broker of each rack in turn, until all are laid out; brokers without a rack form one. */
function rackAlternated(brokers: readonly BrokerRegistration[]): readonly BrokerRegistration[] {
  const racks = new Map<string, BrokerRegistration[]>();
  for (const broker of [...brokers].sort((a, b) => Number(a.fenced) - Number(b.fenced) || a.id - b.id)) {
    const rack = racks.get(broker.rack ?? '');
    if (rack === undefined) racks.set(broker.rack ?? '', [broker]);
    else rack.push(broker);
  }
  const sorted = [...racks].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, members]) => members);
  const ring: BrokerRegistration[] = [];
  for (let depth = 0; ring.length < brokers.length; depth += 1) {
    for (const rack of sorted) {
      const broker = rack[depth];
      if (broker !== undefined) ring.push(broker);
    }
  }
  return ring;
}

function replicasFrom(
  ring: readonly BrokerRegistration[],
  first: BrokerRegistration,
  round: number,
  count: number,
): number[] {
  const position = ring.indexOf(first);
  const others = [...ring.slice(position + 1), ...ring.slice(0, position)];
  const shift = others.length === 0 ? 0 : round % others.length;
  const candidates = [...others.slice(shift), ...others.slice(0, shift)];
  const chosen = [first];
  const rackUse = new Map<string, number>([[first.rack ?? '', 1]]);
  while (chosen.length < count) {
    const next = leastUsedRack(candidates, chosen, rackUse);
    if (next === undefined) throw new RangeError(`no ${count} brokers in the ring`);
    chosen.push(next);
    rackUse.set(next.rack ?? '', (rackUse.get(next.rack ?? '') ?? 0) + 1);
  }
  return chosen.map((broker) => broker.id);
}

/** Among the brokers not chosen yet: live before fenced, then the rack that is used least, then ring order. */
function leastUsedRack(
  candidates: readonly BrokerRegistration[],
  chosen: readonly BrokerRegistration[],
  rackUse: ReadonlyMap<string, number>,
): BrokerRegistration | undefined {
  let best: BrokerRegistration | undefined;
  let bestCost = Number.POSITIVE_INFINITY;
  for (const broker of candidates) {
    if (chosen.includes(broker)) continue;
    const cost = (rackUse.get(broker.rack ?? '') ?? 0) * 2 + Number(broker.fenced);
    if (cost < bestCost) {
      best = broker;
      bestCost = cost;
    }
  }
  return best;
}
