/**
 * A cluster to experiment on: controller 100 and brokers 1, 2, 3, each a process of its own, and what experiments do to
 * it. Whatever is done and seen is told to the narrator.
 */
import {
  type Acks,
  createClient,
  type KafkaClient,
  KafkaClientError,
  type Producer,
  type ProducerOptions,
} from '@seatlog/kafka-client';
import { type Cluster, type ClusterNode, isBroker, separateNodes, startCluster } from '@seatlog/local-stack';
import { checkpointedHighWatermark, epochFile } from './checkpoint-files.ts';
import { type DumpedBatch, dumpLines, dumpLog } from './dumped-log.ts';
import type { Narrator } from './narrator.ts';
import { describeLine, type PartitionView, viewPartition } from './partition-view.ts';
import { until } from './until.ts';

export const BROKERS = [1, 2, 3] as const;
export const CONTROLLER = 100;
/** Experiments have one partition. */
export const PARTITION = 0;
/** Longer than anything that is waited for takes, on a busy machine. */
export const DEADLINE_MS = 60_000;
const FILES_DEADLINE_MS = 10_000;

export interface BenchOptions {
  readonly dataDirectory: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly narrator: Narrator;
  readonly signal?: AbortSignal;
}

/** A record was taken on, or refused. */
export type Sent =
  | { readonly offset: number; readonly tookMs: number }
  | { readonly refused: string; readonly message: string };

export class Bench implements AsyncDisposable {
  readonly narrator: Narrator;
  readonly #cluster: Cluster;
  readonly #client: KafkaClient;
  readonly #producers: Producer[] = [];
  /** Brokers that do not answer: dead or held still. */
  readonly #silent = new Set<number>();

  private constructor(cluster: Cluster, narrator: Narrator) {
    this.#cluster = cluster;
    this.narrator = narrator;
    this.#client = createClient({ brokers: cluster.bootstrap, clientId: 'lab' });
  }

  static async start(options: BenchOptions): Promise<Bench> {
    const { narrator, properties, dataDirectory, signal } = options;
    narrator.step('start a controller (node 100) and brokers 1, 2, 3');
    const cluster = await startCluster({
      dataDirectory,
      nodes: separateNodes({ controllers: [CONTROLLER], brokers: BROKERS }),
      properties: { 'min.insync.replicas': '1', ...properties },
      ...(signal === undefined ? {} : { signal }),
    });
    for (const node of cluster.nodes) narrator.line(`${node.name}: process ${node.process.pid}`);
    for (const [name, value] of Object.entries(properties)) narrator.line(`${name}=${value}`);
    return new Bench(cluster, narrator);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const id of this.#silent) this.node(id).process.kill('SIGCONT');
    await this.#client.close({ timeoutMs: 0 });
    await this.#cluster.stop();
  }

  node(nodeId: number): ClusterNode {
    return this.#cluster.node(nodeId);
  }

  /** Replicas in this order: the first of them leads. */
  async createTopic(topic: string, replicas: readonly number[], configs = {}): Promise<void> {
    const admin = this.#client.admin();
    await admin.createTopics([{ name: topic, replicaAssignment: [replicas], configs }]);
    await this.untilView(topic, 'all replicas in sync', ({ isr }) => isr.length === replicas.length);
    await this.describe(topic);
  }

  async lowerMinIsr(topic: string, to: number): Promise<void> {
    const set = { 'min.insync.replicas': String(to) };
    await this.#client.admin().alterConfigs([{ resource: { type: 'topic', name: topic }, set }]);
    this.narrator.line(`${topic}: min.insync.replicas=${to}`);
    await this.#untilBrokersKnow();
  }

  /** Connected and warmed up by its first send. */
  producer(acks: Acks, options: ProducerOptions = {}): Producer {
    const producer = this.#client.producer({ acks, ...options });
    this.#producers.push(producer);
    return producer;
  }

  async send(producer: Producer, topic: string, value: string, how: string): Promise<Sent> {
    const began = performance.now();
    try {
      const { offset } = await producer.send({ topic, partition: PARTITION, value });
      const tookMs = performance.now() - began;
      this.narrator.line(`${how} "${value}" -> offset=${offset}, answered after ${Math.round(tookMs)} ms`);
      return { offset, tookMs };
    } catch (error) {
      if (!(error instanceof KafkaClientError)) throw error;
      this.narrator.line(`${how} "${value}" -> ${error.code}: ${error.message}`);
      return { refused: error.code, message: error.message };
    }
  }

  /** One batch. Tells the offsets. */
  async sendBatch(producer: Producer, topic: string, values: readonly string[]): Promise<readonly number[]> {
    const records = values.map((value) => ({ value, partition: PARTITION }));
    const { ranges } = await producer.sendBatch(topic, records);
    const offsets = ranges.flatMap(({ firstOffset, count }) =>
      Array.from({ length: count }, (_, index) => firstOffset + index),
    );
    this.narrator.line(`${values.length} records -> offsets ${offsets[0]} to ${offsets.at(-1)}`);
    return offsets;
  }

  async highWatermark(topic: string): Promise<number> {
    const [end] = await this.#client.admin().listOffsets([{ topic, partition: PARTITION }], 'latest');
    const offset = end?.offset ?? -1;
    this.narrator.line(`high watermark = ${offset}`);
    return offset;
  }

  /** All that a consumer gets from the beginning, up to so many records. */
  async consume(topic: string, count: number): Promise<readonly string[]> {
    const consumer = this.#client.consumer();
    consumer.assign([{ topic, partition: PARTITION, offset: 'earliest' }]);
    const values: string[] = [];
    try {
      for await (const { records } of consumer.batches({ signal: AbortSignal.timeout(DEADLINE_MS) })) {
        values.push(...records.map(({ valueBytes }) => Buffer.from(valueBytes ?? []).toString()));
        if (values.length >= count) break;
      }
    } finally {
      await consumer.close();
    }
    this.narrator.quote('a consumer from the beginning', [values.join(' ')]);
    return values;
  }

  stopStill(nodeId: number): number {
    this.#silent.add(nodeId);
    this.node(nodeId).process.kill('SIGSTOP');
    this.narrator.line(`SIGSTOP broker ${nodeId}`);
    return performance.now();
  }

  goOn(nodeId: number): void {
    this.#silent.delete(nodeId);
    this.node(nodeId).process.kill('SIGCONT');
    this.narrator.line(`SIGCONT broker ${nodeId}`);
  }

  async kill(nodeId: number): Promise<void> {
    this.#silent.add(nodeId);
    const { process } = this.node(nodeId);
    process.kill('SIGKILL');
    await process.exited;
    this.narrator.line(`SIGKILL broker ${nodeId}`);
  }

  /** SIGTERM: a controlled shutdown, of which the others have heard afterwards. Gives its exit code. */
  async stop(nodeId: number): Promise<number | null> {
    this.#silent.add(nodeId);
    const { code } = await this.node(nodeId).process.stop();
    await this.#untilBrokersKnow();
    this.narrator.line(`SIGTERM broker ${nodeId}: it ended with code ${code}`);
    return code;
  }

  async restart(nodeId: number): Promise<void> {
    await this.node(nodeId).process.restart();
    this.#silent.delete(nodeId);
    this.narrator.line(`broker ${nodeId} runs again`);
  }

  async describe(topic: string): Promise<PartitionView> {
    const view = await this.untilView(topic, 'a view', () => true);
    this.narrator.line(describeLine(topic, PARTITION, view));
    return view;
  }

  untilView(
    topic: string,
    what: string,
    holds: (view: PartitionView) => boolean,
    withinMs = DEADLINE_MS,
  ): Promise<PartitionView> {
    return until(`${topic}: ${what}`, withinMs, async () => {
      const view = await viewPartition(this.#answering(), topic, PARTITION);
      return view !== null && holds(view) ? view : null;
    });
  }

  async fetchers(nodeId: number): Promise<readonly string[]> {
    const names = ((await this.node(nodeId).state()).fetchers ?? []).map(({ name }) => name);
    this.narrator.line(`broker ${nodeId}: ${names.length === 0 ? 'no fetcher' : names.join(', ')}`);
    return names;
  }

  /** What the broker has said, through all its starts, that contains one of these words. */
  said(nodeId: number, ...words: readonly string[]): readonly string[] {
    const messages = this.node(nodeId)
      .said()
      .split('\n')
      .flatMap(messageOf)
      .filter((message) => words.some((word) => message.includes(word)));
    this.narrator.quote(`broker ${nodeId} log`, messages);
    return messages;
  }

  /** Once they are as expected, or at the deadline: a broker writes them a moment after the records. */
  async epochs(
    topic: string,
    expected: Readonly<Record<number, string>>,
  ): Promise<Readonly<Record<number, string>>> {
    const read = (): Record<number, string> =>
      Object.fromEntries(
        BROKERS.map((id) => [id, epochFile(this.node(id).partitionFolder(topic, PARTITION))]),
      );
    const isExpected = (found: Record<number, string>): boolean =>
      BROKERS.every((id) => found[id] === expected[id]);
    const found = await until('epoch files', FILES_DEADLINE_MS, () =>
      isExpected(read()) ? read() : null,
    ).catch(read);
    this.narrator.quote(
      "leader-epoch-checkpoint (version, count, then 'epoch startOffset')",
      BROKERS.map((id) => `broker ${id}: ${found[id]}`),
    );
    return found;
  }

  /** Once all say the same, or at the deadline. */
  async checkpoints(topic: string, offset: number): Promise<Readonly<Record<number, number | null>>> {
    const read = (): Record<number, number | null> =>
      Object.fromEntries(
        BROKERS.map((id) => [id, checkpointedHighWatermark(this.node(id).logDirectory, topic, PARTITION)]),
      );
    const all = (found: Record<number, number | null>): boolean =>
      BROKERS.every((id) => found[id] === offset);
    const found = await until('checkpoints', DEADLINE_MS, () => (all(read()) ? read() : null)).catch(read);
    this.narrator.quote(
      'replication-offset-checkpoint (high watermark on disk)',
      BROKERS.map((id) => `broker ${id}: ${topic} ${PARTITION} ${found[id]}`),
    );
    return found;
  }

  log(nodeId: number, topic: string): readonly DumpedBatch[] {
    const batches = dumpLog(this.node(nodeId).partitionFolder(topic, PARTITION));
    this.narrator.quote(`broker ${nodeId} log files`, dumpLines(batches));
    return batches;
  }

  #answering(): readonly ClusterNode[] {
    return this.#cluster.nodes.filter(({ nodeId, plan }) => isBroker(plan) && !this.#silent.has(nodeId));
  }

  /** What the controller has decided by now has come to all brokers that answer. */
  async #untilBrokersKnow(): Promise<void> {
    const { broker } = await this.node(CONTROLLER).state();
    await until('metadata on the brokers', DEADLINE_MS, async () => {
      const states = await Promise.all(this.#answering().map((node) => node.state()));
      return states.every((state) => state.broker.metadataOffset >= broker.metadataOffset) || null;
    });
  }
}

function messageOf(line: string): readonly string[] {
  try {
    const { msg } = JSON.parse(line) as { readonly msg?: unknown };
    return typeof msg === 'string' ? [msg] : [];
  } catch {
    return [];
  }
}
