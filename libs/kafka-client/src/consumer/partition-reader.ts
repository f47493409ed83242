/**
 * One assigned partition as the consumer sees it: where it reads, what was fetched, what the loop has in hand. Pure.
 *
 * Three offsets: `position`, the next to give to the loop; `fetchOffset`, the next to ask for, ahead of it by what is
 * buffered; `consumed`, the next after what the loop has gone past.
 */
import type { FetchedRecord, RecordSource } from './consumed-record.ts';
import { extentOf, FetchedBlock, type AbortedTransaction, type BlockRules } from './fetched-block.ts';
import type { OffsetReset } from './types.ts';

/** Where to begin: a known offset, the group's committed one, or an end of the log. */
export type StartingPoint =
  | { readonly kind: 'offset'; readonly offset: number; readonly leaderEpoch: number }
  | { readonly kind: 'committed' }
  | { readonly kind: 'reset'; readonly to: OffsetReset };

export interface FetchedPart {
  readonly records: Uint8Array | null;
  readonly highWatermark: number;
  readonly abortedTransactions: readonly AbortedTransaction[] | null;
}

export interface TakenRecords {
  readonly records: FetchedRecord[];
  readonly nextOffset: number;
  readonly leaderEpoch: number;
  readonly highWatermark: number;
}

/** A follower to read from, and how long before the leader is asked again. */
export interface NearbyReplica {
  readonly node: number;
  readonly until: number;
}

/** So often a damaged batch is fetched anew before it counts as damaged on the broker. */
const CORRUPTION_RETRIES = 3;

export class PartitionReader {
  readonly topic: string;
  readonly partition: number;
  readonly source: RecordSource;
  readonly #rules: BlockRules;
  readonly #blocks: FetchedBlock[] = [];
  #start: StartingPoint | null;
  #position = -1;
  #fetchOffset = -1;
  #lastEpoch = -1;
  #fetchedEpoch = -1;
  #bufferedBytes = 0;
  #highWatermark: number | null = null;
  #corruptions = 0;
  /** Counts jumps: an answer to a fetch from before a jump is not taken. */
  #jumps = 0;
  paused = false;
  /** It is being taken away: nothing more of it is given to the loop. */
  ending = false;
  /** The loop works on a batch of it. */
  inHand = false;
  /** The number of the fetch that is under way for it, 0 if there is none. One from before a jump does not count. */
  fetching = 0;
  /** The leader epoch against which its position was last found good. */
  validatedEpoch = -1;
  /** After a failure: not asked for before this moment. */
  notBefore = 0;
  /** Where the leader sent this consumer for its rack; null: the leader serves. */
  nearby: NearbyReplica | null = null;
  /** How much to ask for; grows when a batch does not fit. */
  fetchBytes: number;
  readonly abort = new AbortController();

  constructor(source: RecordSource, start: StartingPoint, fetchBytes: number, rules: BlockRules) {
    this.topic = source.topic;
    this.partition = source.partition;
    this.source = source;
    this.fetchBytes = fetchBytes;
    this.#rules = rules;
    this.#start = start;
    this.jumpTo(start);
  }

  /** What is still to be found out before it can be read; null if nothing is. */
  get start(): StartingPoint | null {
    return this.#start;
  }

  get isPlaced(): boolean {
    return this.#start === null;
  }

  /** The next offset to give to the loop, null while it is not known. */
  get position(): number | null {
    return this.isPlaced ? this.#position : null;
  }

  get fetchOffset(): number {
    return this.#fetchOffset;
  }

  /** Leader epoch of the last batch fetched, to find out whether the log was cut behind us. */
  get fetchedEpoch(): number {
    return this.#fetchedEpoch;
  }

  get jumps(): number {
    return this.#jumps;
  }

  get bufferedBytes(): number {
    return this.#bufferedBytes;
  }

  get highWatermark(): number | null {
    return this.#highWatermark;
  }

  get hasRecords(): boolean {
    return this.#blocks.length > 0;
  }

  /** Reads on from somewhere else; what was fetched is dropped. */
  jumpTo(start: StartingPoint): void {
    this.#blocks.length = 0;
    this.#bufferedBytes = 0;
    this.#jumps += 1;
    this.fetching = 0;
    if (start.kind !== 'offset') {
      this.#start = start;
      return;
    }
    this.#start = null;
    this.#position = start.offset;
    this.#fetchOffset = start.offset;
    this.#lastEpoch = start.leaderEpoch;
    this.#fetchedEpoch = start.leaderEpoch;
  }

  /**
   * Takes in what a fetch brought. If not even one batch came whole, more is asked for next time; what is wrong is told when
   * that is no way out: the batch is larger than `maxFetchBytes`, or is none.
   */
  accept(part: FetchedPart, maxFetchBytes: number): 'taken' | 'too large' | 'garbled' {
    this.#highWatermark = part.highWatermark;
    const bytes = part.records;
    if (bytes === null || bytes.length === 0) return 'taken';
    const extent = extentOf(bytes, this.#fetchOffset);
    if (extent.wholeBytes === 0) {
      if (extent.isGarbled) return ++this.#corruptions > CORRUPTION_RETRIES ? 'garbled' : 'taken';
      if (this.fetchBytes >= maxFetchBytes) return 'too large';
      this.fetchBytes = Math.min(Math.max(extent.neededBytes, this.fetchBytes * 2), maxFetchBytes);
      return 'taken';
    }
    const aborted = part.abortedTransactions ?? [];
    const { source } = this;
    const block = new FetchedBlock(
      source,
      bytes,
      extent,
      this.#fetchOffset,
      part.highWatermark,
      aborted,
      this.#rules,
    );
    this.#blocks.push(block);
    this.#bufferedBytes += block.sizeInBytes;
    this.#fetchOffset = extent.nextOffset;
    this.#fetchedEpoch = extent.lastEpoch;
    return 'taken';
  }

  /** The next records, or null if there are none to give. Throws CORRUPT_MESSAGE when a damaged batch stays damaged. */
  take(maxRecords: number): TakenRecords | null {
    const records: FetchedRecord[] = [];
    let highWatermark = this.#highWatermark ?? -1;
    for (
      let block = this.#blocks[0];
      block !== undefined && records.length < maxRecords;
      block = this.#blocks[0]
    ) {
      highWatermark = block.highWatermark;
      try {
        block.read(maxRecords, records);
      } catch (error) {
        if (records.length === 0 && ++this.#corruptions > CORRUPTION_RETRIES) throw error;
        this.#position = block.nextOffset;
        this.jumpTo({ kind: 'offset', offset: this.#position, leaderEpoch: this.#lastEpoch });
        break;
      }
      this.#position = block.nextOffset;
      if (block.leaderEpoch >= 0) this.#lastEpoch = block.leaderEpoch;
      if (!block.isExhausted) break;
      this.#blocks.shift();
      this.#bufferedBytes -= block.sizeInBytes;
    }
    if (records.length === 0) return null;
    this.#corruptions = 0;
    return { records, nextOffset: this.#position, leaderEpoch: this.#lastEpoch, highWatermark };
  }
}
