/**
 * A fetch over several partitions, which may wait for data.
 *
 * It is answered at once if it has enough (`minBytes`), if anything is wrong with one of its partitions, if a
 * partition has more than the fetch may carry, or if it may not wait. Else it watches its partitions and reads again
 * when something happens to them, or at its deadline; the fetch of a follower is its report when it came, and no second
 * one when it is read again (R6).
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { Cancel, Timers } from '@seatlog/runtime';
import type { Partition, ReadBound } from './partition.ts';
import { type FetchTarget, fetchPartition, type PartitionFetch, type Reader } from './partition-fetch.ts';
import type { ReplicaManager } from './replica-manager.ts';
import type { PartitionWatcher } from './waiting-reads.ts';

export interface FetchLimits {
  readonly minBytes: number;
  /** Asked at each read: what an answer may carry may change while a fetch waits. */
  readonly maxBytes: () => number;
  readonly maxWaitMs: number;
}

export interface FetchOutcome {
  /** One for each target, in their order. */
  readonly fetches: readonly PartitionFetch[];
  readonly sizeBytes: number;
}

export class FetchOperation implements PartitionWatcher {
  readonly #replicas: ReplicaManager;
  readonly #timers: Timers;
  readonly #targets: readonly FetchTarget[];
  readonly #reader: Reader;
  readonly #limits: FetchLimits;
  readonly #done: (outcome: FetchOutcome) => void;
  #watched: Partition[] = [];
  #cancelDeadline: Cancel | null = null;
  /** While waiting: bytes that could be read when the wait began, and the sizes of the logs then. */
  #readableBytes = 0;
  #sizesBefore: number[] = [];
  #isWaiting = false;

  constructor(
    replicas: ReplicaManager,
    timers: Timers,
    targets: readonly FetchTarget[],
    reader: Reader,
    limits: FetchLimits,
    done: (outcome: FetchOutcome) => void,
  ) {
    this.#replicas = replicas;
    this.#timers = timers;
    this.#targets = targets;
    this.#reader = reader;
    this.#limits = limits;
    this.#done = done;
  }

  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  start(): void {
    const outcome = this.#read('first');
    if (this.#limits.maxWaitMs <= 0 || this.#isEnough(outcome)) this.#done(outcome);
    else this.#wait(outcome);
  }

  /** Nobody waits for the outcome any more. */
  cancel(): void {
    this.#stopWaiting();
  }

  dataAvailable(): void {
    if (this.#isWaiting && this.#mayBeEnough()) this.#readAgain();
  }

  changed(): void {
    if (this.#isWaiting) this.#finish();
  }

  /** Partitions in the order of the request; the first batch found may exceed the limits, so that readers get on. */
  #read(when: 'first' | 'again'): FetchOutcome {
    const fetches: PartitionFetch[] = [];
    let sizeBytes = 0;
    const maxBytes = this.#limits.maxBytes();
    for (const target of this.#targets) {
      const left = Math.max(0, maxBytes - sizeBytes);
      const fetch = fetchPartition(
        this.#replicas,
        target,
        this.#reader,
        { maxBytes: Math.min(target.maxBytes, left), minOneBatch: sizeBytes === 0 },
        when,
      );
      fetches.push(fetch);
      sizeBytes += fetch.read?.sizeBytes ?? 0;
    }
    return { fetches, sizeBytes };
  }

  #isEnough({ fetches, sizeBytes }: FetchOutcome): boolean {
    return sizeBytes >= this.#limits.minBytes || fetches.some((fetch) => this.#endsWait(fetch));
  }

  /** An error, a diverging history, another replica to read from, or more to read than the fetch has room for. */
  #endsWait({ errorCode, partition, read, bound, diverging, preferredReplica }: PartitionFetch): boolean {
    if (errorCode !== ErrorCode.NONE || diverging !== null || preferredReplica !== null) return true;
    if (read === null || bound === null || partition === undefined || read.sizeBytes === 0) return false;
    return read.nextOffset < endOf(partition, bound);
  }

  #wait(outcome: FetchOutcome): void {
    this.#isWaiting = true;
    this.#readableBytes = outcome.sizeBytes;
    for (const { partition, read } of outcome.fetches) {
      read?.release();
      if (partition === undefined) continue;
      this.#watched.push(partition);
      if (this.#needsMuch) this.#sizesBefore.push(partition.log.sizeBytes);
      if (this.#reader.replicaId >= 0) partition.waitingReads.watchLogEnd(this);
      else partition.waitingReads.watchHighWatermark(this);
    }
    this.#cancelDeadline = this.#timers.schedule(this.#limits.maxWaitMs, () => this.#finish());
  }

  get #needsMuch(): boolean {
    return this.#limits.minBytes > 1;
  }

  /** Tells from the growth of the logs, without reading, whether it is worth to read again. */
  #mayBeEnough(): boolean {
    if (!this.#needsMuch) return true;
    let grown = this.#readableBytes;
    this.#watched.forEach((partition, place) => {
      grown += Math.max(0, partition.log.sizeBytes - (this.#sizesBefore[place] ?? 0));
    });
    return grown >= this.#limits.minBytes;
  }

  #readAgain(): void {
    const outcome = this.#read('again');
    if (this.#isEnough(outcome)) {
      this.#stopWaiting();
      this.#done(outcome);
      return;
    }
    for (const { read } of outcome.fetches) read?.release();
  }

  #finish(): void {
    this.#stopWaiting();
    this.#done(this.#read('again'));
  }

  #stopWaiting(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.#cancelDeadline?.();
    for (const partition of this.#watched) partition.waitingReads.forget(this);
    this.#watched = [];
    this.#sizesBefore = [];
  }
}

function endOf(partition: Partition, bound: ReadBound): number {
  if (bound === 'log-end') return partition.logEndOffset;
  return bound === 'high-watermark' ? partition.highWatermark : partition.lastStableOffset;
}
