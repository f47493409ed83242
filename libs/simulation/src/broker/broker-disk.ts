/** What of a broker outlives its process, and whether it holds what it was said to hold. */
import type { SeededRandom } from '@seatlog/runtime/testing';
import type { DiskCondition } from '../disk/disk-condition.ts';
import type { BrokerLog, LogStore } from '../disk/log-store.ts';
import type { StoredBatch } from '../disk/stored-batch.ts';

export class BrokerDisk {
  readonly #store: LogStore;
  /** Whether a power cut takes what was said to be there. */
  readonly #isPageCache: boolean;
  /** Partitions whose log may lack what it was said to hold: after a power cut, rot, or on another disk. */
  readonly #damaged = new Set<number>();
  /** Those that recovery will tell of. */
  readonly #suspected = new Set<number>();
  /** By partition: the batch that rotted last, as it lies there. */
  readonly #rotten = new Map<number, StoredBatch>();
  /** The log ends that the last process may have told others of. */
  #toldEnds = new Map<number, number>();

  constructor(store: LogStore, isPageCache: boolean) {
    this.#store = store;
    this.#isPageCache = isPageCache;
  }

  get condition(): DiskCondition {
    return this.#store.condition;
  }

  isDamaged(partition: number): boolean {
    return this.#damaged.has(partition) || this.#suspected.has(partition);
  }

  /** It holds again all that it should. */
  mended(partition: number): void {
    this.#damaged.delete(partition);
  }

  /** Of a process, present or past; undefined if it never had one. */
  knownLog(partition: number): BrokerLog | undefined {
    return this.#store.logs.get(partition);
  }

  log(partition: number): BrokerLog {
    return this.#store.log(partition);
  }

  /** The partition was moved away. */
  remove(partition: number): void {
    this.#store.remove(partition);
    this.#toldEnds.delete(partition);
    this.#damaged.delete(partition);
    this.#suspected.delete(partition);
    this.#rotten.delete(partition);
  }

  checkpoint(): void {
    this.#store.checkpoint();
  }

  writeBack(): void {
    this.#store.writeBack();
  }

  processDied(random: SeededRandom): void {
    this.#noteToldEnds();
    this.#store.processDied(random);
  }

  close(brokerEpoch: number, random: SeededRandom): void {
    this.#noteToldEnds();
    this.#store.close(brokerEpoch, random);
  }

  powerCut(random: SeededRandom): void {
    if (this.#isPageCache) this.#suspectAll();
    this.#store.powerCut(random);
  }

  rot(random: SeededRandom): void {
    this.#suspectAll();
    this.#store.rot(random);
  }

  rotAt(partition: number, baseOffset: number, random: SeededRandom): void {
    this.#store.rotAt(partition, baseOffset, random);
    const rotten = this.#batchAt(partition, baseOffset);
    if (rotten !== undefined) this.#rotten.set(partition, rotten);
  }

  /** What rotted is still there. */
  hasRot(partition: number): boolean {
    const rotten = this.#rotten.get(partition);
    return rotten !== undefined && this.#batchAt(partition, rotten.baseOffset) === rotten;
  }

  /** An operator deletes a log that is of no use any more. No process runs. */
  lose(partition: number): void {
    this.#store.remove(partition);
    this.#damaged.add(partition);
  }

  wipe(): void {
    this.#suspectAll();
    this.#store.wipe();
  }

  /** Before a process uses it. Gives the broker epoch of a clean stop before, -1 without one. */
  recover(): number {
    this.#suspectRotten();
    const previousBrokerEpoch = this.#store.recover();
    for (const partition of this.#suspected) {
      const end = this.#store.logs.get(partition)?.logEndOffset ?? 0;
      if (end < (this.#toldEnds.get(partition) ?? 0)) this.#damaged.add(partition);
    }
    this.#suspected.clear();
    return previousBrokerEpoch;
  }

  #batchAt(partition: number, baseOffset: number): StoredBatch | undefined {
    const log = this.knownLog(partition);
    return log?.batches[log.placeOf(baseOffset)];
  }

  #noteToldEnds(): void {
    this.#toldEnds = new Map(
      Array.from(this.#store.logs, ([partition, log]) => [partition, log.logEndOffset]),
    );
    // A start may find less of what could not be synced.
    for (const [partition, { failure }] of this.#store.logs) {
      if (failure !== null) this.#suspected.add(partition);
    }
  }

  /** A start may end a log before the rot. */
  #suspectRotten(): void {
    for (const partition of this.#rotten.keys()) if (this.hasRot(partition)) this.#suspected.add(partition);
  }

  #suspectAll(): void {
    for (const partition of this.#store.logs.keys()) this.#suspected.add(partition);
  }
}
