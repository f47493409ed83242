/** Three nodes, each broker and controller, and topics on them whose leader is known. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Admin, createClient, type KafkaClient } from '@seatlog/kafka-client';
import { type Cluster, combinedNodes, type PartitionState, startCluster } from '@seatlog/local-stack';
import { cpuNanoseconds } from '../broker/process-cpu.ts';

export const durabilities = ['page cache', 'fdatasync'] as const;
export type Durability = (typeof durabilities)[number];

export interface TopicUnderTest {
  readonly name: string;
  readonly replicas: 1 | 3;
}

const NODES = 3;
const LEADER = 1;
const SETTLE_DEADLINE_MS = 60_000;
const LOOK_AGAIN_MS = 10;

export class ThreeNodes implements AsyncDisposable {
  readonly #cluster: Cluster;
  readonly #client: KafkaClient;
  readonly #admin: Admin;
  #topics = 0;

  private constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#client = createClient({ brokers: cluster.bootstrap, clientId: 'benchmark' });
    this.#admin = this.#client.admin();
  }

  static async start(dataDirectory: string): Promise<ThreeNodes> {
    const properties = {
      'message.max.bytes': '4194304',
      'log.segment.delete.delay.ms': '0',
      'offsets.topic.num.partitions': '1',
    };
    return new ThreeNodes(await startCluster({ dataDirectory, nodes: combinedNodes(NODES), properties }));
  }

  /** Where every topic has its leader. */
  get leaderPort(): number {
    return Number(this.#cluster.node(LEADER).address?.split(':').at(-1));
  }

  /** CPU time of all three, in nanoseconds. */
  cpu(): number {
    return this.#cluster.nodes.reduce((sum, { process }) => sum + cpuNanoseconds(process.pid ?? -1), 0);
  }

  /** One partition; with three replicas two have to be in sync. Resolves when all are. */
  async createTopic(replicas: 1 | 3, durability: Durability): Promise<TopicUnderTest> {
    this.#topics += 1;
    const name = `bench-${String(this.#topics).padStart(6, '0')}`;
    const assignment = replicas === 1 ? [LEADER] : [1, 2, 3];
    const configs = {
      'min.insync.replicas': String(Math.max(1, replicas - 1)),
      ...(durability === 'fdatasync' ? { 'flush.messages': '1' } : {}),
    };
    await this.#admin.createTopics([{ name, replicaAssignment: [assignment], configs }]);
    await this.#until(async () => {
      const partition = await this.#atLeader(name);
      return partition?.leader === LEADER && partition.isr.length === replicas;
    }, `all replicas of ${name} are in sync`);
    return { name, replicas };
  }

  async deleteTopic({ name }: TopicUnderTest): Promise<void> {
    await this.#admin.deleteTopics([name]);
  }

  /** Resolves when all replicas have what was written, and gives the number of records. */
  async endOffset({ name }: TopicUnderTest): Promise<number> {
    let end = -1;
    await this.#until(async () => {
      const partition = await this.#atLeader(name);
      end = partition?.logEndOffset ?? -1;
      return end >= 0 && end === partition?.highWatermark;
    }, `all of ${name} is replicated`);
    return end;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
    await this.#cluster.stop();
  }

  async #atLeader(name: string): Promise<PartitionState | undefined> {
    const { partitions } = await this.#cluster.node(LEADER).state();
    return partitions.find(({ topic }) => topic === name);
  }

  async #until(holds: () => Promise<boolean>, what: string): Promise<void> {
    const end = performance.now() + SETTLE_DEADLINE_MS;
    while (!(await holds())) {
      if (performance.now() > end) throw new Error(`it did not come true that ${what}`);
      await pause(LOOK_AGAIN_MS);
    }
  }
}
