/** Brokers 1 to n with one controller, in memory: time passes and turns end when the test says so. */
import {
  type Api,
  apis,
  batchesIn,
  decodeRecords,
  type RequestInput,
  type ResponseOf,
} from '@seatlog/kafka-protocol';
import {
  ManualClock,
  ManualTurns,
  MemoryFileSystem,
  MemoryNetwork,
  SeededRandom,
} from '@seatlog/runtime/testing';
import { loadConfig } from '../../config/load.ts';
import { silentLogger } from '../../logger.ts';
import type { PeerOutcome } from '../../peers/peer-channel.ts';
import { peerChannel } from '../../peers/peer-connections.ts';
import { batchOf } from '../../testing/test-broker.ts';
import { MemoryController } from './memory-controller.ts';
import { ReplicatedBroker } from './replicated-broker.ts';

const FIRST_PORT = 9000;
const CLIENT_TIMEOUT_MS = 60_000;
const MIB = 1024 * 1024;
/** More than any test needs; a follower that asks for ever for the same is told of, not waited for. */
const RESTLESS_TURNS = 20_000;

type ProduceOutcome = ResponseOf<typeof apis.produce>['responses'][number]['partitionResponses'][number];
type FetchOutcome = ResponseOf<typeof apis.fetch>['responses'][number]['partitions'][number];
type FetchPartition = RequestInput<typeof apis.fetch>['topics'][number]['partitions'][number];

/** What a request came to, once it did. */
export interface Pending<Result> {
  result: Result | null;
}

export interface ClusterOptions {
  readonly settings?: Readonly<Record<string, string>>;
  readonly racks?: readonly (string | null)[];
}

export class ReplicatedCluster {
  readonly clock = new ManualClock();
  readonly turns = new ManualTurns();
  readonly network = new MemoryNetwork(this.turns);
  readonly controller = new MemoryController();
  readonly #options: ClusterOptions;
  readonly #brokers = new Map<number, ReplicatedBroker>();
  readonly #disks = new Map<number, MemoryFileSystem>();
  readonly #client = peerChannel({
    name: 'client',
    clientId: 'client',
    network: this.network,
    clock: this.clock,
    timers: this.clock,
    log: silentLogger,
  });

  private constructor(options: ClusterOptions) {
    this.#options = options;
  }

  static async start(brokers: number, options: ClusterOptions = {}): Promise<ReplicatedCluster> {
    const cluster = new ReplicatedCluster(options);
    for (let id = 1; id <= brokers; id++) await cluster.startBroker(id);
    return cluster;
  }

  /** On the disk that it left, if it ran before. */
  async startBroker(
    id: number,
    { previousBrokerEpoch = -1, keptEpoch }: { previousBrokerEpoch?: number; keptEpoch?: number } = {},
  ): Promise<ReplicatedBroker> {
    const disk = this.#disks.get(id) ?? new MemoryFileSystem({ random: new SeededRandom(id) });
    this.#disks.set(id, disk);
    const overrides = new Map(
      Object.entries({
        'node.id': `${id}`,
        listeners: `PLAINTEXT://:${FIRST_PORT + id}`,
        'log.dir': '/logs',
        'cluster.id': 'wlRg8jBZQhqo0Y-qbWmJZA',
        ...this.#options.settings,
      }),
    );
    const broker = new ReplicatedBroker({
      address: { id, port: FIRST_PORT + id, rack: this.#options.racks?.[id - 1] ?? null },
      config: loadConfig({ overrides }).config,
      controller: this.controller,
      network: this.network,
      clock: this.clock,
      turns: this.turns,
      disk,
      previousBrokerEpoch,
      ...(keptEpoch === undefined ? {} : { keptEpoch }),
    });
    this.#brokers.set(id, broker);
    await broker.start();
    await this.settle();
    return broker;
  }

  broker(id: number): ReplicatedBroker {
    const broker = this.#brokers.get(id);
    if (broker === undefined) throw new Error(`there is no broker ${id}`);
    return broker;
  }

  disk(id: number): MemoryFileSystem {
    return this.#disks.get(id) as MemoryFileSystem;
  }

  async createTopic(
    name: string,
    replicas: readonly number[] = [1, 2, 3],
    configs: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    this.controller.createTopic(name, [replicas], configs);
    await this.settle();
  }

  /** Everything that needs no time. */
  async settle(): Promise<void> {
    let turns = 0;
    do {
      while (this.turns.pending > 0) {
        if (++turns > RESTLESS_TURNS) throw new Error('the cluster does not come to rest');
        this.turns.end();
      }
      // Answers that are given later are flushed at the end of what the event loop does.
      await new Promise<void>((resolve) => {
        process.nextTick(resolve);
      });
    } while (this.turns.pending > 0);
  }

  /** Lets time pass, and all that it brings. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.clock.monotonic() + milliseconds;
    for (;;) {
      await this.settle();
      const left = end - this.clock.monotonic();
      if (left <= 0) return;
      this.clock.advance(Math.min(left, Math.max(this.clock.untilNext ?? left, 1)));
    }
  }

  async ask<Response, RequestIn>(
    id: number,
    api: Api<unknown, Response, RequestIn, never>,
    version: number,
    body: RequestIn,
  ): Promise<Pending<PeerOutcome<Response>>> {
    const pending: Pending<PeerOutcome<Response>> = { result: null };
    const peer = { id, host: `broker-${id}`, port: FIRST_PORT + id };
    this.#client.send(peer, api, version, body, { timeoutMs: CLIENT_TIMEOUT_MS }, (outcome) => {
      pending.result = outcome;
    });
    await this.settle();
    return pending;
  }

  /** A batch of the values to partition 0, by its own connection's order. */
  async produce(
    id: number,
    topic: string,
    values: readonly string[],
    { acks = -1, timeoutMs = 30_000 }: { readonly acks?: number; readonly timeoutMs?: number } = {},
  ): Promise<() => ProduceOutcome | null> {
    const batch = batchOf({ values, timestamp: this.clock.now() });
    const pending = await this.ask(id, apis.produce, 9, {
      acks,
      timeoutMs,
      topicData: [{ name: topic, partitionData: [{ index: 0, records: batch }] }],
    });
    return () => answered(pending)?.responses[0]?.partitionResponses[0] ?? null;
  }

  async fetch(
    id: number,
    topic: string,
    position: Partial<FetchPartition> = {},
    request: Partial<RequestInput<typeof apis.fetch>> = {},
    version = 12,
  ): Promise<() => FetchOutcome | null> {
    const partition = { partition: 0, fetchOffset: 0, partitionMaxBytes: MIB, ...position };
    const pending = await this.ask(id, apis.fetch, version, {
      maxWaitMs: 0,
      minBytes: 1,
      maxBytes: 50 * MIB,
      topics: [{ topic, partitions: [partition] }],
      ...request,
    });
    return () => answered(pending)?.responses[0]?.partitions[0] ?? null;
  }

  /** The values that a consumer sees from the beginning. */
  async values(id: number, topic: string): Promise<readonly string[]> {
    const text = new TextDecoder();
    const answer = await this.fetch(id, topic);
    return [...batchesIn(answer()?.records ?? new Uint8Array(0))].flatMap((batch) =>
      decodeRecords(batch).map(({ value }) => text.decode(value ?? new Uint8Array(0))),
    );
  }

  /** All bytes of a replica's log. */
  logBytes(id: number, topic: string): Buffer {
    const { log } = this.broker(id).partition(topic);
    const read = log.read(log.logStartOffset, { maxBytes: 50 * MIB, upperBound: log.logEndOffset });
    const bytes = Buffer.concat(read.records);
    read.release();
    return bytes;
  }

  /** Each broker's high watermark. */
  highWatermarks(topic: string, ids: readonly number[] = [1, 2, 3]): readonly number[] {
    return ids.map((id) => this.broker(id).partition(topic).highWatermark);
  }

  isr(topic: string): readonly number[] {
    return this.controller.image.topics.get(topic)?.partitions[0]?.isr ?? [];
  }
}

function answered<Response>({ result }: Pending<PeerOutcome<Response>>): Response | null {
  if (result?.kind === 'failed') throw new Error(`the request failed: ${result.reason}`);
  return result?.response ?? null;
}
