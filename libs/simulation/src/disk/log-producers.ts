/** What a simulated log knows of producers: as it lives, and as its batches alone would give it. Commit-log’s own parts. */
import { BatchHeaders, batchProducerId } from '@seatlog/kafka-protocol';
import { producerBatchOf, ProducerStateManager } from '@seatlog/commit-log/testing';
import type { StoredBatch } from './stored-batch.ts';

type Staged = NonNullable<ReturnType<ProducerStateManager['stage']>>;

export class LogProducers {
  #live = new ProducerStateManager(0);
  /** As of the log start: what deleted records said is remembered. */
  #atStart = new ProducerStateManager(0);

  check(batch: Uint8Array): ReturnType<ProducerStateManager['check']> {
    return this.#live.check(producerBatchOf(batch, 0));
  }

  stage(batch: Uint8Array): Staged | null {
    return this.#live.stage(batch, 0);
  }

  commit(staged: Staged): void {
    this.#live.commit(staged);
  }

  dropStaged(): void {
    this.#live.dropStaged();
  }

  followed(batch: StoredBatch): void {
    replayInto(this.#live, batch);
  }

  deleted(batch: StoredBatch): void {
    replayInto(this.#atStart, batch);
  }

  restart(offset: number): void {
    this.#live = new ProducerStateManager(offset);
    this.#atStart = new ProducerStateManager(offset);
  }

  rebuild(batches: readonly StoredBatch[], end: number): void {
    this.#live = this.#replayed(batches, end);
  }

  /** Why what lives is not what the batches give; null if it is. */
  problem(batches: readonly StoredBatch[], end: number): string | null {
    const live = described(this.#live);
    const replayed = described(this.#replayed(batches, end));
    return live === replayed ? null : `${live} and not ${replayed}`;
  }

  #replayed(batches: readonly StoredBatch[], end: number): ProducerStateManager {
    const remembered = Array.from(this.#atStart.entries, (entry) => [entry.producerId, entry] as const);
    const producers = new ProducerStateManager(this.#atStart.mapEndOffset, new Map(remembered));
    for (const batch of batches) replayInto(producers, batch);
    producers.advanceTo(end);
    return producers;
  }
}

function replayInto(producers: ProducerStateManager, { bytes, lastOffset }: StoredBatch): void {
  if (batchProducerId(bytes) >= 0) producers.replay(bytes, 0, new BatchHeaders(bytes), lastOffset);
}

function described(producers: ProducerStateManager): string {
  return JSON.stringify(producers.describe().sort((one, other) => one.producerId - other.producerId));
}
