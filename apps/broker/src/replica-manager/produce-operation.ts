/**
 * One Produce request at its edge: `PendingProduce` decides when it is answered, and with what; here batches are
 * appended, waits begun and given up. Its deadline counts from the start; a timer is armed only once something waits.
 */
import {
  PendingProduce,
  type ProduceEffect,
  type ProduceEvent,
  type WrittenBatch,
} from '@seatlog/replication';
import type { Cancel, Clock, Timers } from '@seatlog/runtime';
import type { LocalPartition } from './local-partition.ts';
import type { AppendOutcome, ProduceAnswer } from './replica-manager.ts';

/** Who hears what became of one batch: one of these is called once, maybe before `append` returns. */
export interface BatchSink {
  refused(outcome: AppendOutcome): void;
  /** In the log of this partition, by its leader. */
  written(partition: LocalPartition, batch: WrittenBatch): void;
}

export type AppendBatch = (place: number, sink: BatchSink) => void;

interface Wait {
  readonly partition: LocalPartition;
  readonly token: number;
}

export class ProduceOperation {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #appendBatch: AppendBatch;
  readonly #done: (answer: ProduceAnswer) => void;
  readonly #pending: PendingProduce;
  /** By place: where its batch was written. */
  readonly #written: LocalPartition[] = [];
  readonly #waits: Wait[] = [];
  #deadline = Number.POSITIVE_INFINITY;
  #cancelTimeout: Cancel | null = null;

  constructor(
    { clock, timers }: { readonly clock: Clock; readonly timers: Timers },
    { acks, timeoutMs, batches }: { acks: number; timeoutMs: number; batches: readonly unknown[] },
    appendBatch: AppendBatch,
    done: (answer: ProduceAnswer) => void,
  ) {
    this.#clock = clock;
    this.#timers = timers;
    this.#appendBatch = appendBatch;
    this.#done = done;
    this.#pending = new PendingProduce(acks, timeoutMs, batches.length);
  }

  start(): void {
    this.#tell({ type: 'started' });
  }

  #tell(event: ProduceEvent): void {
    for (const effect of this.#pending.step(event)) this.#carryOut(effect);
  }

  #carryOut(effect: ProduceEffect): void {
    switch (effect.type) {
      case 'append':
        this.#append(effect.place);
        return;
      case 'await-replication':
        this.#await(effect.place, effect.requiredOffset);
        return;
      case 'forget-wait': {
        const wait = this.#waits[effect.place];
        wait?.partition.expireWait(wait.token);
        return;
      }
      case 'arm-timeout':
        this.#deadline = this.#clock.monotonic() + effect.delayMs;
        return;
      case 'cancel-timeout':
        this.#cancelTimeout?.();
        return;
      case 'respond':
        this.#done({ kind: 'answer', outcomes: effect.outcomes });
        return;
      case 'stay-silent':
        this.#done({ kind: 'silence' });
        return;
      case 'close-connection':
        this.#done({ kind: 'closing', errorCode: effect.errorCode });
    }
  }

  #append(place: number): void {
    this.#appendBatch(place, {
      refused: ({ errorCode, errorMessage }) =>
        this.#tell({ type: 'refused', place, errorCode, errorMessage }),
      written: (partition, batch) => {
        this.#written[place] = partition;
        this.#tell({ type: 'written', place, batch });
      },
    });
  }

  #await(place: number, requiredOffset: number): void {
    const partition = this.#written[place];
    if (partition === undefined) return;
    const outcome = partition.replicationOutcome(requiredOffset);
    if (outcome !== null) {
      this.#tell({ type: 'replicated', place, errorCode: outcome });
      return;
    }
    const token = partition.awaitReplication(requiredOffset, (errorCode) =>
      this.#tell({ type: 'replicated', place, errorCode }),
    );
    if (!partition.isWaiting(token)) return;
    this.#waits[place] = { partition, token };
    const leftMs = Math.max(0, this.#deadline - this.#clock.monotonic());
    this.#cancelTimeout ??= this.#timers.schedule(leftMs, () => this.#tell({ type: 'timed-out' }));
  }
}
