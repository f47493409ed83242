/** The cluster of a drill: who is up, who leads, who is the controller, whether every ISR is whole. */
import {
  type Cluster,
  type ClusterNode,
  combinedNodes,
  type NodeState,
  type PartitionState,
  startCluster,
} from '@seatlog/local-stack';
import { until } from '@seatlog/lab';
import type { DrillSettings } from './drill-settings.ts';

export const TOPIC = 'drill';
/** Longer than anything takes: what has not come by then does not come. */
export const WHOLE_WITHIN_MS = 90_000;
const ASK_AGAIN_MS = 100;

export class DrillCluster implements AsyncDisposable {
  readonly cluster: Cluster;
  readonly #settings: DrillSettings;
  /** Nodes that are not expected to answer now. */
  readonly #away = new Set<number>();

  private constructor(cluster: Cluster, settings: DrillSettings) {
    this.cluster = cluster;
    this.#settings = settings;
  }

  static async start(dataDirectory: string, settings: DrillSettings): Promise<DrillCluster> {
    const cluster = await startCluster({
      dataDirectory,
      nodes: combinedNodes(settings.brokers),
      proxied: true,
      properties: {
        'broker.session.timeout.ms': String(settings.sessionTimeoutMs),
        'broker.heartbeat.interval.ms': String(Math.floor(settings.sessionTimeoutMs / 4)),
        'replica.lag.time.max.ms': String(Math.max(5_000, settings.sessionTimeoutMs)),
        // Few, so that many coordinators move with every leader.
        'offsets.topic.num.partitions': '3',
        ...(settings.fsync ? { 'log.flush.interval.messages': '1' } : {}),
      },
    });
    return new DrillCluster(cluster, settings);
  }

  get nodes(): readonly ClusterNode[] {
    return this.cluster.nodes;
  }

  /** The node that is meant by a drawn number. */
  drawn(target: number): ClusterNode {
    return this.nodes[target % this.nodes.length] as ClusterNode;
  }

  others(node: ClusterNode): readonly ClusterNode[] {
    return this.nodes.filter((other) => other !== node);
  }

  awayNow(node: ClusterNode): void {
    this.#away.add(node.nodeId);
  }

  backAgain(node: ClusterNode): void {
    this.#away.delete(node.nodeId);
  }

  /** Nodes that have ended without being asked to. */
  fallen(): readonly ClusterNode[] {
    return this.nodes.filter((node) => !this.#away.has(node.nodeId) && !node.process.running);
  }

  /** The partitions as those who know the most of each see them. */
  async partitions(): Promise<readonly PartitionState[]> {
    const latest = new Map<string, PartitionState>();
    for (const { partitions } of await this.#states()) {
      for (const one of partitions) {
        const name = `${one.topic}-${one.partition}`;
        const known = latest.get(name);
        if (known === undefined || known.partitionEpoch < one.partitionEpoch) latest.set(name, one);
      }
    }
    return [...latest.values()];
  }

  async leaderOf(partition: number): Promise<ClusterNode> {
    const index = partition % this.#settings.partitions;
    return until('a leader', WHOLE_WITHIN_MS, async () => {
      const found = (await this.partitions()).find((one) => one.topic === TOPIC && one.partition === index);
      return this.nodes.find(({ nodeId }) => nodeId === found?.leader) ?? null;
    });
  }

  /** Which of the topic's partitions this node leads. */
  async ledBy(node: ClusterNode): Promise<readonly number[]> {
    return (await this.partitions())
      .filter(({ topic, leader }) => topic === TOPIC && leader === node.nodeId)
      .map(({ partition }) => partition);
  }

  /** Whether it takes itself for the active controller. */
  async isController(node: ClusterNode): Promise<boolean> {
    const state = await node.state().catch(() => null);
    return state?.broker.controllerId === node.nodeId;
  }

  controller(): Promise<ClusterNode> {
    return until('a controller', WHOLE_WITHIN_MS, async () => {
      const states = await this.#states();
      const own = states.find(({ broker }) => broker.controllerId === broker.nodeId);
      return this.nodes.find(({ nodeId }) => nodeId === own?.broker.nodeId) ?? null;
    });
  }

  /** Every replica of every partition in sync, on all nodes. Gives the time that it took. */
  async untilWhole(): Promise<number> {
    const began = performance.now();
    const isWhole = (states: readonly NodeState[]): boolean =>
      states.length === this.nodes.length &&
      states.every(
        ({ partitions }) =>
          partitions.length > 0 &&
          partitions.every(({ leader, isr, replicas }) => leader >= 0 && isr.length === replicas.length),
      );
    await until(
      'every ISR whole',
      WHOLE_WITHIN_MS,
      async () => isWhole(await this.#states()) || null,
      ASK_AGAIN_MS,
    );
    return performance.now() - began;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster.stop();
  }

  async #states(): Promise<readonly NodeState[]> {
    const asked = this.nodes.filter(({ nodeId }) => !this.#away.has(nodeId));
    const states = await Promise.all(asked.map((node) => node.state().catch(() => null)));
    return states.flatMap((state) => state ?? []);
  }
}
