/** Errors that the consumer itself raises. */
import { KafkaClientError } from '../errors.ts';
import { partitionKey } from './partition-sets.ts';
import type { TopicPartition } from './types.ts';

export function notAssigned(partition: TopicPartition): KafkaClientError {
  return new KafkaClientError('NOT_ASSIGNED', `${partitionKey(partition)} is not assigned to this consumer`, {
    retriable: false,
    hint: 'it went to another member: leave its records, they are read again from the last commit',
  });
}

export function noGroup(): KafkaClientError {
  return new KafkaClientError('INVALID_ARGUMENT', 'offsets are committed for a group, and none is given', {
    retriable: false,
    hint: 'give the consumer a groupId',
  });
}

export function misuse(message: string, hint: string): KafkaClientError {
  return new KafkaClientError('INVALID_ARGUMENT', message, { retriable: false, hint });
}

export function consumerClosed(): KafkaClientError {
  return new KafkaClientError('CLIENT_CLOSED', 'the consumer is closed', {
    retriable: false,
    hint: 'make another consumer',
  });
}
