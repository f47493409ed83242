/** What the metadata says of a partition. A partition of a cluster image fits as it is. */
export interface PartitionMetadata {
  /** -1 if none. */
  readonly leader: number;
  readonly leaderEpoch: number;
  readonly partitionEpoch: number;
  /** In order of preference. */
  readonly replicas: readonly number[];
  readonly isr: readonly number[];
  /** Where each of the replicas lies. */
  readonly directories?: readonly string[];
  /** 1 if the leader was elected from outside of the ISR. */
  readonly leaderRecoveryState: number;
}

/** Kafka's id of a directory that is lost: a replica there takes no appends. */
export const LOST_DIRECTORY = 'AAAAAAAAAAAAAAAAAAAAAg';

/** The replicas whose brokers have said that they take no appends: neither in sync nor about to be. */
export function lostReplicas({ replicas, directories = [] }: PartitionMetadata): readonly number[] {
  return replicas.filter((_id, place) => directories[place] === LOST_DIRECTORY);
}

export const NO_LEADER = -1;
export const UNKNOWN_BROKER_EPOCH = -1;

/** A broker as the metadata knows it. A registration of a cluster image fits as it is. */
export interface KnownBroker {
  readonly epoch: number;
  readonly fenced: boolean;
  readonly inControlledShutdown: boolean;
}

/** The newest metadata at the moment of asking. */
export interface ClusterView {
  /** The epoch of this process's own registration. */
  readonly brokerEpoch: number;
  /** Undefined: not registered. */
  broker(brokerId: number): KnownBroker | undefined;
}

/** True for a broker that is heard of and stays: it may be in an ISR. */
export function isActive(broker: KnownBroker | undefined): boolean {
  return broker !== undefined && !broker.fenced && !broker.inControlledShutdown;
}
