/**
 * Groups on whole nodes that are killed, lose power, stand still and come back, in an order drawn from a seed (F28): what was
 * acknowledged is committed, wherever the group is served. Writes are synced before they count, so that a power cut
 * takes nothing that was acknowledged.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { Random } from '@seatlog/runtime';
import { SeededRandom } from '@seatlog/runtime/testing';
import { describe, expect, it } from 'vitest';
import { MemoryCluster } from '../testing/memory-cluster.ts';
import { GROUP_CLUSTER_SETTINGS, GroupClient, NOBODY } from './testing/group-client.ts';

const NODES = [1, 2, 3];
const STEPS = 120;
/** Longer than a node takes to learn that it was fenced: until then it may show what it knew. */
const ZOMBIE_MS = 4000;

class GroupHistory {
  acknowledged = -1;
  acknowledgements = 0;
  readonly #cluster: MemoryCluster;
  readonly #client: GroupClient;
  readonly #random: Random;
  readonly #commits: Promise<void>[] = [];
  #next = 0;
  #dead: number | null = null;
  #frozen: number | null = null;
  #thawedAt = Number.NEGATIVE_INFINITY;
  #thawed = -1;

  constructor(cluster: MemoryCluster, seed: number) {
    this.#cluster = cluster;
    this.#client = new GroupClient(cluster);
    this.#random = new SeededRandom(seed);
  }

  async play(): Promise<void> {
    await this.#cluster.start(NODES);
    expect(await this.#cluster.createTopic(1, 'seats', 1, 3)).toBe(ErrorCode.NONE);
    await this.#client.coordinator(1);
    for (let step = 0; step < STEPS; step += 1) await this.#step(this.#upTo(100));
    await this.#mend();
    const coordinator = await this.#client.coordinator(1);
    await this.#cluster.wait(Promise.all(this.#commits));
    expect(await this.#client.committed(coordinator)).toBeGreaterThanOrEqual(this.acknowledged);
  }

  async #step(dice: number): Promise<void> {
    const isWhole = this.#dead === null && this.#frozen === null;
    if (dice < 55) await this.#commitEverywhere();
    else if (dice < 75) await this.#look();
    else if (dice < 85 && isWhole) await this.#kill();
    else if (dice < 92 && isWhole) await this.#freeze();
    else if (!isWhole) await this.#mend();
    else await this.#pass(2000);
  }

  /** To whom it does not concern as well: that one must refuse. */
  async #commitEverywhere(): Promise<void> {
    for (const id of this.#running()) this.#commits.push(this.#commit(id));
    await this.#pass(60);
  }

  async #commit(id: number): Promise<void> {
    const offset = this.#next;
    this.#next += 1;
    const code = await this.#client.commit(id, offset, NOBODY).catch(() => null);
    if (code !== ErrorCode.NONE) return;
    this.acknowledgements += 1;
    this.acknowledged = Math.max(this.acknowledged, offset);
  }

  async #look(): Promise<void> {
    for (const id of this.#running()) {
      if (id === this.#frozen) continue;
      const least = this.acknowledged;
      const isZombie = id === this.#thawed && this.#cluster.clock.monotonic() < this.#thawedAt + ZOMBIE_MS;
      const committed = await this.#client.committed(id);
      if (committed !== null && !isZombie) expect(committed).toBeGreaterThanOrEqual(least);
    }
  }

  async #kill(): Promise<void> {
    this.#dead = this.#anybody();
    this.#cluster.kill(this.#dead, this.#upTo(2) === 0 ? 'process' : 'power');
    await this.#pass(6000);
  }

  async #freeze(): Promise<void> {
    this.#frozen = this.#anybody();
    this.#cluster.freeze(this.#frozen);
    await this.#pass(7000);
  }

  /** Whoever is away comes back. One that stood still is asked for commits before it knows. */
  async #mend(): Promise<void> {
    if (this.#frozen !== null) {
      this.#thawed = this.#frozen;
      this.#thawedAt = this.#cluster.clock.monotonic();
      this.#frozen = null;
      this.#cluster.thaw(this.#thawed);
      this.#commits.push(this.#commit(this.#thawed));
    }
    if (this.#dead !== null) await this.#cluster.start([this.#dead]);
    this.#dead = null;
    await this.#pass(3000);
  }

  #running(): readonly number[] {
    return NODES.filter((id) => id !== this.#dead);
  }

  #anybody(): number {
    return NODES[this.#upTo(NODES.length)] ?? 1;
  }

  #pass(mostMs: number): Promise<void> {
    return this.#cluster.pass(this.#upTo(mostMs));
  }

  #upTo(limit: number): number {
    return this.#random.uint32() % limit;
  }
}

describe('a group in a cluster that has bad luck', () => {
  it.each([101, 102, 103, 104])('F28: loses no acknowledged commit (seed %i)', async (seed) => {
    const settings = { ...GROUP_CLUSTER_SETTINGS, 'log.flush.interval.messages': '1' };
    await using cluster = new MemoryCluster({ voters: NODES, seed, settings });
    const history = new GroupHistory(cluster, seed);
    await history.play();
    expect(history.acknowledgements).toBeGreaterThan(10);
  });
});
