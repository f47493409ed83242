/** What of a broker outlives its process, and whether it holds what it was said to hold. */
import type { SeededRandom } from '@seatlog/runtime/testing';
import type { BrokerLog, LogStore } from '../disk/log-store.ts';

export class BrokerDisk {
  readonly #store: LogStore;
  /** Whether a power cut takes what was said to be there. */
  readonly #isPageCache: boolean;
  /** Partitions whose log may lack what it was said to hold: after a power cut, rot, or on another disk. */
  readonly #damaged = new Set<number>();
  /** Those that recovery will tell of. */
  readonly #suspected = new Set<number>();
  /** The log ends that the last process may have told others of. */
  #toldEnds = new Map<number, number>();

  constructor(store: LogStore, isPageCache: boolean) {
    this.#store = store;
    this.#isPageCache = isPageCache;
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

  wipe(): void {
    this.#suspectAll();
    this.#store.wipe();
  }

  /** Before a process uses it. Gives the broker epoch of a clean stop before, -1 without one. */
  recover(): number {
    const previousBrokerEpoch = this.#store.recover();
    for (const partition of this.#suspected) {
      const end = this.#store.logs.get(partition)?.logEndOffset ?? 0;
      if (end < (this.#toldEnds.get(partition) ?? 0)) this.#damaged.add(partition);
    }
    this.#suspected.clear();
    return previousBrokerEpoch;
  }

  #noteToldEnds(): void {
    this.#toldEnds = new Map(
      Array.from(this.#store.logs, ([partition, log]) => [partition, log.logEndOffset]),
    );
  }

  #suspectAll(): void {
    for (const partition of this.#store.logs.keys()) this.#suspected.add(partition);
  }
}
