/**
 * What a broker's error in a Produce answer says about the batch: whether it may be in the log all the same, and what to do.
 * Pure. On this table rests the promise of `outcome: 'not-written'`: whatever is not surely refused counts as maybe written.
 */
import { errorByCode, ErrorCode } from '@seatlog/kafka-protocol';

export interface Judgement {
  /** True unless the broker surely refused before it appended. */
  readonly maybeWritten: boolean;
  readonly retry: boolean;
  /** The batch went to the wrong place: ask for the metadata. */
  readonly refreshMetadata: boolean;
}

/** Refused before the append, whatever the acks. */
const REFUSED_BEFORE_APPEND: ReadonlySet<number> = new Set([
  ErrorCode.CORRUPT_MESSAGE,
  ErrorCode.LEADER_NOT_AVAILABLE,
  ErrorCode.MESSAGE_TOO_LARGE,
  ErrorCode.INVALID_TOPIC_EXCEPTION,
  ErrorCode.RECORD_LIST_TOO_LARGE,
  ErrorCode.NOT_ENOUGH_REPLICAS,
  ErrorCode.INVALID_REQUIRED_ACKS,
  ErrorCode.TOPIC_AUTHORIZATION_FAILED,
  ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
  ErrorCode.INVALID_TIMESTAMP,
  ErrorCode.UNSUPPORTED_VERSION,
  ErrorCode.INVALID_REQUEST,
  ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT,
  ErrorCode.POLICY_VIOLATION,
  ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
  ErrorCode.INVALID_PRODUCER_EPOCH,
  ErrorCode.INVALID_TXN_STATE,
  ErrorCode.UNKNOWN_PRODUCER_ID,
  ErrorCode.UNSUPPORTED_COMPRESSION_TYPE,
  ErrorCode.FENCED_LEADER_EPOCH,
  ErrorCode.UNKNOWN_LEADER_EPOCH,
  ErrorCode.INVALID_RECORD,
  ErrorCode.THROTTLING_QUOTA_EXCEEDED,
  ErrorCode.PRODUCER_FENCED,
  ErrorCode.UNKNOWN_TOPIC_ID,
  ErrorCode.INCONSISTENT_TOPIC_ID,
]);

/**
 * Under acks 1 refused before the append too. Under acks all a leader that steps down while it waits for its followers
 * answers so for batches that it has appended, and that may have reached the next leader.
 */
const REFUSED_UNLESS_WAITING: ReadonlySet<number> = new Set([
  ErrorCode.NOT_LEADER_OR_FOLLOWER,
  ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
]);

const WRONG_PLACE: ReadonlySet<number> = new Set([
  ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
  ErrorCode.LEADER_NOT_AVAILABLE,
  ErrorCode.NOT_LEADER_OR_FOLLOWER,
  ErrorCode.REPLICA_NOT_AVAILABLE,
  ErrorCode.BROKER_NOT_AVAILABLE,
  ErrorCode.KAFKA_STORAGE_ERROR,
  ErrorCode.FENCED_LEADER_EPOCH,
  ErrorCode.UNKNOWN_LEADER_EPOCH,
  ErrorCode.UNKNOWN_TOPIC_ID,
  ErrorCode.INCONSISTENT_TOPIC_ID,
]);

export function judge(errorCode: number, acks: -1 | 0 | 1): Judgement {
  const refused =
    REFUSED_BEFORE_APPEND.has(errorCode) || (acks !== -1 && REFUSED_UNLESS_WAITING.has(errorCode));
  return {
    maybeWritten: !refused,
    retry: errorByCode(errorCode).retriable,
    refreshMetadata: WRONG_PLACE.has(errorCode),
  };
}
