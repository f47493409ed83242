/** Logs as the fast model has them, with checkpoints and the mark of a clean stop, which are written as a whole. */
import type { SeededRandom } from '@seatlog/runtime/testing';
import type { LogStore } from './log-store.ts';
import { DiskCondition } from './disk-condition.ts';
import { SimulatedLog, type SimulatedLogOptions } from './simulated-log.ts';

export class ModelStore implements LogStore {
  readonly logs = new Map<number, SimulatedLog>();
  readonly condition = new DiskCondition();
  readonly #options: SimulatedLogOptions;
  #highWatermarks = new Map<number, number>();
  #cleanStopEpoch = -1;

  constructor(options: Omit<SimulatedLogOptions, 'condition'>) {
    this.#options = { ...options, condition: this.condition };
  }

  log(partition: number): SimulatedLog {
    let log = this.logs.get(partition);
    if (log === undefined) {
      log = new SimulatedLog(this.#options);
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
    for (const log of this.logs.values()) log.checkpoint();
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

  rotAt(partition: number, baseOffset: number, random: SeededRandom): void {
    this.logs.get(partition)?.rotAt(baseOffset, random);
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
    const isWell = [...this.logs.values()].every(({ failure }) => failure === null);
    this.#cleanStopEpoch = isWell ? brokerEpoch : -1;
  }

  recover(): number {
    let cleanStopEpoch = this.#cleanStopEpoch;
    const isClean = cleanStopEpoch !== -1;
    this.#cleanStopEpoch = -1;
    this.condition.failsNext = null;
    for (const [partition, log] of this.logs) {
      const end = log.logEndOffset;
      log.recover(this.#highWatermarks.get(partition) ?? 0, isClean);
      // However cleanly it was stopped: what is gone is gone, and the controller must know.
      if (log.logEndOffset < end) cleanStopEpoch = -1;
    }
    return cleanStopEpoch;
  }
}
