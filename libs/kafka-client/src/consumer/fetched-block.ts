/**
 * The record bytes of one partition from one fetch, read batch by batch. Pure. Leaves out what a consumer must not see:
 * records before the offset asked for, control batches, batches of aborted transactions under read_committed.
 * A batch that is cut off at the end is left for the next fetch.
 */
import {
  batchBaseOffset,
  batchCrcMatches,
  batchIsControl,
  batchIsTransactional,
  batchLastOffset,
  batchPartitionLeaderEpoch,
  batchProducerId,
  batchSizeInBytes,
  batchStateAt,
  ControlType,
  decodeControlType,
  RecordCursor,
} from '@seatlog/kafka-protocol';
import { KafkaClientError } from '../errors.ts';
import { FetchedRecord, type RecordSource } from './consumed-record.ts';

export interface AbortedTransaction {
  readonly producerId: number;
  readonly firstOffset: number;
}

export interface BlockRules {
  readonly checkCrcs: boolean;
  readonly readCommitted: boolean;
}

/** What the batches of a fetch span, told from their headers alone, so that the next fetch can go out at once. */
export interface BlockExtent {
  /** The offset after the last whole batch; the one asked for if there is none. */
  readonly nextOffset: number;
  /** Bytes of whole batches. */
  readonly wholeBytes: number;
  /** Leader epoch of the last whole batch, -1 if there is none. */
  readonly lastEpoch: number;
  /** The size of the first batch if it is cut off, else 0: a fetch needs at least so many bytes to get on. */
  readonly neededBytes: number;
  /** Where whole batches should follow lies something that is none. */
  readonly isGarbled: boolean;
}

export function extentOf(bytes: Uint8Array, fetchOffset: number): BlockExtent {
  let position = 0;
  let nextOffset = fetchOffset;
  let lastEpoch = -1;
  let state = batchStateAt(bytes, position);
  for (; state === 'whole'; state = batchStateAt(bytes, position)) {
    nextOffset = Math.max(nextOffset, batchLastOffset(bytes, position) + 1);
    lastEpoch = batchPartitionLeaderEpoch(bytes, position);
    position += batchSizeInBytes(bytes, position);
  }
  const isGarbled = state === 'invalid' && position < bytes.length;
  const cutOff = position === 0 && !isGarbled && bytes.length >= 12 ? batchSizeInBytes(bytes, 0) : 0;
  return { nextOffset, wholeBytes: position, lastEpoch, neededBytes: cutOff, isGarbled };
}

export class FetchedBlock {
  readonly highWatermark: number;
  readonly sizeInBytes: number;
  readonly #source: RecordSource;
  readonly #bytes: Uint8Array;
  readonly #end: number;
  readonly #rules: BlockRules;
  readonly #aborted: AbortedTransaction[];
  readonly #abortedProducers = new Set<number>();
  #position = 0;
  /** The next offset that has not been given or passed over. */
  #nextOffset: number;
  #leaderEpoch = -1;
  #cursor: RecordCursor | null = null;
  #cursorEnd = 0;

  constructor(
    source: RecordSource,
    bytes: Uint8Array,
    extent: BlockExtent,
    fetchOffset: number,
    highWatermark: number,
    aborted: readonly AbortedTransaction[],
    rules: BlockRules,
  ) {
    this.#source = source;
    this.#bytes = bytes;
    this.#end = extent.wholeBytes;
    this.sizeInBytes = bytes.length;
    this.#nextOffset = fetchOffset;
    this.highWatermark = highWatermark;
    this.#aborted = aborted.toSorted((a, b) => a.firstOffset - b.firstOffset);
    this.#rules = rules;
  }

  /** What comes after all that was given. */
  get nextOffset(): number {
    return this.#nextOffset;
  }

  /** Leader epoch of the last batch that was entered. */
  get leaderEpoch(): number {
    return this.#leaderEpoch;
  }

  get isExhausted(): boolean {
    return this.#cursor === null && this.#position >= this.#end;
  }

  /** Up to so many records more. Throws CORRUPT_MESSAGE; what was read before it is given first. */
  read(limit: number, into: FetchedRecord[]): void {
    while (into.length < limit) {
      const cursor = this.#cursor ?? this.#enterBatch(into.length > 0);
      if (cursor === null) return;
      this.#readFrom(cursor, limit, into);
    }
  }

  #readFrom(cursor: RecordCursor, limit: number, into: FetchedRecord[]): void {
    const source = this.#source;
    let next = this.#nextOffset;
    try {
      while (into.length < limit) {
        if (!cursor.next()) {
          this.#cursor = null;
          this.#nextOffset = Math.max(this.#nextOffset, this.#cursorEnd);
          return;
        }
        if (cursor.offset < next) continue;
        into.push(new FetchedRecord(source, cursor));
        next = cursor.offset + 1;
      }
    } catch (cause) {
      throw this.#corrupt(next, cause);
    } finally {
      this.#nextOffset = Math.max(this.#nextOffset, next);
    }
  }

  /** Goes to the next batch that has something to show; null at the end, or before a bad batch if there is `something` already. */
  #enterBatch(something: boolean): RecordCursor | null {
    const bytes = this.#bytes;
    while (this.#position < this.#end) {
      const position = this.#position;
      if (this.#rules.checkCrcs && !batchCrcMatches(bytes, position)) {
        if (something) return null;
        throw this.#corrupt(batchBaseOffset(bytes, position), 'the checksum does not match');
      }
      this.#position = position + batchSizeInBytes(bytes, position);
      this.#leaderEpoch = batchPartitionLeaderEpoch(bytes, position);
      const end = batchLastOffset(bytes, position) + 1;
      if (end > this.#nextOffset && this.#isVisible(position)) {
        this.#cursor = new RecordCursor(bytes, position);
        this.#cursorEnd = end;
        return this.#cursor;
      }
      this.#nextOffset = Math.max(this.#nextOffset, end);
    }
    return null;
  }

  #isVisible(position: number): boolean {
    const bytes = this.#bytes;
    const isControl = batchIsControl(bytes, position);
    if (!this.#rules.readCommitted) return !isControl;
    const producerId = batchProducerId(bytes, position);
    const last = batchLastOffset(bytes, position);
    for (
      let next = this.#aborted[0];
      next !== undefined && next.firstOffset <= last;
      next = this.#aborted[0]
    ) {
      this.#abortedProducers.add(next.producerId);
      this.#aborted.shift();
    }
    if (isControl) {
      if (this.#isAbortMarker(position)) this.#abortedProducers.delete(producerId);
      return false;
    }
    return !batchIsTransactional(bytes, position) || !this.#abortedProducers.has(producerId);
  }

  #isAbortMarker(position: number): boolean {
    const cursor = new RecordCursor(this.#bytes, position);
    const key = cursor.next() ? cursor.key() : null;
    return key !== null && decodeControlType(key) === ControlType.abort;
  }

  #corrupt(offset: number, cause: unknown): KafkaClientError {
    const { topic, partition } = this.#source;
    const why = cause instanceof Error ? cause.message : String(cause);
    return new KafkaClientError('CORRUPT_MESSAGE', `${topic}-${partition} at ${offset}: ${why}`, {
      retriable: true,
      hint: 'if it goes on, the log of the broker is damaged: seek past the offset, or restore the replica',
      cause,
    });
  }
}
