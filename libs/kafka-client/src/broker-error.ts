/** Turns an error code of an answer into the client's error. */
import { errorByCode } from '@seatlog/kafka-protocol';
import { KafkaClientError, type WriteOutcome } from './errors.ts';

export interface BrokerErrorContext {
  /** What was asked for, as in "the broker refused <what>". */
  readonly what: string;
  readonly message?: string | null | undefined;
  readonly outcome?: WriteOutcome | undefined;
}

const HINTS: Readonly<Record<string, string>> = {
  UNKNOWN_TOPIC_OR_PARTITION: 'create the topic first, or check its name',
  TOPIC_ALREADY_EXISTS: 'use ifNotExists, or another name',
  MESSAGE_TOO_LARGE: "send less at a time, or raise the topic's max.message.bytes",
  NOT_ENOUGH_REPLICAS: 'too few replicas are in sync: look into the state of the cluster',
  NOT_ENOUGH_REPLICAS_AFTER_APPEND: 'it was written to too few replicas: look into the state of the cluster',
  NON_EMPTY_GROUP: 'stop the members of the group first',
  REBALANCE_IN_PROGRESS:
    'the partition goes to another member: leave the batch, it is read again from the last commit',
  ILLEGAL_GENERATION: 'the group has moved on without this member: leave the batch',
  UNKNOWN_MEMBER_ID: 'the group has moved on without this member: leave the batch',
  FENCED_INSTANCE_ID: 'another process uses the same groupInstanceId: give each its own',
  INVALID_SESSION_TIMEOUT: "choose a sessionTimeoutMs within the broker's group.min/max.session.timeout.ms",
  GROUP_AUTHORIZATION_FAILED: 'grant the principal access to the group',
  TOPIC_AUTHORIZATION_FAILED: 'grant the principal access to the topic',
};

export function brokerError(code: number, context: BrokerErrorContext): KafkaClientError {
  const { name, message, retriable } = errorByCode(code);
  const detail = context.message ?? message;
  return new KafkaClientError(name, `${context.what}: ${name}${detail === '' ? '' : ` (${detail})`}`, {
    retriable,
    hint: HINTS[name] ?? (retriable ? 'try again later' : 'see the description of this error in Kafka'),
    outcome: context.outcome,
  });
}
