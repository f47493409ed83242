/** Three nodes for a test, each broker and controller, in a folder that goes with them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@seatlog/lab';
import {
  type Cluster,
  type ClusterNode,
  combinedNodes,
  type PartitionState,
  startCluster,
} from '@seatlog/local-stack';
import { onTestFinished } from 'vitest';
import { tellLastWords } from '../last-words.ts';

/** Longer than anything takes. */
export const WITHIN_MS = 60_000;
const ASK_AGAIN_MS = 50;
const SESSION_MS = 3_000;

export class ThreeNodes implements AsyncDisposable {
  readonly cluster: Cluster;
  readonly #folder: string;

  private constructor(cluster: Cluster, folder: string) {
    this.cluster = cluster;
    this.#folder = folder;
  }

  static async start(
    options: { readonly proxied?: boolean; readonly properties?: Readonly<Record<string, string>> } = {},
  ): Promise<ThreeNodes> {
    const folder = mkdtempSync(join(tmpdir(), 'seatlog-cluster-'));
    const cluster = await startCluster({
      dataDirectory: folder,
      nodes: combinedNodes(3),
      proxied: options.proxied ?? false,
      properties: {
        'broker.session.timeout.ms': String(SESSION_MS),
        'broker.heartbeat.interval.ms': String(SESSION_MS / 6),
        ...options.properties,
      },
    });
    return new ThreeNodes(cluster, folder);
  }

  /** Ends with the running test. */
  static async ofTest(options: Parameters<typeof ThreeNodes.start>[0]): Promise<ThreeNodes> {
    const nodes = await ThreeNodes.start(options);
    onTestFinished(() => nodes[Symbol.asyncDispose]());
    nodes.tellLastWords();
    return nodes;
  }

  /** Where the running test fails. */
  tellLastWords(): void {
    tellLastWords(() => this.cluster.nodes.map(({ process }) => process));
  }

  /** A partition as the nodes that answer see it: the latest view. */
  async partition(topic: string, partition: number): Promise<PartitionState | null> {
    const states = await Promise.all(
      this.cluster.nodes
        .filter(({ process }) => process.running)
        .map((node) => node.state().catch(() => null)),
    );
    const views = states
      .flatMap((state) => state?.partitions ?? [])
      .filter((one) => one.topic === topic && one.partition === partition);
    return views.toSorted((one, other) => other.partitionEpoch - one.partitionEpoch)[0] ?? null;
  }

  /** Waits for a leader, in a later epoch than the one given. */
  async leaderOf(topic: string, partition: number, afterEpoch = -1): Promise<ClusterNode> {
    return until(`a leader of ${topic}-${partition}`, WITHIN_MS, async () => {
      const state = await this.partition(topic, partition);
      if (state === null || state.leader < 0 || state.leaderEpoch <= afterEpoch) return null;
      return this.cluster.node(state.leader);
    });
  }

  async epochOf(topic: string, partition: number): Promise<number> {
    return (await this.partition(topic, partition))?.leaderEpoch ?? -1;
  }

  /** All replicas in sync. */
  async untilWhole(topic: string, partition: number): Promise<void> {
    await until(
      `all replicas of ${topic}-${partition} in sync`,
      WITHIN_MS,
      async () => {
        const state = await this.partition(topic, partition);
        return state !== null && state.leader >= 0 && state.isr.length === state.replicas.length
          ? true
          : null;
      },
      ASK_AGAIN_MS,
    );
  }

  async kill(node: ClusterNode): Promise<void> {
    node.process.kill('SIGKILL');
    await node.process.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
