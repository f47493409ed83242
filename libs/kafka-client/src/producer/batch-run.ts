/** One `sendBatch` on its way into the buffer: goes record by record as far as there is room, and on from there later. */
import type { KafkaClientError } from '../errors.ts';
import type { AdmissionJob } from './admission.ts';
import { RunDelivery, type BatchPromise } from './deliveries.ts';
import type { ProducerBatch } from './producer-batch.ts';
import { asSendError } from './record-input.ts';

/** Puts the record of an index into a batch and tells which; null when the buffer is full. May throw for that record. */
export type RecordAppender = (index: number) => ProducerBatch | null;

export class BatchRun implements AdmissionJob {
  readonly #total: number;
  readonly #promise: BatchPromise;
  readonly #start: () => RecordAppender | null;
  #index = 0;

  /** `start` is asked before each stretch of records; null when nothing can be taken now. */
  constructor(total: number, promise: BatchPromise, start: () => RecordAppender | null) {
    this.#total = total;
    this.#promise = promise;
    this.#start = start;
  }

  proceed(): boolean {
    const append = this.#start();
    if (append === null) return false;
    let batch: ProducerBatch | null = null;
    let run: RunDelivery | null = null;
    while (this.#index < this.#total) {
      const index = this.#index;
      try {
        const into = append(index);
        if (into === null) return false;
        if (run !== null && into === batch) {
          run.count += 1;
        } else {
          batch = into;
          run = new RunDelivery(into.recordCount - 1, 1, index, this.#promise);
          into.tell(run);
        }
        this.#index += 1;
      } catch (cause) {
        run = null;
        this.#index += 1;
        this.#promise.failed({ firstIndex: index, count: 1, partition: null, error: asSendError(cause) });
      }
    }
    return true;
  }

  giveUp(error: KafkaClientError): void {
    const rest = this.#total - this.#index;
    if (rest === 0) return;
    const firstIndex = this.#index;
    this.#index = this.#total;
    this.#promise.failed({ firstIndex, count: rest, partition: null, error });
  }
}
