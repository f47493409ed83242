import type { EpochEndOffset, LeaderEpochEntry } from './partition-log.ts';

const UNDEFINED_EPOCH: EpochEndOffset = { epoch: -1, endOffset: -1 };

/**
 * Where each leader epoch began, in rising order of both. Followers and leaders compare these to find where their
 * logs part ways.
 */
export class LeaderEpochCache {
  #entries: LeaderEpochEntry[] = [];
  #latestEpoch = -1;

  constructor(entries: readonly LeaderEpochEntry[] = []) {
    this.#keep([...entries]);
  }

  get entries(): readonly LeaderEpochEntry[] {
    return this.#entries;
  }

  /** -1 when there is none. */
  get latestEpoch(): number {
    return this.#latestEpoch;
  }

  /**
   * Notes the start of an epoch. Entries that contradict it (the same or a later epoch, or a later start) go. Gives
   * whether anything changed.
   */
  assign(epoch: number, startOffset: number): boolean {
    const last = this.#entries.at(-1);
    if (last !== undefined && last.epoch === epoch && startOffset >= last.startOffset) return false;
    const kept = this.#entries.filter((entry) => entry.epoch < epoch && entry.startOffset < startOffset);
    this.#keep([...kept, { epoch, startOffset }]);
    return true;
  }

  /** The end of the greatest epoch not above the one asked for. */
  endOffsetFor(epoch: number, logEndOffset: number): EpochEndOffset {
    if (epoch < 0 || epoch > this.latestEpoch) return UNDEFINED_EPOCH;
    if (epoch === this.latestEpoch) return { epoch, endOffset: logEndOffset };
    const higher = this.#entries.findIndex((entry) => entry.epoch > epoch);
    const endOffset = this.#entries[higher]?.startOffset ?? logEndOffset;
    return { epoch: this.#entries[higher - 1]?.epoch ?? epoch, endOffset };
  }

  /** The epoch of the batch at the offset; -1 before the first. */
  epochAt(offset: number): number {
    return this.#entries.findLast((entry) => entry.startOffset <= offset)?.epoch ?? -1;
  }

  /** Epochs that begin at the offset or later go. */
  truncateFromEnd(offset: number): boolean {
    const kept = this.#entries.filter((entry) => entry.startOffset < offset);
    const changed = kept.length !== this.#entries.length;
    this.#keep(kept);
    return changed;
  }

  /** Epochs that end at or before the offset go; the one in force there begins at it from then on. */
  truncateFromStart(offset: number): boolean {
    const inForce = this.#entries.findLast((entry) => entry.startOffset <= offset);
    if (inForce === undefined || (inForce === this.#entries[0] && inForce.startOffset === offset))
      return false;
    const later = this.#entries.filter((entry) => entry.startOffset > offset);
    this.#keep([{ epoch: inForce.epoch, startOffset: offset }, ...later]);
    return true;
  }

  clear(): void {
    this.#keep([]);
  }

  #keep(entries: LeaderEpochEntry[]): void {
    this.#entries = entries;
    this.#latestEpoch = entries.at(-1)?.epoch ?? -1;
  }
}
