import { type FileSystemError, isOutOfSpace } from '@seatlog/runtime';
import { asLogFailure } from './log-failure.ts';
import { Fifo } from './fifo.ts';
import { LogError } from './log-error.ts';
import type { BatchesAhead, LogSegment } from './log-segment.ts';
import type { AppendCompletion } from './partition-log.ts';
import type { ProducerStateEntry } from './producer-state-entry.ts';
import type { TailBlock } from './tail-block.ts';

/** One write carries at most this, so that a long queue moves on in steps. A larger batch goes alone. */
const BYTES_PER_WRITE = 1024 * 1024;

/** A batch that has its offsets and waits to be written. */
export interface QueuedBatch {
  /** Its bytes are `size` bytes of the block, from `start` on. */
  readonly block: TailBlock;
  readonly start: number;
  readonly size: number;
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly maxTimestamp: number;
  readonly leaderEpoch: number;
  readonly producer: ProducerStateEntry | null;
  /** On the last batch of an append. */
  readonly done: AppendCompletion | null;
}

/** What the writer asks of the log that it writes for. */
export interface WriterOwner {
  /** The segment that the batch goes to, after rolling if need be. */
  segmentFor(batch: QueuedBatch): LogSegment;
  /** Whether the batch may follow in the same segment, behind those that are on their way. */
  staysIn(batch: QueuedBatch, ahead: BatchesAhead): boolean;
  /** The batches are in the file. */
  written(batches: readonly QueuedBatch[], segment: LogSegment): void;
  /** Nothing of the queue will be written: the failed group, and all behind it. */
  writeFailed(batches: readonly QueuedBatch[], error: LogError): void;
}

/**
 * Takes queued batches to the file: one vectored write at a time, of all that is queued for the segment. A write
 * that fails is undone, and fails everything that is queued, because offsets follow one another without a gap.
 */
export class LogWriter {
  readonly #owner: WriterOwner;
  readonly #queue = new Fifo<QueuedBatch>();
  #queuedBytes = 0;
  #inFlight: readonly QueuedBatch[] | null = null;
  #running = false;
  #stopped = false;
  #idle: (() => void)[] = [];

  constructor(owner: WriterOwner) {
    this.#owner = owner;
  }

  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  get isIdle(): boolean {
    return this.#inFlight === null && this.#queue.length === 0;
  }

  enqueue(batch: QueuedBatch): void {
    this.#queue.push(batch);
    this.#queuedBytes += batch.size;
  }

  /** Writes what is queued; goes on by itself until the queue is empty. */
  write(): void {
    if (this.#running || this.#stopped) return;
    this.#running = true;
    while (this.#inFlight === null && this.#queue.length > 0) this.#writeNext();
    this.#running = false;
    this.#runWhenIdle();
  }

  /** Runs the action when nothing is queued or in flight. */
  whenIdle(action: () => void): void {
    this.#idle.push(action);
    this.#runWhenIdle();
  }

  /** Fails what is queued; what is in flight still settles. */
  failQueued(error: LogError): void {
    const batches = this.#queue.drain();
    this.#queuedBytes = this.#inFlight === null ? 0 : totalBytes(this.#inFlight);
    if (batches.length > 0) this.#owner.writeFailed(batches, error);
    this.#runWhenIdle();
  }

  /** Writes nothing more. */
  stop(): void {
    this.#stopped = true;
  }

  #writeNext(): void {
    const first = this.#queue.first;
    if (first === undefined) return;
    let segment: LogSegment;
    try {
      segment = this.#owner.segmentFor(first);
    } catch (cause) {
      this.#fail([], asLogFailure(cause));
      return;
    }
    const batches = this.#takeGroup();
    this.#inFlight = batches;
    segment.hold();
    segment.file.write(chunksOf(batches), segment.sizeBytes, (error) =>
      this.#settle(batches, segment, error),
    );
  }

  #settle(batches: readonly QueuedBatch[], segment: LogSegment, error: FileSystemError | null): void {
    this.#inFlight = null;
    segment.unhold();
    if (error === null) {
      this.#queuedBytes -= totalBytes(batches);
      this.#owner.written(batches, segment);
    } else {
      this.#undo(batches, segment, error);
    }
    if (!this.#running) this.write();
  }

  #undo(batches: readonly QueuedBatch[], segment: LogSegment, error: FileSystemError): void {
    try {
      segment.file.truncate(segment.sizeBytes);
    } catch (cause) {
      // What the failed write left behind stays; nothing may be written behind it.
      this.#fail(
        batches,
        new LogError('LOG_FENCED', `cannot undo a failed write to ${segment.path}`, { cause }),
      );
      return;
    }
    this.#fail(batches, failureOf(error));
  }

  #fail(inFlight: readonly QueuedBatch[], error: LogError): void {
    const batches = [...inFlight, ...this.#queue.drain()];
    this.#queuedBytes = 0;
    this.#owner.writeFailed(batches, error);
  }

  #takeGroup(): QueuedBatch[] {
    const batches: QueuedBatch[] = [];
    let bytes = 0;
    for (let next = this.#queue.first; next !== undefined; next = this.#queue.first) {
      const first = batches[0];
      if (first !== undefined) {
        if (bytes + next.size > BYTES_PER_WRITE) break;
        if (!this.#owner.staysIn(next, { bytes, firstTimestamp: first.maxTimestamp })) break;
      }
      this.#queue.shift();
      batches.push(next);
      bytes += next.size;
    }
    return batches;
  }

  #runWhenIdle(): void {
    if (this.#running || this.#inFlight !== null || (this.#queue.length > 0 && !this.#stopped)) return;
    for (const action of this.#idle.splice(0)) action();
  }
}

function failureOf(error: FileSystemError): LogError {
  return isOutOfSpace(error)
    ? new LogError('LOG_OUT_OF_SPACE', `no room to append: ${error.message}`, { cause: error })
    : new LogError('LOG_FENCED', `an append failed: ${error.message}`, { cause: error });
}

/** Batches that lie one behind the other in memory go as one chunk. */
function chunksOf(batches: readonly QueuedBatch[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let block: TailBlock | null = null;
  let from = 0;
  let end = 0;
  for (const batch of batches) {
    if (batch.block !== block || batch.start !== end) {
      if (block !== null) chunks.push(block.view(from, end));
      block = batch.block;
      from = batch.start;
    }
    end = batch.start + batch.size;
  }
  if (block !== null) chunks.push(block.view(from, end));
  return chunks;
}

function totalBytes(batches: readonly QueuedBatch[]): number {
  let total = 0;
  for (const { size } of batches) total += size;
  return total;
}
