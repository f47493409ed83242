/**
 * Replica lists that a client chose itself, and what may be wrong with them.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { ClusterImage } from '../image/cluster-image.ts';
import { isActive } from '../image/cluster-image.ts';
import { Refusal, repeated } from './decision.ts';

/** Checks one replica list; `replicationFactor` is that of the topic's other partitions, if there are any. */
export function checkReplicas(
  image: ClusterImage,
  replicas: readonly number[],
  replicationFactor: number | undefined,
): void {
  if (replicas.length === 0) throw invalid('A replica assignment must name at least one broker.');
  for (const id of repeated(replicas))
    throw invalid(`A replica assignment names broker ${id} more than once.`);
  for (const id of replicas) {
    if (!image.brokers.has(id))
      throw invalid(`A replica assignment names broker ${id}, which is not registered.`);
  }
  if (replicationFactor !== undefined && replicas.length !== replicationFactor) {
    throw invalid(
      `A replica assignment has ${replicas.length} replicas, the topic's other partitions have ${replicationFactor}.`,
    );
  }
  if (!replicas.some((id) => isActive(image.brokers.get(id)))) {
    throw invalid(`None of the brokers ${replicas.join(', ')} of a replica assignment is live.`);
  }
}

function invalid(message: string): Refusal {
  return new Refusal(ErrorCode.INVALID_REPLICA_ASSIGNMENT, message);
}
