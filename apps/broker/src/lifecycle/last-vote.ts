/**
 * A voter that stops is not the first to go where a whole cluster stops: leave to stop is a decision, which takes a
 * majority. It stays in the quorum while other brokers wait for theirs, but not for ever.
 */
import type { Timers } from '@seatlog/runtime';
import type { ClusterImage } from '@seatlog/metadata-quorum';
import type { MetadataQuorum } from '../quorum/metadata-quorum.ts';

/** Leave takes a few heartbeats at the quicker pace of brokers that wait for it. */
const LAST_VOTE_LIMIT_MS = 3000;

export function untilNobodyWaitsForLeave(quorum: MetadataQuorum, timers: Timers): Promise<void> {
  const isWaiting = ({ brokers }: ClusterImage): boolean =>
    [...brokers.values()].some(
      ({ id, inControlledShutdown, fenced }) => id !== quorum.nodeId && inControlledShutdown && !fenced,
    );
  if (!quorum.voters.some(({ id }) => id === quorum.nodeId) || !isWaiting(quorum.image))
    return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      unsubscribe();
      cancelLimit();
      resolve();
    };
    const unsubscribe = quorum.subscribe((image) => {
      if (!isWaiting(image)) end();
    });
    const cancelLimit = timers.schedule(LAST_VOTE_LIMIT_MS, end);
  });
}
