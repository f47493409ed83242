/** Logs as the fast model has them, with checkpoints and the mark of a clean stop, which are written as a whole. */
import type { SeededRandom } from '@seatlog/runtime/testing';
import type { LogStore } from './log-store.ts';
import { type DiskWrites, type Durability, SimulatedLog } from './simulated-log.ts';

export class ModelStore implements LogStore {
  readonly logs = new Map<number, SimulatedLog>();
  readonly #durability: Durability;
  readonly #writes: DiskWrites;
  #highWatermarks = new Map<number, number>();
  #cleanStopEpoch = -1;

  constructor(durability: Durability, writes: DiskWrites) {
    this.#durability = durability;
    this.#writes = writes;
  }

  log(partition: number): SimulatedLog {
    let log = this.logs.get(partition);
    if (log === undefined) {
      log = new SimulatedLog(this.#durability, this.#writes);
      this.logs.set(partition, log);
    }
    return log;
  }

  remove(partition: number): void {
    this.logs.delete(partition);
    this.#highWatermarks.delete(partition);
  }

  checkpoint(): void {
    this.#highWatermarks = new Map(
      Array.from(this.logs, ([partition, log]) => [partition, log.highWatermark]),
    );
  }

  writeBack(): void {
    for (const log of this.logs.values()) log.writeBack();
  }

  processDied(random: SeededRandom): void {
    for (const log of this.logs.values()) log.processDied(random);
  }

  powerCut(random: SeededRandom): void {
    for (const log of this.logs.values()) log.powerCut(random);
  }

  rot(random: SeededRandom): void {
    for (const log of this.logs.values()) log.rot(random);
  }

  wipe(): void {
    for (const log of this.logs.values()) log.wipe();
    this.#highWatermarks.clear();
    this.#cleanStopEpoch = -1;
  }

  close(brokerEpoch: number, random: SeededRandom): void {
    this.checkpoint();
    // What was still being written is given up before the logs are closed.
    this.processDied(random);
    this.writeBack();
    this.#cleanStopEpoch = brokerEpoch;
  }

  recover(): number {
    let cleanStopEpoch = this.#cleanStopEpoch;
    this.#cleanStopEpoch = -1;
    for (const [partition, log] of this.logs) {
      const end = log.logEndOffset;
      log.recover(this.#highWatermarks.get(partition) ?? 0);
      // However cleanly it was stopped: what is gone is gone, and the controller must know.
      if (log.logEndOffset < end) cleanStopEpoch = -1;
    }
    return cleanStopEpoch;
  }
}
