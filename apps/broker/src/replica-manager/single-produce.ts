/**
 * The append of one batch, which is what most Produce requests are. Where nothing has to be waited for it is over at
 * once, by the same rules as any other; where replication has to be waited for, it goes on as a `ProduceOperation`.
 */
import { replicatedOutcome, type WrittenBatch, writtenOutcome } from '@seatlog/replication';
import type { Clock, Timers } from '@seatlog/runtime';
import { outcomeOf } from './append-check.ts';
import type { LocalPartition } from './local-partition.ts';
import { type BatchSink, ProduceOperation } from './produce-operation.ts';
import type { AppendOutcome, AppendRequest } from './replica-manager.ts';

export class SingleProduce implements BatchSink {
  readonly #ports: { readonly clock: Clock; readonly timers: Timers };
  readonly #request: AppendRequest;
  readonly #done: (outcome: AppendOutcome) => void;
  /** Only a wait has a deadline. */
  readonly #startedAt: number;

  /** `acks` of the request are 0, 1 or -1. */
  constructor(
    ports: { readonly clock: Clock; readonly timers: Timers },
    request: AppendRequest,
    done: (outcome: AppendOutcome) => void,
  ) {
    this.#ports = ports;
    this.#request = request;
    this.#done = done;
    this.#startedAt = request.acks === -1 ? ports.clock.monotonic() : 0;
  }

  refused(outcome: AppendOutcome): void {
    this.#done(outcome);
  }

  written(partition: LocalPartition, batch: WrittenBatch): void {
    if (this.#request.acks !== -1) {
      this.#done(writtenOutcome(batch));
      return;
    }
    const outcome = partition.replicationOutcome(batch.lastOffset + 1);
    if (outcome === null) this.#wait(partition, batch);
    else this.#done(replicatedOutcome(batch, outcome));
  }

  #wait(partition: LocalPartition, batch: WrittenBatch): void {
    const { acks, timeoutMs } = this.#request;
    const waitedMs = this.#ports.clock.monotonic() - this.#startedAt;
    const request = { acks, timeoutMs: timeoutMs - waitedMs, batches: [this.#request] };
    const alreadyWritten = (_place: number, sink: BatchSink): void => sink.written(partition, batch);
    const done = this.#done;
    new ProduceOperation(this.#ports, request, alreadyWritten, (answer) => done(outcomeOf(answer))).start();
  }
}
