/**
 * The records of `__cluster_metadata-0` as plain objects: one closed union, told apart by `type`.
 *
 * Field names and meanings are Kafka's. Uuids are in their 22-character base64 form. Objects are always complete; the
 * builders below fill in what a writer usually leaves out.
 */

/** Directory id of a replica whose broker has not said yet in which log directory it lies. */
export const UNASSIGNED_DIRECTORY = 'AAAAAAAAAAAAAAAAAAAAAQ';

export interface Endpoint {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** 0 PLAINTEXT, 1 SSL, 2 SASL_PLAINTEXT, 3 SASL_SSL. */
  readonly securityProtocol: number;
}

export interface FeatureRange {
  readonly name: string;
  readonly minSupportedVersion: number;
  readonly maxSupportedVersion: number;
}

export interface RegisterBrokerRecord {
  readonly type: 'RegisterBrokerRecord';
  readonly brokerId: number;
  readonly isMigratingZkBroker: boolean;
  readonly incarnationId: string;
  readonly brokerEpoch: number;
  readonly endPoints: readonly Endpoint[];
  readonly features: readonly FeatureRange[];
  readonly rack: string | null;
  readonly fenced: boolean;
  readonly inControlledShutdown: boolean;
  readonly logDirs: readonly string[];
}

export interface UnregisterBrokerRecord {
  readonly type: 'UnregisterBrokerRecord';
  readonly brokerId: number;
  readonly brokerEpoch: number;
}

export interface FenceBrokerRecord {
  readonly type: 'FenceBrokerRecord';
  readonly id: number;
  readonly epoch: number;
}

export interface UnfenceBrokerRecord {
  readonly type: 'UnfenceBrokerRecord';
  readonly id: number;
  readonly epoch: number;
}

export interface BrokerRegistrationChangeRecord {
  readonly type: 'BrokerRegistrationChangeRecord';
  readonly brokerId: number;
  readonly brokerEpoch: number;
  /** -1 unfenced, 0 no change, 1 fenced. */
  readonly fenced: number;
  /** 0 no change, 1 in controlled shutdown. */
  readonly inControlledShutdown: number;
  /** Empty: no change. */
  readonly logDirs: readonly string[];
}

export interface TopicRecord {
  readonly type: 'TopicRecord';
  readonly name: string;
  readonly topicId: string;
}

export interface PartitionRecord {
  readonly type: 'PartitionRecord';
  readonly partitionId: number;
  readonly topicId: string;
  readonly replicas: readonly number[];
  readonly isr: readonly number[];
  readonly removingReplicas: readonly number[];
  readonly addingReplicas: readonly number[];
  readonly leader: number;
  readonly leaderRecoveryState: number;
  readonly leaderEpoch: number;
  readonly partitionEpoch: number;
  readonly directories: readonly string[];
  readonly eligibleLeaderReplicas: readonly number[] | null;
  readonly lastKnownElr: readonly number[] | null;
}

/** Null (and -2 for the leader, -1 for the recovery state) means "as it was". */
export interface PartitionChangeRecord {
  readonly type: 'PartitionChangeRecord';
  readonly partitionId: number;
  readonly topicId: string;
  readonly isr: readonly number[] | null;
  readonly leader: number;
  readonly replicas: readonly number[] | null;
  readonly removingReplicas: readonly number[] | null;
  readonly addingReplicas: readonly number[] | null;
  readonly leaderRecoveryState: number;
  readonly directories: readonly string[] | null;
  readonly eligibleLeaderReplicas: readonly number[] | null;
  readonly lastKnownElr: readonly number[] | null;
}

export interface RemoveTopicRecord {
  readonly type: 'RemoveTopicRecord';
  readonly topicId: string;
}

/** Clears the eligible leader replicas of one topic, or of all topics if the name is empty. */
export interface ClearElrRecord {
  readonly type: 'ClearElrRecord';
  readonly topicName: string;
}

/** A value of null takes the config away. */
export interface ConfigRecord {
  readonly type: 'ConfigRecord';
  readonly resourceType: number;
  readonly resourceName: string;
  readonly name: string;
  readonly value: string | null;
}

export interface FeatureLevelRecord {
  readonly type: 'FeatureLevelRecord';
  readonly name: string;
  readonly featureLevel: number;
}

/** All ids below `nextProducerId` are given away. */
export interface ProducerIdsRecord {
  readonly type: 'ProducerIdsRecord';
  readonly brokerId: number;
  readonly brokerEpoch: number;
  readonly nextProducerId: number;
}

export interface RegisterControllerRecord {
  readonly type: 'RegisterControllerRecord';
  readonly controllerId: number;
  readonly incarnationId: string;
  readonly zkMigrationReady: boolean;
  readonly endPoints: readonly Endpoint[];
  readonly features: readonly FeatureRange[];
}

export interface NoOpRecord {
  readonly type: 'NoOpRecord';
}

/** Records up to the matching end belong together; followers apply them when the end has come. */
export interface BeginTransactionRecord {
  readonly type: 'BeginTransactionRecord';
  readonly name: string | null;
}

export interface EndTransactionRecord {
  readonly type: 'EndTransactionRecord';
}

export interface AbortTransactionRecord {
  readonly type: 'AbortTransactionRecord';
  readonly reason: string | null;
}

export type MetadataRecord =
  | RegisterBrokerRecord
  | UnregisterBrokerRecord
  | FenceBrokerRecord
  | UnfenceBrokerRecord
  | BrokerRegistrationChangeRecord
  | TopicRecord
  | PartitionRecord
  | PartitionChangeRecord
  | RemoveTopicRecord
  | ClearElrRecord
  | ConfigRecord
  | FeatureLevelRecord
  | ProducerIdsRecord
  | RegisterControllerRecord
  | NoOpRecord
  | BeginTransactionRecord
  | EndTransactionRecord
  | AbortTransactionRecord;

export type MetadataRecordType = MetadataRecord['type'];

/** In a PartitionChangeRecord: the leader stays. */
export const LEADER_UNCHANGED = -2;
/** In a PartitionChangeRecord: the recovery state stays. */
export const RECOVERY_STATE_UNCHANGED = -1;

/** A change of one partition in which everything not named stays as it was. */
export function partitionChange(
  topicId: string,
  partitionId: number,
  change: Partial<Omit<PartitionChangeRecord, 'type' | 'topicId' | 'partitionId'>>,
): PartitionChangeRecord {
  return {
    type: 'PartitionChangeRecord',
    topicId,
    partitionId,
    isr: null,
    leader: LEADER_UNCHANGED,
    replicas: null,
    removingReplicas: null,
    addingReplicas: null,
    leaderRecoveryState: RECOVERY_STATE_UNCHANGED,
    directories: null,
    eligibleLeaderReplicas: null,
    lastKnownElr: null,
    ...change,
  };
}

/** A change of one broker's registration in which everything not named stays as it was. */
export function brokerRegistrationChange(
  brokerId: number,
  brokerEpoch: number,
  change: Partial<Omit<BrokerRegistrationChangeRecord, 'type' | 'brokerId' | 'brokerEpoch'>>,
): BrokerRegistrationChangeRecord {
  return {
    type: 'BrokerRegistrationChangeRecord',
    brokerId,
    brokerEpoch,
    fenced: 0,
    inControlledShutdown: 0,
    logDirs: [],
    ...change,
  };
}
