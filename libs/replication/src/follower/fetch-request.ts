/** The Fetch that a follower sends for all its partitions of one leader (R1, R2). */
import type { apis, RequestInput } from '@seatlog/kafka-protocol';
import type { PartitionIdentity } from '../partition-identity.ts';
import type { FetchPosition } from './follower-events.ts';

/** Of version 15 or later. */
export type FetchRequest = RequestInput<typeof apis.fetch>;

export interface FetchSettings {
  /** `replica.fetch.wait.max.ms`. */
  readonly waitMaxMs: number;
  /** `replica.fetch.min.bytes`. */
  readonly minBytes: number;
  /** `replica.fetch.max.bytes`: of one partition. */
  readonly maxBytes: number;
  /** `replica.fetch.response.max.bytes`: of all. */
  readonly responseMaxBytes: number;
}

export const DEFAULT_FETCH_SETTINGS: FetchSettings = {
  waitMaxMs: 500,
  minBytes: 1,
  maxBytes: 1024 * 1024,
  responseMaxBytes: 10 * 1024 * 1024,
};

export interface FetchTarget {
  readonly identity: PartitionIdentity;
  readonly position: FetchPosition;
}

/** The targets in their order, which is the order in which the leader fills the response. */
export function fetchRequest(
  replica: { readonly brokerId: number; readonly brokerEpoch: number },
  targets: readonly FetchTarget[],
  settings: FetchSettings,
): FetchRequest {
  return {
    replicaState: { replicaId: replica.brokerId, replicaEpoch: replica.brokerEpoch },
    maxWaitMs: settings.waitMaxMs,
    minBytes: settings.minBytes,
    maxBytes: settings.responseMaxBytes,
    topics: runsOfOneTopic(targets).map((run) => ({
      topicId: run[0]?.identity.topicId,
      partitions: run.map(({ identity, position }) => ({
        partition: identity.partition,
        ...position,
        partitionMaxBytes: settings.maxBytes,
      })),
    })),
  };
}

/** A topic whose partitions are not side by side stands in the request more than once. */
function runsOfOneTopic(targets: readonly FetchTarget[]): FetchTarget[][] {
  const runs: FetchTarget[][] = [];
  for (const target of targets) {
    const run = runs.at(-1);
    if (run?.[0]?.identity.topicId === target.identity.topicId) run.push(target);
    else runs.push([target]);
  }
  return runs;
}
