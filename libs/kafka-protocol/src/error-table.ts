/**
 * Kafka's error codes: the one table that broker, SDK and tools read. The first member of a row is the code on the
 * wire, `retriable` says whether a client may repeat the same request, and the text is what goes into a response's
 * error message when there is nothing more specific to say.
 */
const ROWS = [
  [-1, 'UNKNOWN_SERVER_ERROR', false, 'The server failed in a way it did not foresee.'],
  [0, 'NONE', false, ''],
  [1, 'OFFSET_OUT_OF_RANGE', false, 'The offset lies outside what this partition holds.'],
  [2, 'CORRUPT_MESSAGE', true, 'The batch does not match its checksum or is otherwise damaged.'],
  [3, 'UNKNOWN_TOPIC_OR_PARTITION', true, 'This server does not host this topic-partition.'],
  [4, 'INVALID_FETCH_SIZE', false, 'The fetch size is not valid.'],
  [5, 'LEADER_NOT_AVAILABLE', true, 'The partition has no leader at the moment.'],
  [
    6,
    'NOT_LEADER_OR_FOLLOWER',
    true,
    'This broker does not lead the partition, or does not hold a replica of it.',
  ],
  [7, 'REQUEST_TIMED_OUT', true, 'The request timed out.'],
  [8, 'BROKER_NOT_AVAILABLE', false, 'The broker is not available.'],
  [9, 'REPLICA_NOT_AVAILABLE', true, 'The replica is not available.'],
  [10, 'MESSAGE_TOO_LARGE', false, 'The batch is larger than the server accepts.'],
  [11, 'STALE_CONTROLLER_EPOCH', false, 'Another controller has taken over.'],
  [12, 'OFFSET_METADATA_TOO_LARGE', false, 'The metadata stored with the offset is too large.'],
  [13, 'NETWORK_EXCEPTION', true, 'The connection was lost before the response came.'],
  [14, 'COORDINATOR_LOAD_IN_PROGRESS', true, 'The coordinator is still reading its state.'],
  [15, 'COORDINATOR_NOT_AVAILABLE', true, 'The coordinator is not available.'],
  [16, 'NOT_COORDINATOR', true, 'This is not the correct coordinator.'],
  [
    17,
    'INVALID_TOPIC_EXCEPTION',
    false,
    'The topic name is not valid, or the topic does not allow this operation.',
  ],
  [18, 'RECORD_LIST_TOO_LARGE', false, 'The batch is larger than a segment.'],
  [
    19,
    'NOT_ENOUGH_REPLICAS',
    true,
    'Messages are rejected since there are fewer in-sync replicas than required.',
  ],
  [
    20,
    'NOT_ENOUGH_REPLICAS_AFTER_APPEND',
    true,
    'Messages are written to the log, but to fewer in-sync replicas than required.',
  ],
  [21, 'INVALID_REQUIRED_ACKS', false, 'acks must be -1, 0 or 1.'],
  [22, 'ILLEGAL_GENERATION', false, 'The generation is not the current one of the group.'],
  [23, 'INCONSISTENT_GROUP_PROTOCOL', false, 'The member shares no protocol with the group, or names none.'],
  [24, 'INVALID_GROUP_ID', false, 'The group id is not valid.'],
  [25, 'UNKNOWN_MEMBER_ID', false, 'The coordinator does not know this member.'],
  [
    26,
    'INVALID_SESSION_TIMEOUT',
    false,
    'The session timeout lies outside the range that the broker allows.',
  ],
  [27, 'REBALANCE_IN_PROGRESS', false, 'The group is rebalancing: join again.'],
  [28, 'INVALID_COMMIT_OFFSET_SIZE', false, 'The offset commit is too large.'],
  [29, 'TOPIC_AUTHORIZATION_FAILED', false, 'Not authorized for this topic.'],
  [30, 'GROUP_AUTHORIZATION_FAILED', false, 'Not authorized for this group.'],
  [31, 'CLUSTER_AUTHORIZATION_FAILED', false, 'Not authorized for this cluster.'],
  [32, 'INVALID_TIMESTAMP', false, 'The timestamp lies outside the accepted range.'],
  [33, 'UNSUPPORTED_SASL_MECHANISM', false, 'The SASL mechanism is not supported.'],
  [34, 'ILLEGAL_SASL_STATE', false, 'The request does not belong into this state of authentication.'],
  [35, 'UNSUPPORTED_VERSION', false, 'The version of API is not supported.'],
  [36, 'TOPIC_ALREADY_EXISTS', false, 'A topic of this name exists already.'],
  [37, 'INVALID_PARTITIONS', false, 'The number of partitions is not valid.'],
  [
    38,
    'INVALID_REPLICATION_FACTOR',
    false,
    'The replication factor is below 1 or above the number of brokers.',
  ],
  [39, 'INVALID_REPLICA_ASSIGNMENT', false, 'The assignment of replicas is not valid.'],
  [40, 'INVALID_CONFIG', false, 'A configuration value is not valid.'],
  [41, 'NOT_CONTROLLER', true, 'This is not the active controller.'],
  [42, 'INVALID_REQUEST', false, 'The request contradicts itself or the rules of its API.'],
  [43, 'UNSUPPORTED_FOR_MESSAGE_FORMAT', false, 'The stored record format does not allow this request.'],
  [44, 'POLICY_VIOLATION', false, 'The request goes against a policy of the cluster.'],
  [
    45,
    'OUT_OF_ORDER_SEQUENCE_NUMBER',
    false,
    'The sequence number does not follow the last one of this producer.',
  ],
  [46, 'DUPLICATE_SEQUENCE_NUMBER', false, 'The sequence number has been seen before.'],
  [47, 'INVALID_PRODUCER_EPOCH', false, 'The producer epoch is older than the current one.'],
  [48, 'INVALID_TXN_STATE', false, 'The transaction is in a state that does not allow this.'],
  [49, 'INVALID_PRODUCER_ID_MAPPING', false, 'The producer id does not belong to this transactional id.'],
  [50, 'INVALID_TRANSACTION_TIMEOUT', false, 'The transaction timeout is above transaction.max.timeout.ms.'],
  [51, 'CONCURRENT_TRANSACTIONS', true, 'The transaction is busy with another operation.'],
  [52, 'TRANSACTION_COORDINATOR_FENCED', false, 'Another transaction coordinator has taken over.'],
  [53, 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED', false, 'Not authorized for this transactional id.'],
  [54, 'SECURITY_DISABLED', false, 'Security features are switched off.'],
  [55, 'OPERATION_NOT_ATTEMPTED', false, 'Not attempted, because another part of the request failed.'],
  [56, 'KAFKA_STORAGE_ERROR', true, 'The disk failed under the log.'],
  [57, 'LOG_DIR_NOT_FOUND', false, 'The log directory is not one of this broker.'],
  [58, 'SASL_AUTHENTICATION_FAILED', false, 'Authentication failed.'],
  [59, 'UNKNOWN_PRODUCER_ID', false, 'Nothing is known of this producer id any more.'],
  [60, 'REASSIGNMENT_IN_PROGRESS', false, 'A reassignment of the partition is under way.'],
  [61, 'DELEGATION_TOKEN_AUTH_DISABLED', false, 'Delegation tokens are switched off.'],
  [62, 'DELEGATION_TOKEN_NOT_FOUND', false, 'There is no such delegation token.'],
  [63, 'DELEGATION_TOKEN_OWNER_MISMATCH', false, 'The principal is neither owner nor renewer of the token.'],
  [
    64,
    'DELEGATION_TOKEN_REQUEST_NOT_ALLOWED',
    false,
    'Delegation tokens cannot be requested over this channel.',
  ],
  [65, 'DELEGATION_TOKEN_AUTHORIZATION_FAILED', false, 'Not authorized for this delegation token.'],
  [66, 'DELEGATION_TOKEN_EXPIRED', false, 'The delegation token has expired.'],
  [67, 'INVALID_PRINCIPAL_TYPE', false, 'This type of principal is not supported.'],
  [68, 'NON_EMPTY_GROUP', false, 'The group still has members.'],
  [69, 'GROUP_ID_NOT_FOUND', false, 'There is no such group.'],
  [70, 'FETCH_SESSION_ID_NOT_FOUND', true, 'There is no such fetch session.'],
  [71, 'INVALID_FETCH_SESSION_EPOCH', true, 'The epoch is not the next one of the fetch session.'],
  [72, 'LISTENER_NOT_FOUND', true, 'The leader has no listener of this name.'],
  [73, 'TOPIC_DELETION_DISABLED', false, 'Deletion of topics is switched off.'],
  [74, 'FENCED_LEADER_EPOCH', true, 'The leader epoch is older than the one of the broker.'],
  [75, 'UNKNOWN_LEADER_EPOCH', true, 'The leader epoch is ahead of the one of the broker.'],
  [
    76,
    'UNSUPPORTED_COMPRESSION_TYPE',
    false,
    'This version of the request does not allow the compression type.',
  ],
  [77, 'STALE_BROKER_EPOCH', false, 'The broker has registered again since.'],
  [78, 'OFFSET_NOT_AVAILABLE', true, 'The leader is too fresh to know its high watermark.'],
  [79, 'MEMBER_ID_REQUIRED', false, 'Join again with the member id that is given here.'],
  [80, 'PREFERRED_LEADER_NOT_AVAILABLE', true, 'The preferred leader is not available.'],
  [81, 'GROUP_MAX_SIZE_REACHED', false, 'The group is full.'],
  [82, 'FENCED_INSTANCE_ID', false, 'Another member has registered with the same group.instance.id.'],
  [83, 'ELIGIBLE_LEADERS_NOT_AVAILABLE', true, 'No replica may become leader.'],
  [84, 'ELECTION_NOT_NEEDED', true, 'The partition needs no election.'],
  [85, 'NO_REASSIGNMENT_IN_PROGRESS', false, 'No reassignment of the partition is under way.'],
  [86, 'GROUP_SUBSCRIBED_TO_TOPIC', false, 'The group is subscribed to this topic.'],
  [87, 'INVALID_RECORD', false, 'The batch or a record in it goes against the rules of the topic.'],
  [88, 'UNSTABLE_OFFSET_COMMIT', true, 'Offsets of an open transaction stand in the way.'],
  [89, 'THROTTLING_QUOTA_EXCEEDED', true, 'The quota is used up.'],
  [90, 'PRODUCER_FENCED', false, 'Another producer has taken over this transactional id.'],
  [91, 'RESOURCE_NOT_FOUND', false, 'The request names something that does not exist.'],
  [92, 'DUPLICATE_RESOURCE', false, 'The request names the same thing twice.'],
  [93, 'UNACCEPTABLE_CREDENTIAL', false, 'The credential does not meet the rules.'],
  [94, 'INCONSISTENT_VOTER_SET', false, 'Sender or receiver is not a voter.'],
  [95, 'INVALID_UPDATE_VERSION', false, 'The version of the update is not valid.'],
  [96, 'FEATURE_UPDATE_FAILED', false, 'The features could not be updated.'],
  [97, 'PRINCIPAL_DESERIALIZATION_FAILURE', false, 'The forwarded principal cannot be read.'],
  [98, 'SNAPSHOT_NOT_FOUND', false, 'There is no such snapshot.'],
  [99, 'POSITION_OUT_OF_RANGE', false, 'The position lies outside the snapshot.'],
  [100, 'UNKNOWN_TOPIC_ID', true, 'This server does not host this topic id.'],
  [101, 'DUPLICATE_BROKER_REGISTRATION', false, 'Another broker is registered with this id.'],
  [102, 'BROKER_ID_NOT_REGISTERED', false, 'No broker is registered with this id.'],
  [103, 'INCONSISTENT_TOPIC_ID', true, 'The topic id is not the one of the log.'],
  [104, 'INCONSISTENT_CLUSTER_ID', false, 'The cluster id is not the one of this cluster.'],
  [105, 'TRANSACTIONAL_ID_NOT_FOUND', false, 'There is no such transactional id.'],
  [106, 'FETCH_SESSION_TOPIC_ID_ERROR', true, 'The fetch session mixes topic names and topic ids.'],
  [107, 'INELIGIBLE_REPLICA', false, 'The proposed in-sync set holds a replica that may not be in it.'],
  [108, 'NEW_LEADER_ELECTED', false, 'The change was made, and the partition has another leader now.'],
  [109, 'OFFSET_MOVED_TO_TIERED_STORAGE', false, 'The offset has moved to tiered storage.'],
  [110, 'FENCED_MEMBER_EPOCH', false, 'The member is fenced: give up all partitions and join again.'],
  [111, 'UNRELEASED_INSTANCE_ID', false, 'Another member still holds the instance id.'],
  [112, 'UNSUPPORTED_ASSIGNOR', false, 'The group does not support this assignor.'],
  [113, 'STALE_MEMBER_EPOCH', false, 'The member epoch is stale: send a heartbeat and try again.'],
  [114, 'MISMATCHED_ENDPOINT_TYPE', false, 'The request went to the wrong type of endpoint.'],
  [115, 'UNSUPPORTED_ENDPOINT_TYPE', false, 'This type of endpoint is not supported.'],
  [116, 'UNKNOWN_CONTROLLER_ID', false, 'There is no controller with this id.'],
  [117, 'UNKNOWN_SUBSCRIPTION_ID', false, 'The telemetry subscription is not the current one.'],
  [118, 'TELEMETRY_TOO_LARGE', false, 'The telemetry is larger than the broker accepts.'],
  [119, 'INVALID_REGISTRATION', false, 'The controller refuses the registration.'],
  [120, 'TRANSACTION_ABORTABLE', false, 'The transaction failed: abort it, then go on.'],
  [121, 'INVALID_RECORD_STATE', false, 'The record is in a state that does not allow the acknowledgement.'],
  [122, 'SHARE_SESSION_NOT_FOUND', true, 'There is no such share session.'],
  [123, 'INVALID_SHARE_SESSION_EPOCH', true, 'The epoch is not the next one of the share session.'],
  [124, 'FENCED_STATE_EPOCH', false, 'The epoch of the share group state is not the current one.'],
  [125, 'INVALID_VOTER_KEY', false, 'The voter key is not the one of this replica.'],
  [126, 'DUPLICATE_VOTER', false, 'The voter is in the set already.'],
  [127, 'VOTER_NOT_FOUND', false, 'The voter is not in the set.'],
  [128, 'INVALID_REGULAR_EXPRESSION', false, 'The regular expression is not valid.'],
  [
    129,
    'REBOOTSTRAP_REQUIRED',
    false,
    'The metadata of the client is stale: start again from the bootstrap servers.',
  ],
  [130, 'STREAMS_INVALID_TOPOLOGY', false, 'The topology is not valid.'],
  [131, 'STREAMS_INVALID_TOPOLOGY_EPOCH', false, 'The topology epoch is not valid.'],
  [132, 'STREAMS_TOPOLOGY_FENCED', false, 'The topology epoch is older than the current one.'],
  [133, 'SHARE_SESSION_LIMIT_REACHED', true, 'No more share sessions can be opened.'],
] as const;

type Row = (typeof ROWS)[number];

export type ErrorName = Row[1];
export type ErrorCode = Row[0];

/** Codes by name: `ErrorCode.NOT_LEADER_OR_FOLLOWER` is 6. */
export const ErrorCode = Object.freeze(Object.fromEntries(ROWS.map(([code, name]) => [name, code]))) as {
  readonly [R in Row as R[1]]: R[0];
};

export interface ErrorEntry {
  readonly code: number;
  readonly name: ErrorName;
  readonly message: string;
  readonly retriable: boolean;
}

/** All rows, by rising code. */
export const errorTable: readonly ErrorEntry[] = ROWS.map(([code, name, retriable, message]) =>
  Object.freeze({ code, name, message, retriable }),
);

const byCode: ReadonlyMap<number, ErrorEntry> = new Map(errorTable.map((entry) => [entry.code, entry]));
const byName: ReadonlyMap<string, ErrorEntry> = new Map(errorTable.map((entry) => [entry.name, entry]));

/** The row of a code. A code this table does not have is shown as an unknown server error with that number. */
export function errorByCode(code: number): ErrorEntry {
  const entry = byCode.get(code);
  if (entry !== undefined) return entry;
  return {
    code,
    name: 'UNKNOWN_SERVER_ERROR',
    message: `The server answered with error code ${code}.`,
    retriable: false,
  };
}

export function errorByName(name: string): ErrorEntry | undefined {
  return byName.get(name);
}
