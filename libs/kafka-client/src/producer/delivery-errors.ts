/** Errors of batches that were given up by this side, with what is known of their fate. Pure. */
import { KafkaClientError, type WriteOutcome } from '../errors.ts';
import type { ProducerBatch } from './producer-batch.ts';

export function deliveryTimedOut(
  { topic, partition }: { readonly topic: string; readonly partition: number },
  batch: ProducerBatch,
  underWay: boolean,
  timeoutMs: number,
): KafkaClientError {
  const last = batch.lastError === null ? '' : `; last: ${batch.lastError.message}`;
  return new KafkaClientError(
    'DELIVERY_TIMEOUT',
    `${topic}-${partition} was not written within ${timeoutMs} ms${last}`,
    {
      retriable: true,
      hint: 'the leader could not be reached or did not answer in time: look at the cause, or raise deliveryTimeoutMs',
      outcome: outcomeOf(batch, underWay),
      cause: batch.lastError ?? undefined,
    },
  );
}

/** The answer that was not tried again, with what is known of the batch's fate. */
export function retriesUsedUp(
  batch: ProducerBatch,
  { code, message, hint, cause }: KafkaClientError,
): KafkaClientError {
  return new KafkaClientError(code, message, {
    retriable: true,
    hint,
    outcome: outcomeOf(batch, false),
    cause,
  });
}

export function closedBeforeAnswer(batch: ProducerBatch, underWay: boolean): KafkaClientError {
  return new KafkaClientError('CLIENT_CLOSED', 'the producer was closed before the record was confirmed', {
    retriable: false,
    hint: 'wait for what was sent, or give close() a longer timeoutMs',
    outcome: outcomeOf(batch, underWay),
    cause: batch.lastError ?? undefined,
  });
}

export function producerClosed(): KafkaClientError {
  return new KafkaClientError('CLIENT_CLOSED', 'the producer is closed', {
    retriable: false,
    hint: 'make a producer that lives as long as it is used',
    outcome: 'not-written',
  });
}

function outcomeOf(batch: ProducerBatch, underWay: boolean): WriteOutcome {
  return underWay || batch.maybeWritten ? 'unknown' : 'not-written';
}
