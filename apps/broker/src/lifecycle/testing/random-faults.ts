/**
 * A cluster to which, by a seed, everything happens that may: nodes are killed, stopped, frozen, started again, the
 * network is cut in some directions and healed, while records are produced with acks=all to whoever is taken for the
 * leader. Processes die, and what they wrote stays written; or machines lose power, and what was not synced is gone.
 */
import { batchesIn, decodeRecords } from '@seatlog/kafka-protocol';
import { imageRecords, NO_LEADER, partitionOf } from '@seatlog/metadata-quorum';
import { SeededRandom } from '@seatlog/runtime/testing';
import { BROKERS, SeatsCluster } from './seats-cluster.ts';

const LONGEST_PAUSE_MS = 1500;

export interface RandomFaultsOptions {
  readonly controllers: readonly number[];
  readonly seed: number;
  /** How nodes die. */
  readonly death: 'process' | 'power';
}

/** What is wrong, in words; empty if nothing is. */
export type Findings = readonly string[];

export class RandomFaults {
  readonly #cluster: SeatsCluster;
  readonly #controllers: readonly number[];
  readonly #random: SeededRandom;
  readonly #death: 'process' | 'power';
  readonly #frozen = new Set<number>();
  readonly #starting = new Map<number, Promise<void>>();
  /** The offsets that producers were told, by value. */
  readonly #acknowledged = new Map<string, number>();
  readonly #producing: Promise<void>[] = [];
  readonly #leaders = new Map<number, number>();
  readonly #findings: string[] = [];
  /** What was done, for whoever looks at a seed that fails. */
  readonly story: string[] = [];
  #produced = 0;

  constructor(cluster: SeatsCluster, { controllers, seed, death }: RandomFaultsOptions) {
    this.#cluster = cluster;
    this.#controllers = controllers;
    this.#random = new SeededRandom(seed);
    this.#death = death;
  }

  async run(steps: number): Promise<void> {
    for (let step = 0; step < steps; step += 1) {
      await this.#fault();
      for (let count = this.#below(4); count > 0; count -= 1) this.#produce();
      await this.#cluster.pass(this.#below(LONGEST_PAUSE_MS));
      this.#look();
    }
  }

  /** All nodes run and reach each other again; gives what is wrong then. */
  async mend(): Promise<Findings> {
    const cluster = this.#cluster;
    cluster.cuts.heal();
    for (const id of this.#frozen) cluster.thaw(id);
    for (const id of [...this.#controllers, ...BROKERS]) {
      if (cluster.node(id).running === null && !this.#starting.has(id)) this.#start(id);
    }
    await cluster.wait(Promise.all(this.#starting.values()));
    await cluster.wait(Promise.all(this.#producing));
    await cluster.until(() => cluster.image.topics.has('seats'), 'the controllers know the topic again');
    await cluster.wholeIsr();
    const logs = () => new Set(BROKERS.map((id) => this.#logOf(id).toString('latin1')));
    await this.#becomes('the logs are the same', () => logs().size === 1);
    const metadata = () => new Set([...this.#controllers, ...BROKERS].map((id) => this.#metadataOf(id)));
    await this.#becomes('the metadata is the same', () => metadata().size === 1);
    const isConfirmed = await cluster.isConfirmed(cluster.partition().leader, 'the last record');
    if (!isConfirmed) this.#findings.push('nothing is confirmed when all is well');
    this.#look();
    this.#compare();
    return this.#findings;
  }

  async #becomes(what: string, condition: () => boolean): Promise<void> {
    await this.#cluster.until(condition, what).catch(() => this.#findings.push(`not true: ${what}`));
  }

  #metadataOf(id: number): string {
    return JSON.stringify([...imageRecords(this.#cluster.quorum(id).image)]);
  }

  async #fault(): Promise<void> {
    const cluster = this.#cluster;
    const node = this.#pick([...this.#controllers, ...BROKERS]);
    const isUp = cluster.node(node).running !== null;
    switch (this.#below(10)) {
      case 0:
      case 1:
        if (!isUp) return;
        this.story.push(`kill ${node}`);
        this.#frozen.delete(node);
        return cluster.kill(node, this.#death);
      case 2:
        if (!isUp || this.#frozen.has(node)) return;
        this.story.push(`freeze ${node}`);
        this.#frozen.add(node);
        return cluster.freeze(node);
      case 3:
        if (!isUp || this.#frozen.has(node)) return;
        this.story.push(`stop ${node}`);
        return cluster.stop(node);
      case 4:
        return this.#thaw();
      case 5:
        return this.#cut(node);
      case 6:
        this.story.push('heal');
        return cluster.cuts.heal();
      case 7:
        if (this.#below(3) === 0) this.#blackout();
        return;
      default:
        return this.#startSomething();
    }
  }

  /** All die at one instant, but for those that are starting. */
  #blackout(): void {
    this.story.push('blackout');
    for (const { id } of this.#cluster.running) this.#cluster.kill(id, this.#death);
    this.#frozen.clear();
  }

  #thaw(): void {
    for (const id of this.#frozen) {
      this.story.push(`thaw ${id}`);
      this.#cluster.thaw(id);
    }
    this.#frozen.clear();
  }

  #cut(node: number): void {
    const other = this.#pick([...this.#controllers, ...BROKERS].filter((id) => id !== node));
    this.story.push(`cut ${node} to ${other}`);
    this.#cluster.cuts.cut(node, other);
    if (this.#below(2) === 0) this.#cluster.cuts.cut(other, node);
  }

  #startSomething(): void {
    const down = [...this.#controllers, ...BROKERS].filter(
      (id) => this.#cluster.node(id).running === null && !this.#starting.has(id),
    );
    if (down.length > 0) this.#start(this.#pick(down));
  }

  #start(id: number): void {
    this.story.push(`start ${id}`);
    const role = this.#controllers.includes(id) ? 'controller' : 'broker';
    const started = this.#cluster.begin(id, role).finally(() => this.#starting.delete(id));
    this.#starting.set(id, started);
  }

  #produce(): void {
    const brokers = this.#cluster.running.map(({ id }) => id).filter((id) => id < 100);
    if (brokers.length === 0) return;
    const seenBy = this.#pick(brokers);
    const leader = partitionOf(this.#cluster.quorum(seenBy).image, 'seats', 0)?.leader ?? NO_LEADER;
    if (leader === NO_LEADER) return;
    this.#produced += 1;
    const value = `record ${this.#produced}`;
    this.#producing.push(
      this.#cluster.sendProduce(leader, value).then(
        ({ errorCode, baseOffset }) => {
          if (errorCode === 0) this.#acknowledged.set(value, baseOffset);
        },
        () => {},
      ),
    );
  }

  /** No two nodes know different leaders of one epoch. */
  #look(): void {
    for (const { id } of this.#cluster.running) {
      const partition = partitionOf(this.#cluster.quorum(id).image, 'seats', 0);
      if (partition === undefined || partition.leader === NO_LEADER) continue;
      const { leader, leaderEpoch } = partition;
      const known = this.#leaders.get(leaderEpoch) ?? leader;
      this.#leaders.set(leaderEpoch, known);
      if (known !== leader) this.#findings.push(`epoch ${leaderEpoch} is led by ${known} and by ${leader}`);
    }
  }

  #compare(): void {
    const offsets = new Map<string, number>();
    for (const batch of batchesIn(this.#logOf(BROKERS[0]))) {
      for (const record of decodeRecords(batch)) {
        const value = Buffer.from(record.value ?? []).toString();
        if (offsets.has(value)) {
          this.#findings.push(`${value} is at ${offsets.get(value)} and at ${record.offset}`);
        }
        offsets.set(value, record.offset);
      }
    }
    for (const [value, offset] of this.#acknowledged) {
      const found = offsets.get(value);
      if (found !== offset) this.#findings.push(`${value} was acknowledged at ${offset}, and is at ${found}`);
    }
  }

  #logOf(id: number): Buffer {
    return Buffer.from(this.#cluster.node(id).files.readFile('/logs/seats-0/00000000000000000000.log'));
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#below(items.length)] as Item;
  }

  #below(limit: number): number {
    return Math.floor(this.#random.fraction() * limit);
  }
}
