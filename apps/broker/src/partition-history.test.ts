/**
 * A partition that moves while nodes are killed, lose power, stand still and come back, in an order drawn from a seed
 * (KIP-455, F20): every acknowledged record is there at its offset, once, on every replica. Writes are synced before
 * they count.
 */
import { apis, batchesIn, decodeRecords, ErrorCode } from '@seatlog/kafka-protocol';
import { partitionOf, type PartitionImage } from '@seatlog/metadata-quorum';
import type { Random } from '@seatlog/runtime';
import { SeededRandom } from '@seatlog/runtime/testing';
import { describe, expect, it } from 'vitest';
import { MemoryCluster } from './testing/memory-cluster.ts';
import { batchOf } from './testing/test-broker.ts';

const VOTERS = [1, 2, 3];
const NODES = [1, 2, 3, 4];
const STEPS = 100;
const SETTINGS = {
  'log.flush.interval.messages': '1',
  'broker.session.timeout.ms': '3000',
  'broker.heartbeat.interval.ms': '500',
  'replica.lag.time.max.ms': '4000',
  'leader.imbalance.check.interval.seconds': '20',
};

class PartitionHistory {
  /** Values by the offset that was told. */
  readonly acknowledged = new Map<number, string>();
  moves = 0;
  readonly #cluster: MemoryCluster;
  readonly #random: Random;
  readonly #sent: Promise<void>[] = [];
  #next = 0;
  #dead: number | null = null;
  #frozen: number | null = null;

  constructor(cluster: MemoryCluster, seed: number) {
    this.#cluster = cluster;
    this.#random = new SeededRandom(seed);
  }

  async play(): Promise<void> {
    await this.#cluster.start(VOTERS);
    await this.#cluster.start([4], 'broker');
    const assignments = [{ partitionIndex: 0, brokerIds: [1, 2, 3] }];
    const configs = [{ name: 'min.insync.replicas', value: '2' }];
    const topic = { name: 'seats', numPartitions: -1, replicationFactor: -1, assignments, configs };
    const request = { topics: [topic], timeoutMs: 5000, validateOnly: false };
    const { topics } = await this.#cluster.ask(1, apis.createTopics, 7, request);
    expect(topics[0]?.errorCode).toBe(ErrorCode.NONE);
    for (let step = 0; step < STEPS; step += 1) await this.#step(this.#upTo(100));
    await this.#mend();
    await this.#cluster.until(() => this.#isSettled(), 'the partition is whole, and moves no more');
    await this.#cluster.wait(Promise.all(this.#sent));
    await this.#cluster.pass(2000);
    this.#check();
  }

  async #step(dice: number): Promise<void> {
    const isWhole = this.#dead === null && this.#frozen === null;
    if (dice < 50) await this.#sendEverywhere();
    else if (dice < 68) this.#move(dice < 52 ? null : this.#someReplicas());
    else if (dice < 72) this.#elect();
    else if (dice < 80 && isWhole) await this.#kill();
    else if (dice < 87 && isWhole) await this.#freeze();
    else if (!isWhole) await this.#mend();
    else await this.#pass(1500);
  }

  /** To those that do not lead as well: they must refuse. */
  async #sendEverywhere(): Promise<void> {
    for (const id of NODES) if (id !== this.#dead) this.#sent.push(this.#send(id));
    await this.#pass(80);
  }

  async #send(id: number): Promise<void> {
    const value = `record-${this.#next}`;
    this.#next += 1;
    const records = batchOf({ values: [value], timestamp: this.#cluster.clock.now() });
    const topicData = [{ name: 'seats', partitionData: [{ index: 0, records }] }];
    const request = { transactionalId: null, acks: -1, timeoutMs: 5000, topicData };
    const response = await this.#cluster.ask(id, apis.produce, 9, request).catch(() => null);
    const answer = response?.responses[0]?.partitionResponses[0];
    if (answer?.errorCode !== ErrorCode.NONE) return;
    expect(this.acknowledged.get(answer.baseOffset) ?? value).toBe(value);
    this.acknowledged.set(answer.baseOffset, value);
  }

  #move(replicas: number[] | null): void {
    const topics = [{ name: 'seats', partitions: [{ partitionIndex: 0, replicas }] }];
    const request = { timeoutMs: 3000, allowReplicationFactorChange: true, topics };
    const asked = this.#cluster.ask(this.#anybody(), apis.alterPartitionReassignments, 1, request);
    const count = async (): Promise<void> => {
      const { responses } = await asked;
      if (responses[0]?.partitions[0]?.errorCode === ErrorCode.NONE) this.moves += 1;
    };
    this.#sent.push(count().catch(() => {}));
  }

  #elect(): void {
    const topicPartitions = [{ topic: 'seats', partitions: [0] }];
    const request = { electionType: 0, topicPartitions, timeoutMs: 3000 };
    const asked = this.#cluster.ask(this.#anybody(), apis.electLeaders, 2, request);
    this.#sent.push(
      asked.then(
        () => {},
        () => {},
      ),
    );
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

  async #mend(): Promise<void> {
    const [frozen, dead] = [this.#frozen, this.#dead];
    this.#frozen = null;
    this.#dead = null;
    if (frozen !== null) {
      this.#cluster.thaw(frozen);
      this.#sent.push(this.#send(frozen));
    }
    if (dead !== null) await this.#cluster.start([dead], dead === 4 ? 'broker' : 'broker,controller');
    await this.#pass(4000);
  }

  /** Two or three, in any order. */
  #someReplicas(): number[] {
    const drawn = NODES.map((id) => ({ id, place: this.#random.uint32() }));
    const shuffled = drawn.toSorted((one, other) => one.place - other.place).map(({ id }) => id);
    return shuffled.slice(0, 2 + this.#upTo(2));
  }

  #isSettled(): boolean {
    const images = NODES.map((id) => this.#partitionSeenBy(id));
    const [first] = images;
    const isWhole = first !== undefined && first.leader >= 0 && first.isr.length === first.replicas.length;
    const isStill = first?.addingReplicas.length === 0 && first.removingReplicas.length === 0;
    return isWhole && isStill && images.every((image) => image?.partitionEpoch === first.partitionEpoch);
  }

  #check(): void {
    const { replicas = [], leader } = this.#partitionSeenBy(1) ?? {};
    const whole = this.#valuesOn(leader ?? -1);
    for (const id of replicas) expect(this.#valuesOn(id)).toEqual(whole);
    for (const [offset, value] of this.acknowledged) expect(whole[offset]).toBe(value);
    expect(new Set(whole).size).toBe(whole.length);
  }

  #partitionSeenBy(id: number): PartitionImage | undefined {
    return partitionOf(this.#cluster.quorum(id).image, 'seats', 0);
  }

  /** By offset: batches have one record each, and begin at 0. */
  #valuesOn(id: number): readonly string[] {
    const { files } = this.#cluster.node(id);
    const names = files.readDirectory('/logs/seats-0').map(({ name }) => name);
    const segments = names.filter((name) => name.endsWith('.log')).toSorted();
    return segments.flatMap((name) =>
      [...batchesIn(files.readFile(`/logs/seats-0/${name}`))].flatMap((batch) =>
        decodeRecords(batch).map(({ value }) => new TextDecoder().decode(value ?? new Uint8Array(0))),
      ),
    );
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

describe('a partition that moves in a cluster that has bad luck', () => {
  it.each([1, 2, 3, 4])('F20: loses no acknowledged record (seed %i)', async (seed) => {
    await using cluster = new MemoryCluster({ voters: VOTERS, seed, settings: SETTINGS });
    const history = new PartitionHistory(cluster, seed);
    await history.play();
    expect(history.acknowledged.size).toBeGreaterThan(10);
    expect(history.moves).toBeGreaterThan(3);
  });
});
