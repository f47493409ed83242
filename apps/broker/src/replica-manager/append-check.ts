/** What stands against an append before the log sees it: a refusal in Kafka's terms, or null. */
import { batchIsTransactional, checkBatch, ErrorCode } from '@seatlog/kafka-protocol';
import { isInternalTopic } from '@seatlog/metadata-quorum';
import type { LocalPartition } from './local-partition.ts';
import type { AppendOutcome, AppendRequest } from './replica-manager.ts';

export function refused(errorCode: number, errorMessage: string | null): AppendOutcome {
  return { errorCode, errorMessage, baseOffset: -1, logAppendTime: -1, logStartOffset: -1 };
}

export function checkAcks(acks: number): AppendOutcome | null {
  if (acks === -1 || acks === 0 || acks === 1) return null;
  return refused(ErrorCode.INVALID_REQUIRED_ACKS, `acks is ${acks}; it can be -1, 0 or 1.`);
}

/** R17: acks=all with too small an ISR is refused before anything is written. */
export function checkInSync(partition: LocalPartition, acks: number): AppendOutcome | null {
  if (acks !== -1 || !partition.isUnderMinIsr) return null;
  return refused(
    ErrorCode.NOT_ENOUGH_REPLICAS,
    'Messages are rejected since there are fewer in-sync replicas than required.',
  );
}

/** A client's batch, held against the topic's configs. Coordinators' batches are the broker's own. */
export function checkClientBatch(
  partition: LocalPartition,
  request: AppendRequest,
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
  const problem = checkBatch(request.batch, {
    maxBatchBytes: config['max.message.bytes'],
    allowZstd: request.allowZstd ?? true,
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
  if (batchIsTransactional(request.batch)) {
    return refused(ErrorCode.INVALID_TXN_STATE, 'This broker does not take transactional batches.');
  }
  return null;
}
