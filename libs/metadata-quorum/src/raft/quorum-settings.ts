/** What a replica of the metadata log is told at its start, with Kafka's names and defaults. */
export interface QuorumVoter {
  readonly id: number;
  readonly host: string;
  readonly port: number;
}

export interface QuorumSettings {
  readonly nodeId: number;
  /** Of this node's metadata log directory (`meta.properties`). */
  readonly directoryId: string;
  readonly clusterId: string;
  /** `controller.quorum.voters`, the same on every node. A node that is not among them is an observer. */
  readonly voters: readonly QuorumVoter[];
  /** The name of the listener that the voters' addresses belong to: the first of `controller.listener.names`. */
  readonly listenerName: string;
  readonly timing: QuorumTiming;
  readonly limits: QuorumLimits;
}

export interface QuorumTiming {
  /** `controller.quorum.election.timeout.ms`: a voter without a leader waits this long, and up to as much again. */
  readonly electionTimeoutMs: number;
  /** `controller.quorum.election.backoff.max.ms`: the bound of the random pause after a lost election. */
  readonly electionBackoffMaxMs: number;
  /**
   * `controller.quorum.fetch.timeout.ms`: a follower that hears nothing from its leader for so long looks for another
   * one; a leader that no majority fetches from for one and a half times as long resigns (KAFKA-15489).
   */
  readonly fetchTimeoutMs: number;
  /** `controller.quorum.request.timeout.ms`: a request without an answer is given up; its answer is ignored then. */
  readonly requestTimeoutMs: number;
  /** `controller.quorum.retry.backoff.ms`: the pause before a request that failed is made again. */
  readonly retryBackoffMs: number;
  /** How long a fetch waits at the leader for something to come. */
  readonly fetchMaxWaitMs: number;
}

export interface QuorumLimits {
  /** Bytes of a fetch's answer; one batch may exceed it. */
  readonly fetchMaxBytes: number;
  /** Bytes of a snapshot that are asked for, and given, at a time. */
  readonly snapshotChunkBytes: number;
  /** A larger snapshot is not fetched. */
  readonly maxSnapshotBytes: number;
  /** Observers that a leader keeps count of; the one that has been silent longest gives way. */
  readonly maxObservers: number;
}

export const DEFAULT_QUORUM_TIMING: QuorumTiming = {
  electionTimeoutMs: 1000,
  electionBackoffMaxMs: 1000,
  fetchTimeoutMs: 2000,
  requestTimeoutMs: 2000,
  retryBackoffMs: 20,
  fetchMaxWaitMs: 500,
};

export const DEFAULT_QUORUM_LIMITS: QuorumLimits = {
  fetchMaxBytes: 8 * 1024 * 1024,
  snapshotChunkBytes: 1024 * 1024,
  maxSnapshotBytes: 4 * 1024 * 1024 * 1024,
  maxObservers: 1000,
};
