/**
 * What goes wrong with disks under running brokers, and what an operator does about it: makes room, restarts a broker whose
 * log takes no more, and deletes a rotten log that keeps its partition from coming to rest.
 */
import type { SeededRandom } from '@seatlog/runtime/testing';
import type { SimulatedBroker } from '../broker/simulated-broker.ts';
import { isSameBatch, isSound, type StoredBatch } from '../disk/stored-batch.ts';
import type { FaultKind } from '../profile.ts';
import { TOPIC } from '../simulation-settings.ts';
import type { World } from '../world.ts';

/** So often is a broker restarted for the same rot before its log is deleted. */
const PATIENT_RESTARTS = 8;

export class DiskNemesis {
  readonly #world: World;
  readonly #random: SeededRandom;
  readonly #restarts = new Map<number, number>();

  constructor(world: World, random: SeededRandom) {
    this.#world = world;
    this.#random = random;
  }

  /** False if the fault is none of these. */
  bringAbout(kind: FaultKind, broker: SimulatedBroker): boolean {
    const { condition } = broker.disk;
    switch (kind) {
      case 'disk-full':
        condition.isFull = true;
        return true;
      case 'disk-error':
        condition.failsNext = this.#random.oneIn(2) ? 'write' : 'sync';
        return true;
      case 'rot-while-running':
        this.#rot(broker);
        return true;
      case 'retain':
        this.#retain(broker);
        return true;
      default:
        return false;
    }
  }

  /** Of a batch that all other replicas hold soundly, while nothing else of the partition is rotten. */
  #rot({ disk, id }: SimulatedBroker): void {
    const { plane, brokers, settings } = this.#world;
    const index = this.#random.below(settings.partitions);
    const replicas = plane.committedImage.topics.get(TOPIC)?.partitions[index]?.replicas ?? [];
    const batches = disk.knownLog(index)?.batches ?? [];
    const chosen = batches[this.#random.below(batches.length)];
    if (chosen === undefined || !replicas.includes(id) || replicas.length < 2) return;
    if (brokers.some((broker) => broker.disk.hasRot(index))) return;
    const hold = (replica: number): boolean => {
      const log = brokers[replica - 1]?.disk.knownLog(index);
      const held = log?.batches[log.placeOf(chosen.baseOffset)];
      return held !== undefined && isSameBatch(held, chosen) && isSound(held);
    };
    if (replicas.every(hold)) disk.rotAt(index, chosen.baseOffset, this.#random);
  }

  /** A replica deletes by itself what is old: whole batches, up to its own high watermark. */
  #retain({ run, process }: SimulatedBroker): void {
    const hosted = run?.partitions.get(this.#random.below(this.#world.settings.partitions));
    if (hosted === undefined || process.state !== 'running') return;
    const { log } = hosted;
    const old = log.batches.filter(({ lastOffset }) => lastOffset < log.highWatermark);
    const last: StoredBatch | undefined = old[this.#random.below(old.length)];
    if (last === undefined) return;
    log.raiseLogStart(last.lastOffset + 1);
    hosted.tellLeader({ type: 'log-start-raised' });
  }

  /** Half of the time that he comes by an operator restarts what takes no more. */
  tend(): void {
    for (const broker of this.#world.brokers) {
      if (!broker.hasFailedLog) continue;
      if (this.#random.oneIn(2)) broker.kill();
      if (this.#random.oneIn(2)) broker.disk.condition.mend();
    }
  }

  mendSome(): void {
    for (const { disk } of this.#world.brokers) {
      if (disk.condition.isFull && this.#random.oneIn(2)) disk.condition.mend();
    }
  }

  mendAll(): void {
    for (const broker of this.#world.brokers) broker.disk.condition.mend();
  }

  /** In the end everything that takes no more is opened anew. */
  restartFailed(): void {
    for (const broker of this.#world.brokers) {
      if (!broker.hasFailedLog) continue;
      const restarts = (this.#restarts.get(broker.id) ?? 0) + 1;
      this.#restarts.set(broker.id, restarts);
      const rotten = broker.rottenPartitions;
      broker.kill();
      if (restarts > PATIENT_RESTARTS) for (const index of rotten) broker.disk.lose(index);
    }
  }
}
