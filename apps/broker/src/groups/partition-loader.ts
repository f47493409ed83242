/**
 * Reads one partition of `__consumer_offsets` from its start to the end that it had when this broker was elected, a
 * slice per turn of the event loop, so that a long log does not hold up everybody else.
 *
 * It is done only when the high watermark has reached that end too: what is read back must be replicated before
 * anyone is told of it.
 */
import { ShardContents } from '@seatlog/group-coordinator';
import { batchesIn, batchIsControl, visitRecords } from '@seatlog/kafka-protocol';
import type { Turns } from '@seatlog/runtime';
import type { Partition } from '../replica-manager/partition.ts';

/** What is read in one turn, whatever `offsets.load.buffer.size` allows: some tens of milliseconds. */
const MAX_SLICE_BYTES = 1024 * 1024;

export interface LoaderEvents {
  readonly loaded: (contents: ShardContents) => void;
  readonly failed: (error: unknown) => void;
}

export class PartitionLoader {
  readonly #partition: Partition;
  readonly #turns: Turns;
  readonly #sliceBytes: number;
  readonly #events: LoaderEvents;
  readonly #contents = new ShardContents();
  readonly #end: number;
  #position: number;
  #isStopped = false;

  constructor(partition: Partition, turns: Turns, bufferBytes: number, events: LoaderEvents) {
    this.#partition = partition;
    this.#turns = turns;
    this.#sliceBytes = Math.min(bufferBytes, MAX_SLICE_BYTES);
    this.#events = events;
    this.#end = partition.logEndOffset;
    this.#position = partition.logStartOffset;
  }

  start(): void {
    this.#turns.defer(() => this.#readOn());
  }

  stop(): void {
    this.#isStopped = true;
    this.#partition.waitingReads.forget(this.#watcher);
  }

  #readOn(): void {
    if (this.#isStopped) return;
    try {
      if (this.#position < this.#end) this.#readSlice();
    } catch (error) {
      this.stop();
      this.#events.failed(error);
      return;
    }
    if (this.#position < this.#end) this.#turns.defer(() => this.#readOn());
    else this.#finishWhenReplicated();
  }

  #readSlice(): void {
    const read = this.#partition.read(this.#position, { maxBytes: this.#sliceBytes, bound: 'log-end' });
    for (const bytes of read.records) {
      for (const batch of batchesIn(bytes)) {
        if (batchIsControl(batch, 0)) continue;
        visitRecords(batch, (record) => this.#contents.fold(record.key(), record.value()));
      }
    }
    // Nothing to read below the end means that the log was cut meanwhile: the next leadership reads it anew.
    this.#position = read.records.length === 0 ? this.#end : read.nextOffset;
    read.release();
  }

  #finishWhenReplicated(): void {
    if (this.#partition.highWatermark < this.#end) {
      this.#partition.waitingReads.watchHighWatermark(this.#watcher);
      return;
    }
    this.stop();
    this.#events.loaded(this.#contents);
  }

  readonly #watcher = {
    dataAvailable: (): void => this.#lookAgain(),
    changed: (): void => this.#lookAgain(),
  };

  #lookAgain(): void {
    if (!this.#isStopped && this.#partition.highWatermark >= this.#end) this.#finishWhenReplicated();
  }
}
