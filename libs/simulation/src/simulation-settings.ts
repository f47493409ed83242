/** What a simulated cluster is like: its size, its topic, its times. Times are in milliseconds. */
import type { Durability } from './disk/simulated-log.ts';

export interface SimulationSettings {
  /** Brokers have the ids from 1 on. */
  readonly brokers: number;
  /** Controllers have the ids from 101 on; 1 or 3. */
  readonly controllers: number;
  /** One controller that never fails, in place of a quorum. */
  readonly steadyController: boolean;
  readonly partitions: number;
  readonly replicationFactor: number;
  readonly minInsyncReplicas: number;
  readonly uncleanElection: boolean;
  /** Without them the last one that stands stays in its ISR, whatever becomes of it. */
  readonly eligibleLeaderReplicas: boolean;
  readonly durability: Durability;
  /** A fast model of the log, or commit-log itself. */
  readonly log: 'model' | 'commit-log';
  /** A start trusts what was synced, as commit-log does, and does not look for rot in it. */
  readonly trustsWhatWasSynced: boolean;
  /** The metadata log is replaced by a snapshot each time that so many batches are committed; 0: never. */
  readonly batchesBetweenSnapshots: number;
  readonly replicaLagTimeMaxMs: number;
  readonly sessionTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  readonly checkpointIntervalMs: number;
  readonly writeBackIntervalMs: number;
  readonly fetchWaitMaxMs: number;
  readonly fetchBackoffMs: number;
  readonly fetchMaxBytes: number;
  readonly requestTimeoutMs: number;
  /** A write takes up to this long. */
  readonly writeMs: number;
}

export const TOPIC = 'demo';

export const DEFAULT_SIMULATION_SETTINGS: SimulationSettings = {
  brokers: 3,
  controllers: 1,
  steadyController: true,
  partitions: 1,
  replicationFactor: 3,
  minInsyncReplicas: 2,
  uncleanElection: false,
  eligibleLeaderReplicas: true,
  durability: 'page-cache',
  log: 'model',
  trustsWhatWasSynced: false,
  batchesBetweenSnapshots: 0,
  replicaLagTimeMaxMs: 1000,
  sessionTimeoutMs: 1500,
  heartbeatIntervalMs: 300,
  checkpointIntervalMs: 700,
  writeBackIntervalMs: 400,
  fetchWaitMaxMs: 150,
  fetchBackoffMs: 80,
  fetchMaxBytes: 300,
  requestTimeoutMs: 600,
  writeMs: 4,
};

export const FIRST_CONTROLLER = 101;
export const FIRST_CLIENT = 201;
