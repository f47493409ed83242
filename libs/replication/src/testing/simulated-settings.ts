export const CONTROLLER_ID = 100;
export const TOPIC_ID = 'AAAAAAAAAAAAAAAAAAAABQ';

export interface SimulatedSettings {
  readonly topic: string;
  readonly replicas: readonly number[];
  readonly minInsyncReplicas: number;
  readonly replicaLagTimeMaxMs: number;
  readonly sessionTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  readonly checkpointIntervalMs: number;
  readonly fetchWaitMaxMs: number;
  readonly fetchBackoffMs: number;
  readonly requestTimeoutMs: number;
  /** How long a write to disk takes. */
  readonly writeMs: () => number;
  /** How long metadata is on its way to a broker, in order. */
  readonly metadataMs: () => number;
}

export const DEFAULT_SIMULATED_SETTINGS: SimulatedSettings = {
  topic: 'demo',
  replicas: [1, 2, 3],
  minInsyncReplicas: 1,
  replicaLagTimeMaxMs: 30_000,
  sessionTimeoutMs: 9000,
  heartbeatIntervalMs: 2000,
  checkpointIntervalMs: 5000,
  fetchWaitMaxMs: 500,
  fetchBackoffMs: 1000,
  requestTimeoutMs: 30_000,
  writeMs: () => 0,
  metadataMs: () => 1,
};
