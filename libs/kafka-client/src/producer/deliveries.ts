/**
 * Who is told what became of a record. A batch keeps its deliveries in the order of its records: one object for each single
 * send, one for each neighbouring run of a `sendBatch`, none at all for a `post` that nobody listens to.
 */
import { BatchSendError, KafkaClientError, type FailedRange } from '../errors.ts';
import type { BatchMetadata, DeliveryCallback, RecordMetadata, WrittenRange } from './types.ts';

export interface Written {
  readonly topic: string;
  readonly partition: number;
  /** Offset of the first record of the batch; -1 if it is not known (acks 0, or a duplicate that the broker only hints at). */
  readonly baseOffset: number;
  /** The log's own time if the topic stamps it, else -1. */
  readonly logAppendTime: number;
}

export interface Delivery {
  /** Position of its first record in the batch. */
  readonly at: number;
  readonly count: number;
  written(batch: Written): void;
  failed(error: KafkaClientError, partition: number | null): void;
  /** The part of it that covers records `from` up to `to` of the batch, in a batch that begins at `from`. */
  cut(from: number, to: number): Delivery;
}

export class SingleDelivery implements Delivery {
  readonly at: number;
  readonly count = 1;
  readonly #timestamp: number;
  readonly #resolve: (metadata: RecordMetadata) => void;
  readonly #reject: (error: KafkaClientError) => void;

  constructor(
    at: number,
    timestamp: number,
    resolve: (metadata: RecordMetadata) => void,
    reject: (error: KafkaClientError) => void,
  ) {
    this.at = at;
    this.#timestamp = timestamp;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  written(batch: Written): void {
    const { topic, partition, baseOffset, logAppendTime } = batch;
    this.#resolve({
      topic,
      partition,
      offset: baseOffset < 0 ? -1 : baseOffset + this.at,
      timestamp: logAppendTime < 0 ? this.#timestamp : logAppendTime,
    });
  }

  failed(error: KafkaClientError): void {
    this.#reject(error);
  }

  cut(from: number): Delivery {
    return new SingleDelivery(this.at - from, this.#timestamp, this.#resolve, this.#reject);
  }
}

export class PostDelivery implements Delivery {
  readonly at: number;
  readonly count = 1;
  readonly #callback: DeliveryCallback;

  constructor(at: number, callback: DeliveryCallback) {
    this.at = at;
    this.#callback = callback;
  }

  written(batch: Written): void {
    this.#callback(null, batch.partition, batch.baseOffset < 0 ? -1 : batch.baseOffset + this.at);
  }

  failed(error: KafkaClientError, partition: number | null): void {
    this.#callback(error, partition ?? -1, -1);
  }

  cut(from: number): Delivery {
    return new PostDelivery(this.at - from, this.#callback);
  }
}

/** The one promise of a `sendBatch`, and what is known of its runs. */
export class BatchPromise {
  readonly topic: string;
  readonly total: number;
  #open: number;
  readonly #ranges: WrittenRange[] = [];
  readonly #failures: FailedRange[] = [];
  readonly #resolve: (metadata: BatchMetadata) => void;
  readonly #reject: (error: KafkaClientError) => void;

  constructor(
    topic: string,
    total: number,
    resolve: (metadata: BatchMetadata) => void,
    reject: (error: KafkaClientError) => void,
  ) {
    this.topic = topic;
    this.total = total;
    this.#open = total;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  written(range: WrittenRange): void {
    this.#ranges.push(range);
    this.#close(range.count);
  }

  failed(failure: FailedRange): void {
    this.#failures.push(failure);
    this.#close(failure.count);
  }

  #close(count: number): void {
    this.#open -= count;
    if (this.#open > 0) return;
    if (this.#failures.length > 0) {
      this.#reject(batchSendError(this.topic, this.total, this.#failures));
      return;
    }
    const ranges = this.#ranges.sort((a, b) => a.firstIndex - b.firstIndex);
    this.#resolve({ topic: this.topic, count: this.total, ranges });
  }
}

/** Neighbouring records of a `sendBatch` that lie side by side in one batch. */
export class RunDelivery implements Delivery {
  readonly at: number;
  count: number;
  readonly #firstIndex: number;
  readonly #promise: BatchPromise;

  constructor(at: number, count: number, firstIndex: number, promise: BatchPromise) {
    this.at = at;
    this.count = count;
    this.#firstIndex = firstIndex;
    this.#promise = promise;
  }

  written(batch: Written): void {
    const firstOffset = batch.baseOffset < 0 ? -1 : batch.baseOffset + this.at;
    this.#promise.written({
      firstIndex: this.#firstIndex,
      count: this.count,
      partition: batch.partition,
      firstOffset,
    });
  }

  failed(error: KafkaClientError, partition: number | null): void {
    this.#promise.failed({ firstIndex: this.#firstIndex, count: this.count, partition, error });
  }

  cut(from: number, to: number): Delivery {
    const first = Math.max(this.at, from);
    const last = Math.min(this.at + this.count, to);
    return new RunDelivery(first - from, last - first, this.#firstIndex + (first - this.at), this.#promise);
  }
}

function batchSendError(topic: string, total: number, failures: readonly FailedRange[]): BatchSendError {
  const sorted = failures.toSorted((a, b) => a.firstIndex - b.firstIndex);
  const lost = sorted.reduce((sum, failure) => sum + failure.count, 0);
  const [first] = sorted as [FailedRange];
  const everyOne = (test: (failure: FailedRange) => boolean): boolean => sorted.every(test);
  const surelyNone = lost === total && everyOne(({ error }) => error.outcome === 'not-written');
  const oneCause = lost === total && everyOne(({ error }) => error.code === first.error.code);
  return new BatchSendError(
    oneCause ? first.error.code : 'PARTIAL_FAILURE',
    oneCause
      ? first.error.message
      : `${lost} of ${total} records for ${topic} failed: ${first.error.message}`,
    {
      retriable: everyOne(({ error }) => error.retriable),
      hint: oneCause ? first.error.hint : 'look at `failures`: records in none of them were written',
      outcome: surelyNone ? 'not-written' : 'unknown',
      cause: first.error,
      failures: sorted,
    },
  );
}
