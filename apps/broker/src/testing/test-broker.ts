/**
 * A whole broker in the test's own process: real sockets on loopback, a disk in memory, real time. Waiting for it goes
 * by conditions with a deadline.
 */
import { apis, ErrorCode, RecordBatchWriter, type SealOptions } from '@seatlog/kafka-protocol';
import { MemoryFileSystem } from '@seatlog/runtime/testing';
import { type RunningBroker, startBroker } from '../broker.ts';
import { nodePorts } from '../broker-ports.ts';
import { loadConfig } from '../config/load.ts';
import { createLogger, type Logger, silentLogger } from '../logger.ts';
import { WireClient } from './wire-client.ts';

const DEADLINE_MS = 60_000;

export interface TestBroker extends AsyncDisposable {
  readonly broker: RunningBroker;
  readonly fileSystem: MemoryFileSystem;
  readonly logLines: readonly Record<string, unknown>[];
  connect(): Promise<WireClient>;
  createTopic(name: string, configs?: Readonly<Record<string, string>>, partitions?: number): Promise<void>;
}

export interface TestBrokerOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** The disk of an earlier broker. */
  readonly fileSystem?: MemoryFileSystem;
}

export async function startTestBroker({
  settings = {},
  fileSystem,
}: TestBrokerOptions = {}): Promise<TestBroker> {
  const disk = fileSystem ?? new MemoryFileSystem();
  const logLines: Record<string, unknown>[] = [];
  const overrides = new Map(
    Object.entries({
      listeners: 'PLAINTEXT://127.0.0.1:0',
      'log.dir': '/logs',
      'offsets.topic.replication.factor': '1',
      'offsets.topic.num.partitions': '3',
      'group.initial.rebalance.delay.ms': '0',
      ...settings,
    }),
  );
  const broker = await startBroker({
    config: loadConfig({ overrides }).config,
    log: recording(logLines),
    ports: { ...nodePorts, fileSystem: disk },
    onFatal: (error) => {
      throw error;
    },
  });
  const clients: WireClient[] = [];
  const connect = async (): Promise<WireClient> => {
    const client = await WireClient.open(broker.listeners[0]?.port ?? 0);
    clients.push(client);
    return client;
  };
  return {
    broker,
    fileSystem: disk,
    logLines,
    connect,
    createTopic: async (name, configs = {}, partitions = 1) => {
      const client = await connect();
      const response = await client.ask(apis.createTopics, 5, {
        topics: [
          {
            name,
            numPartitions: partitions,
            replicationFactor: 1,
            assignments: [],
            configs: Object.entries(configs).map(([key, value]) => ({ name: key, value })),
          },
        ],
        timeoutMs: DEADLINE_MS,
        validateOnly: false,
      });
      const { errorCode, errorMessage } = response.topics[0] ?? { errorCode: -1, errorMessage: 'no answer' };
      if (errorCode !== ErrorCode.NONE) throw new Error(`${name} was refused: ${errorCode} ${errorMessage}`);
    },
    [Symbol.asyncDispose]: async () => {
      for (const client of clients) client.socket.destroy();
      await broker.stop();
    },
  };
}

function recording(lines: Record<string, unknown>[]): Logger {
  if (process.env['SEATLOG_TEST_LOG'] === 'none') return silentLogger;
  return createLogger(nodePorts.clock, 'debug', (line) => {
    lines.push(JSON.parse(line) as Record<string, unknown>);
  });
}

export interface BatchOptions extends SealOptions {
  readonly values: readonly (string | null)[];
  readonly key?: string | null;
  readonly timestamp?: number;
  /** One for each value; else they all have `timestamp`. */
  readonly timestamps?: readonly number[];
}

export function batchOf(options: BatchOptions): Uint8Array {
  const { values, key = 'key', timestamp = Date.now(), timestamps, ...seal } = options;
  const writer = new RecordBatchWriter();
  const text = new TextEncoder();
  values.forEach((value, index) => {
    writer.append(
      timestamps?.[index] ?? timestamp,
      key === null ? null : text.encode(key),
      value === null ? null : text.encode(value),
    );
  });
  return Uint8Array.from(writer.seal(seal));
}

/** Waits until `condition` holds; fails at the deadline. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const end = performance.now() + DEADLINE_MS;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`not within ${DEADLINE_MS} ms: ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
