/** A partition as the brokers that answer see it. */
import type { ClusterNode, PartitionState } from '@seatlog/local-stack';

export interface PartitionView {
  /** Null: none. */
  readonly leader: number | null;
  readonly leaderEpoch: number;
  readonly partitionEpoch: number;
  readonly replicas: readonly number[];
  /** Rising: it is a set. */
  readonly isr: readonly number[];
  readonly elr: readonly number[];
  readonly lastKnownElr: readonly number[];
}

/** By the broker that knows the most of it; null where none of them has a replica. */
export async function viewPartition(
  nodes: readonly ClusterNode[],
  topic: string,
  partition: number,
): Promise<PartitionView | null> {
  const states = await Promise.all(nodes.map((node) => node.state().catch(() => null)));
  const seen = states
    .flatMap((state) => state?.partitions ?? [])
    .filter((one) => one.topic === topic && one.partition === partition)
    .toSorted((a, b) => b.partitionEpoch - a.partitionEpoch);
  return seen[0] === undefined ? null : viewOf(seen[0]);
}

function viewOf(state: PartitionState): PartitionView {
  const { leader, leaderEpoch, partitionEpoch, replicas, isr, elr = [], lastKnownElr = [] } = state;
  return {
    leader: leader < 0 ? null : leader,
    leaderEpoch,
    partitionEpoch,
    replicas,
    isr: rising(isr),
    elr: rising(elr),
    lastKnownElr: rising(lastKnownElr),
  };
}

const rising = (ids: readonly number[]): readonly number[] => ids.toSorted((a, b) => a - b);

/** As `kafka-topics --describe` has it. */
export function describeLine(topic: string, partition: number, view: PartitionView): string {
  const { leader, replicas, isr, elr, lastKnownElr } = view;
  return [
    `Topic: ${topic}`,
    `Partition: ${partition}`,
    `Leader: ${leader ?? 'none'}`,
    `Replicas: ${replicas.join(',')}`,
    `Isr: ${isr.join(',')}`,
    `Elr: ${elr.join(',')}`,
    `LastKnownElr: ${lastKnownElr.join(',')}`,
    `(partition epoch ${view.partitionEpoch}, leader epoch ${view.leaderEpoch})`,
  ].join('  ');
}
