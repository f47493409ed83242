/**
 * KIP-392: from which replica a consumer had better read. With `RackAwareReplicaSelector` that is one in its own rack:
 * the leader if it stands there, else the replica there that holds most. Pure.
 */
import type { ClusterImage } from '@seatlog/metadata-quorum';
import type { Partition } from './partition.ts';

export interface ReadingClient {
  readonly rack: string;
  /** It must be able to reach the replica on the listener that it came in on. */
  readonly listenerName: string;
}

/** Null: the leader, which is asked. */
export function replicaInRack(
  { rack, listenerName }: ReadingClient,
  partition: Partition,
  fetchOffset: number,
  image: ClusterImage,
): number | null {
  const isThere = (brokerId: number): boolean => {
    const broker = image.brokers.get(brokerId);
    return (
      broker?.rack === rack && !broker.fenced && broker.endpoints.some(({ name }) => name === listenerName)
    );
  };
  if (isThere(partition.leaderId)) return null;
  let chosen: number | null = null;
  let chosenEnd = -1;
  for (const { brokerId, logStartOffset, logEndOffset } of partition.describeReplication().followers) {
    const holdsOffset = logStartOffset <= fetchOffset && logEndOffset >= fetchOffset;
    if (!holdsOffset || logEndOffset <= chosenEnd || !isThere(brokerId)) continue;
    chosen = brokerId;
    chosenEnd = logEndOffset;
  }
  return chosen;
}
