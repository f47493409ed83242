/** What of a broker outlives its process: logs, checkpoints, the mark of a clean stop. */
import type { SeededRandom } from '@seatlog/runtime/testing';
import { type DiskWrites, type Durability, SimulatedLog } from '../disk/simulated-log.ts';

export class BrokerDisk {
  readonly #durability: Durability;
  readonly #writes: DiskWrites;
  /** By partition. */
  readonly logs = new Map<number, SimulatedLog>();
  /** By partition, as last checkpointed. */
  highWatermarks = new Map<number, number>();
  /** The broker epoch in which it was stopped cleanly; -1 after anything else. */
  cleanStopEpoch = -1;
  /** Partitions whose log may lack what it was said to hold: after a power cut, rot, or on another disk. */
  readonly #damaged = new Set<number>();
  /** Those that recovery will tell of. */
  readonly #suspected = new Set<number>();
  /** The log ends that the last process may have told others of. */
  #toldEnds = new Map<number, number>();

  constructor(durability: Durability, writes: DiskWrites) {
    this.#durability = durability;
    this.#writes = writes;
  }

  isDamaged(partition: number): boolean {
    return this.#damaged.has(partition) || this.#suspected.has(partition);
  }

  /** It holds again all that it should. */
  mended(partition: number): void {
    this.#damaged.delete(partition);
  }

  log(partition: number): SimulatedLog {
    let log = this.logs.get(partition);
    if (log === undefined) {
      log = new SimulatedLog(this.#durability, this.#writes);
      this.logs.set(partition, log);
    }
    return log;
  }

  checkpoint(): void {
    this.highWatermarks = new Map(
      Array.from(this.logs, ([partition, log]) => [partition, log.highWatermark]),
    );
  }

  writeBack(): void {
    for (const log of this.logs.values()) log.writeBack();
  }

  processDied(random: SeededRandom): void {
    this.#toldEnds = new Map(Array.from(this.logs, ([partition, log]) => [partition, log.logEndOffset]));
    for (const log of this.logs.values()) log.processDied(random);
  }

  powerCut(random: SeededRandom): void {
    for (const log of this.logs.values()) log.powerCut(random);
    if (this.#durability === 'page-cache') this.#suspectAll();
  }

  rot(random: SeededRandom): void {
    for (const log of this.logs.values()) log.rot(random);
    this.#suspectAll();
  }

  wipe(): void {
    for (const log of this.logs.values()) log.wipe();
    this.#suspectAll();
    this.highWatermarks.clear();
    this.cleanStopEpoch = -1;
  }

  /** Before a process uses it. */
  recover(): void {
    for (const [partition, log] of this.logs) {
      log.recover(this.highWatermarks.get(partition) ?? 0);
      const told = this.#toldEnds.get(partition) ?? 0;
      if (!this.#suspected.has(partition) || log.logEndOffset >= told) continue;
      this.#damaged.add(partition);
      // However cleanly it was stopped: what is gone is gone, and the controller must know.
      this.cleanStopEpoch = -1;
    }
    this.#suspected.clear();
  }

  #suspectAll(): void {
    for (const partition of this.logs.keys()) this.#suspected.add(partition);
  }
}
