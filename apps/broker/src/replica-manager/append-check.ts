/** What stands against an append before the log sees it: a refusal in Kafka's terms, or null. */
import { batchIsTransactional, checkBatch, errorByCode, ErrorCode } from '@seatlog/kafka-protocol';
import { isInternalTopic } from '@seatlog/metadata-quorum';
import type { LocalPartition } from './local-partition.ts';
import type { AppendOutcome } from './replica-manager.ts';

export function refused(errorCode: number, errorMessage: string | null): AppendOutcome {
  return { errorCode, errorMessage, baseOffset: -1, logAppendTime: -1, logStartOffset: -1 };
}

/** R17: acks=all with too small an ISR is refused before anything is written; so is whatever comes to no leader. */
export function checkLeader(partition: LocalPartition, acks: number): AppendOutcome | null {
  const errorCode = partition.appendError(acks);
  if (errorCode === ErrorCode.NONE) return null;
  const isUnderMinIsr = errorCode === ErrorCode.NOT_ENOUGH_REPLICAS;
  return refused(errorCode, isUnderMinIsr ? errorByCode(errorCode).message : null);
}

/** A client's batch, held against the topic's configs. Coordinators' batches are the broker's own. */
export function checkClientBatch(
  partition: LocalPartition,
  batch: Uint8Array,
  allowZstd: boolean,
  now: number,
): AppendOutcome | null {
  if (isInternalTopic(partition.topic)) {
    return refused(
      ErrorCode.INVALID_TOPIC_EXCEPTION,
      `Clients do not write to the internal topic ${partition.topic}.`,
    );
  }
  const { config } = partition;
  const keepsProducerTime = config['message.timestamp.type'] === 'CreateTime';
  const problem = checkBatch(batch, {
    maxBatchBytes: config['max.message.bytes'],
    allowZstd,
    requireKeys: config['cleanup.policy'].includes('compact'),
    ...(keepsProducerTime
      ? {
          now,
          maxTimestampAheadMs: config['message.timestamp.after.max.ms'],
          maxTimestampBehindMs: config['message.timestamp.before.max.ms'],
        }
      : {}),
  });
  if (problem !== null) return refused(problem.errorCode, problem.reason);
  if (batchIsTransactional(batch)) {
    return refused(ErrorCode.INVALID_TXN_STATE, 'This broker does not take transactional batches.');
  }
  return null;
}
