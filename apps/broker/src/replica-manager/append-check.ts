/** What stands against an append before the log sees it: a refusal in Kafka's terms, or null. */
import {
  batchIsTransactional,
  type BatchRules,
  checkBatch,
  errorByCode,
  ErrorCode,
} from '@seatlog/kafka-protocol';
import { isInternalTopic } from '@seatlog/metadata-quorum';
import type { TopicConfig } from '../config/topic-config.ts';
import type { LocalPartition } from './local-partition.ts';
import type { AppendOutcome, ProduceAnswer } from './replica-manager.ts';

export function refused(errorCode: number, errorMessage: string | null): AppendOutcome {
  return { errorCode, errorMessage, baseOffset: -1, logAppendTime: -1, logStartOffset: -1 };
}

/** Of a request with one batch; with acks=0 too it is told what became of it. */
export function outcomeOf(answer: ProduceAnswer): AppendOutcome {
  const outcome = answer.kind === 'answer' ? answer.outcomes[0] : undefined;
  return outcome ?? refused(answer.kind === 'closing' ? answer.errorCode : ErrorCode.NONE, null);
}

/** R17: acks=all with too small an ISR is refused before anything is written; so is whatever comes to no leader. */
export function checkLeader(partition: LocalPartition, acks: number): AppendOutcome | null {
  const errorCode = partition.appendError(acks);
  if (errorCode === ErrorCode.NONE) return null;
  const isUnderMinIsr = errorCode === ErrorCode.NOT_ENOUGH_REPLICAS;
  return refused(errorCode, isUnderMinIsr ? errorByCode(errorCode).message : null);
}

/** What a topic's configs demand of clients' batches: made once for many. The moment is set for each. */
export class ClientBatchRules implements BatchRules {
  readonly config: TopicConfig;
  readonly maxBatchBytes: number;
  readonly requireKeys: boolean;
  readonly maxTimestampAheadMs: number;
  readonly maxTimestampBehindMs: number;
  allowZstd = true;
  now = 0;

  constructor(config: TopicConfig) {
    const keepsProducerTime = config['message.timestamp.type'] === 'CreateTime';
    this.config = config;
    this.maxBatchBytes = config['max.message.bytes'];
    this.requireKeys = config['cleanup.policy'].includes('compact');
    this.maxTimestampAheadMs = keepsProducerTime ? config['message.timestamp.after.max.ms'] : NO_BOUND;
    this.maxTimestampBehindMs = keepsProducerTime ? config['message.timestamp.before.max.ms'] : NO_BOUND;
  }
}

const NO_BOUND = Number.POSITIVE_INFINITY;

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
  const rules = partition.clientBatchRules;
  rules.allowZstd = allowZstd;
  rules.now = now;
  const problem = checkBatch(batch, rules);
  if (problem !== null) return refused(problem.errorCode, problem.reason);
  if (batchIsTransactional(batch)) {
    return refused(ErrorCode.INVALID_TXN_STATE, 'This broker does not take transactional batches.');
  }
  return null;
}
