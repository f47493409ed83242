/**
 * A Produce request with one batch, which is what most are. Where nothing has to be waited for it is answered at once, by
 * the same rules as any other; where replication has to be waited for, it goes on as a `ProduceOperation`.
 */
import { replicatedOutcome, type WrittenBatch, writtenOutcome } from '@seatlog/replication';
import type { Clock, Timers } from '@seatlog/runtime';
import type { LocalPartition } from './local-partition.ts';
import { type BatchSink, ProduceOperation } from './produce-operation.ts';
import type { AppendOutcome, ProduceAnswer, ProduceRequest } from './replica-manager.ts';

const SILENCE: ProduceAnswer = { kind: 'silence' };

export class SingleProduce implements BatchSink {
  readonly #ports: { readonly clock: Clock; readonly timers: Timers };
  readonly #request: ProduceRequest;
  readonly #done: (answer: ProduceAnswer) => void;
  /** Only a wait has a deadline. */
  readonly #startedAt: number;

  constructor(
    ports: { readonly clock: Clock; readonly timers: Timers },
    request: ProduceRequest,
    done: (answer: ProduceAnswer) => void,
  ) {
    this.#ports = ports;
    this.#request = request;
    this.#done = done;
    this.#startedAt = request.acks === -1 ? ports.clock.monotonic() : 0;
  }

  refused(outcome: AppendOutcome): void {
    if (this.#request.acks === 0) this.#done({ kind: 'closing', errorCode: outcome.errorCode });
    else this.#answer(outcome);
  }

  written(partition: LocalPartition, batch: WrittenBatch): void {
    const { acks } = this.#request;
    if (acks === 0) this.#done(SILENCE);
    else if (acks === 1) this.#answer(writtenOutcome(batch));
    else {
      const outcome = partition.replicationOutcome(batch.lastOffset + 1);
      if (outcome === null) this.#wait(partition, batch);
      else this.#answer(replicatedOutcome(batch, outcome));
    }
  }

  #wait(partition: LocalPartition, batch: WrittenBatch): void {
    const waitedMs = this.#ports.clock.monotonic() - this.#startedAt;
    const request = { ...this.#request, timeoutMs: this.#request.timeoutMs - waitedMs };
    const alreadyWritten = (_place: number, sink: BatchSink): void => sink.written(partition, batch);
    new ProduceOperation(this.#ports, request, alreadyWritten, this.#done).start();
  }

  #answer(outcome: AppendOutcome): void {
    this.#done({ kind: 'answer', outcomes: [outcome] });
  }
}
