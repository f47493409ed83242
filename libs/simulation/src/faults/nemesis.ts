/** Brings faults about, one after another, of the kinds that the seed's profile has, at moments that its chance gives. */
import { isActive } from '@seatlog/metadata-quorum';
import type { SeededRandom } from '@seatlog/runtime/testing';
import type { SimulatedBroker } from '../broker/simulated-broker.ts';
import type { FaultKind, Profile } from '../profile.ts';
import { FIRST_CONTROLLER, TOPIC } from '../simulation-settings.ts';
import type { World } from '../world.ts';
import { DiskNemesis } from './disk-nemesis.ts';

/** The controllers of a cluster that can fail. */
export interface ControllerVictims {
  kill(random: SeededRandom): void;
  stop(random: SeededRandom): void;
  powerCut(random: SeededRandom): void;
  /** Starts or continues those that are down. */
  raise(): void;
  fillDisk(random: SeededRandom): void;
  /** A write or a sync of one that runs fails, and it ends. */
  failDisk(random: SeededRandom): void;
  makeRoom(): void;
}

const RAISE_EVERY_MS = 400;
const CLOCK_RATES = [1, 1, 0.8, 1.25];

export class Nemesis {
  readonly #world: World;
  readonly #random: SeededRandom;
  readonly #profile: Profile;
  readonly #controllers: ControllerVictims | null;
  readonly #kinds: readonly FaultKind[];
  readonly #disks: DiskNemesis;
  #isActive = true;

  constructor(world: World, random: SeededRandom, profile: Profile, controllers: ControllerVictims | null) {
    this.#world = world;
    this.#random = random;
    this.#profile = profile;
    this.#controllers = controllers;
    this.#disks = new DiskNemesis(world, random);
    this.#kinds = [...profile.faults].flatMap(([kind, weight]) => Array.from({ length: weight }, () => kind));
  }

  begin(): void {
    this.#world.queue.schedule(this.#random.fraction() * this.#profile.faultEveryMs, 'fault', 0, () => {
      if (!this.#isActive) return;
      this.bringAbout(this.#kinds[this.#random.below(this.#kinds.length)] ?? 'mend');
      this.begin();
    });
  }

  /** No more of its own accord; all that it has broken is mended, and all that is down comes up. */
  heal(): void {
    this.#isActive = false;
    this.#world.network.mend();
    this.#disks.mendAll();
    this.#controllers?.makeRoom();
    this.#raise();
  }

  /** Over and over: one that was about to stop may stop yet. */
  #raise(): void {
    this.#controllers?.raise();
    this.#disks.restartFailed();
    for (const broker of this.#world.brokers) {
      broker.diskStallMs = 0;
      broker.process.clockRate = 1;
      broker.process.continue();
      broker.start();
    }
    this.#giveUpOnTheLost();
    this.#world.queue.schedule(RAISE_EVERY_MS, 'raise', 0, () => this.#raise());
  }

  /** Where everybody who could lead was moved away or lost what it held, only an operator can help. */
  #giveUpOnTheLost(): void {
    const { plane } = this.#world;
    for (const { index, leader, isr, elr, lastKnownElr } of plane.committedImage.topics.get(TOPIC)
      ?.partitions ?? []) {
      const isLost = leader === -1 && isr.length + elr.length + lastKnownElr.length === 0;
      if (isLost) plane.activeService?.electUncleanly(index);
    }
  }

  bringAbout(kind: FaultKind): void {
    const { queue } = this.#world;
    const broker = this.#victim();
    queue.trace.note(queue.now, kind, broker.id);
    queue.trace.tell(queue.now, broker.id, () => `FAULT ${kind}`);
    switch (kind) {
      case 'kill':
        broker.kill();
        return;
      case 'power-cut':
        broker.powerCut();
        return;
      case 'power-cut-all':
        // All at one instant is rare among clusters; once in a while is enough.
        if (this.#random.oneIn(3)) for (const each of this.#world.brokers) each.powerCut();
        return;
      case 'stop':
        broker.process.stop();
        return;
      case 'terminate':
        broker.terminate();
        return;
      case 'start':
        this.#disks.tend();
        for (const each of this.#world.brokers) {
          if (this.#random.oneIn(2)) {
            each.process.continue();
            each.start();
          }
        }
        this.#controllers?.raise();
        return;
      case 'wipe':
        broker.kill();
        broker.disk.wipe();
        this.#world.plane.diskLost(broker.id);
        return;
      case 'rot':
        broker.kill();
        broker.disk.rot(this.#random);
        return;
      case 'slow-disk':
        broker.diskStallMs = this.#random.below(60);
        return;
      case 'clock-rate':
        if (broker.process.state === 'dead') {
          broker.process.clockRate = CLOCK_RATES[this.#random.below(CLOCK_RATES.length)] ?? 1;
        }
        return;
      case 'clock-jump':
        broker.process.wallOffsetMs += (this.#random.fraction() - 0.5) * 7_200_000;
        return;
      case 'cut':
      case 'isolate':
      case 'mend':
        this.#disconnect(kind, broker);
        return;
      default:
        if (!this.#disks.bringAbout(kind, broker)) this.#administer(kind, broker);
    }
  }

  #disconnect(kind: 'cut' | 'isolate' | 'mend', broker: SimulatedBroker): void {
    const { network } = this.#world;
    switch (kind) {
      case 'cut':
        network.cut(this.#node(), this.#node());
        return;
      case 'isolate':
        for (const other of this.#nodes()) {
          if (!this.#random.oneIn(4)) network.cut(broker.id, other);
          if (!this.#random.oneIn(4)) network.cut(other, broker.id);
        }
        return;
      case 'mend':
        network.mend();
        for (const each of this.#world.brokers) each.diskStallMs = 0;
        this.#disks.mendSome();
        this.#controllers?.makeRoom();
    }
  }

  #administer(kind: FaultKind, broker: SimulatedBroker): void {
    const { plane, settings } = this.#world;
    switch (kind) {
      case 'move-leader': {
        const image = plane.committedImage;
        const partition = this.#random.below(settings.partitions);
        const isr = image.topics.get(TOPIC)?.partitions[partition]?.isr ?? [];
        const live = isr.filter((id) => isActive(image.brokers.get(id)));
        const wanted = live[this.#random.below(live.length)];
        if (wanted !== undefined) plane.activeService?.moveLeader(partition, wanted);
        return;
      }
      case 'configure':
        plane.activeService?.configure(1 + this.#random.below(settings.replicationFactor));
        return;
      case 'reassign': {
        const { brokers } = this.#world;
        const first = this.#random.below(brokers.length);
        const replicas = Array.from(
          { length: Math.min(settings.replicationFactor, brokers.length) },
          (_, at) => ((first + at) % brokers.length) + 1,
        );
        plane.activeService?.reassign(this.#random.below(settings.partitions), replicas);
        return;
      }
      case 'prefer':
        plane.activeService?.balance();
        return;
      case 'trim':
        this.#trim();
        return;
      case 'controller-kill':
        this.#controllers?.kill(this.#random);
        return;
      case 'controller-stop':
        this.#controllers?.stop(this.#random);
        return;
      case 'controller-power-cut':
        this.#controllers?.powerCut(this.#random);
        return;
      case 'controller-disk-full':
        this.#controllers?.fillDisk(this.#random);
        return;
      case 'controller-disk-error':
        this.#controllers?.failDisk(this.#random);
        return;
      default:
        broker.kill();
    }
  }

  /** The leader of some partition deletes what is committed of it, or a part. */
  #trim(): void {
    const partition = this.#random.below(this.#world.settings.partitions);
    for (const { run, process } of this.#world.brokers) {
      const hosted = run?.partitions.get(partition);
      if (process.state !== 'running' || hosted?.replica.role !== 'leading') continue;
      const { log } = hosted;
      // Inside of a batch as well.
      log.raiseLogStart(log.logStartOffset + this.#random.below(log.highWatermark - log.logStartOffset + 1));
      hosted.tellLeader({ type: 'log-start-raised' });
    }
  }

  /** A leader more often than another. */
  #victim(): SimulatedBroker {
    const { brokers, plane, settings } = this.#world;
    const any = brokers[this.#random.below(brokers.length)] as SimulatedBroker;
    if (this.#random.oneIn(2)) return any;
    const partitions = plane.committedImage.topics.get(TOPIC)?.partitions;
    const leader = partitions?.[this.#random.below(settings.partitions)]?.leader ?? -1;
    return brokers[leader - 1] ?? any;
  }

  #nodes(): readonly number[] {
    const { brokers, settings } = this.#world;
    const controllers = Array.from({ length: settings.controllers }, (_, index) => FIRST_CONTROLLER + index);
    return [...brokers.map(({ id }) => id), ...controllers];
  }

  #node(): number {
    const nodes = this.#nodes();
    return nodes[this.#random.below(nodes.length)] ?? 1;
  }
}
