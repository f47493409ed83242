/** One broker: a disk that outlives its processes, and the process of the moment. */
import type { DiskWrites } from '../disk/simulated-log.ts';
import { SimulatedProcess } from '../process/simulated-process.ts';
import type { World } from '../world.ts';
import { CommitLogStore } from '../disk/commit-log-store.ts';
import { ModelStore } from '../disk/model-store.ts';
import { BrokerDisk } from './broker-disk.ts';
import { BrokerRun } from './broker-run.ts';

export class SimulatedBroker {
  readonly id: number;
  readonly process: SimulatedProcess;
  readonly disk: BrokerDisk;
  /** Null while no process runs. */
  run: BrokerRun | null = null;
  /** How much longer each write takes, while the disk is slow. */
  diskStallMs = 0;
  readonly #world: World;
  #writesUntilMs = 0;

  constructor(id: number, world: World) {
    this.id = id;
    this.#world = world;
    this.process = new SimulatedProcess(id, world.queue);
    const { durability, log, trustsWhatWasSynced: trusts } = world.settings;
    const writes: DiskWrites = (label, action) => this.#write(label, action);
    const store =
      log === 'model'
        ? new ModelStore({ durability, writes, trusts })
        : new CommitLogStore({
            process: this.process,
            durability,
            writes,
            seed: world.random.uint32(),
            readsFromDisk: trusts,
          });
    this.disk = new BrokerDisk(store, durability === 'page-cache');
  }

  /** It can be asked about the cluster. */
  get isServing(): boolean {
    return this.process.state === 'running' && this.run !== null && this.run.image !== null;
  }

  /** Some log takes no more until it is opened anew. */
  get hasFailedLog(): boolean {
    return [...(this.run?.partitions.values() ?? [])].some(({ isFenced }) => isFenced);
  }

  /** Those in which rot was come upon. */
  get rottenPartitions(): readonly number[] {
    return [...(this.run?.partitions.values() ?? [])]
      .filter(({ log }) => log.hasFoundRot)
      .map(({ index }) => index);
  }

  /** A process begins on what is on disk. */
  start(): void {
    if (this.process.state !== 'dead') return;
    this.process.start();
    this.#writesUntilMs = 0;
    const previousBrokerEpoch = this.disk.recover();
    this.run = new BrokerRun(this, this.#world);
    this.run.begin(previousBrokerEpoch);
  }

  terminate(): void {
    if (this.process.state === 'running') this.run?.stop();
  }

  kill(): void {
    if (this.process.state === 'dead') return;
    this.#end();
    this.disk.processDied(this.#world.random);
  }

  powerCut(): void {
    this.kill();
    this.disk.powerCut(this.#world.random);
  }

  /** The process has stopped of its own accord: all is closed well, and the next one may know it. */
  endCleanly(brokerEpoch: number): void {
    this.disk.close(brokerEpoch, this.#world.random);
    this.#end();
  }

  #end(): void {
    this.#world.witness.processEnds(this);
    this.process.kill();
    this.run = null;
    this.#world.network.disconnect(this.id);
  }

  /** Writes are done in the order in which they were asked for. */
  #write(label: string, action: () => void): void {
    const { queue, random, settings } = this.#world;
    const takesMs = random.fraction() * settings.writeMs + this.diskStallMs;
    this.#writesUntilMs = Math.max(this.#writesUntilMs, queue.now) + takesMs;
    queue.schedule(this.#writesUntilMs - queue.now, label, this.id, this.process.bound(label, action));
  }
}
