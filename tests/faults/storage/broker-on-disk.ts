/** A broker as a process, its folder, and a client; all of it ends with the running test. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KafkaClient } from '@seatlog/kafka-client';
import { batchSizeInBytes } from '@seatlog/kafka-protocol';
import {
  type BrokerPorts,
  type BrokerServer,
  childEnvironment,
  repositoryRoot,
  startBroker,
} from '@seatlog/local-stack';
import { onTestFinished } from 'vitest';
import { tellLastWords } from '../../last-words.ts';
import { clientOf } from './acked-journal.ts';

/** Small enough that a few records fill it. */
const SMALL_SEGMENT = { 'segment.bytes': '16384', 'index.interval.bytes': '1' } as const;

export interface BrokerPlan {
  readonly properties?: Readonly<Record<string, string>>;
  /** Default: in the test's own folder. */
  readonly logDirectory?: string;
  readonly ports?: BrokerPorts;
}

export class BrokerOnDisk {
  readonly folder: string;
  readonly logDirectory: string;
  readonly server: BrokerServer;
  readonly client: KafkaClient;
  #logRead = 0;

  private constructor(folder: string, logDirectory: string, server: BrokerServer) {
    this.folder = folder;
    this.logDirectory = logDirectory;
    this.server = server;
    this.client = clientOf(server.address);
  }

  static async start(plan: BrokerPlan = {}): Promise<BrokerOnDisk> {
    const folder = folderOfTest();
    const logDirectory = plan.logDirectory ?? join(folder, 'broker-1');
    const properties = { ...plan.properties, 'log.dirs': logDirectory };
    const server = await startBroker({ dataDirectory: folder, properties, ports: plan.ports ?? {} });
    onTestFinished(() => server.stop());
    tellLastWords(() => [server.process]);
    const broker = new BrokerOnDisk(folder, logDirectory, server);
    onTestFinished(() => broker.client.close());
    return broker;
  }

  get pid(): number {
    return this.server.process.pid;
  }

  get propertiesFile(): string {
    return join(this.folder, 'broker-1.properties');
  }

  async createTopic(
    name: string,
    partitions: number,
    configs: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const all = { ...SMALL_SEGMENT, ...configs };
    await this.client.admin().createTopics([{ name, partitions, configs: all }]);
  }

  /** Nothing is flushed and nothing said. */
  async crash(): Promise<void> {
    this.server.process.kill('SIGKILL');
    await this.server.process.exited;
  }

  async end(how: 'stop' | 'crash'): Promise<void> {
    if (how === 'crash') await this.crash();
    else await this.server.stop();
  }

  async startAgain(): Promise<void> {
    this.#logRead = readFileSync(this.server.process.logFile).length;
    await this.server.process.restart();
  }

  async isHealthy(): Promise<boolean> {
    return (await fetch(`${this.server.httpUrl}/healthz`)).ok;
  }

  /** What the broker said since it was started again. */
  said(): string {
    return readFileSync(this.server.process.logFile).subarray(this.#logRead).toString();
  }

  partitionFolder(topic: string, partition = 0): string {
    return join(this.logDirectory, `${topic}-${partition}`);
  }

  /** Paths of a partition's files with this ending, in order of their offsets. */
  files(topic: string, partition: number, ending: string): readonly string[] {
    const folder = this.partitionFolder(topic, partition);
    const names = readdirSync(folder).filter((name) => /^\d{20}\./.test(name) && name.endsWith(ending));
    return names.sort().map((name) => join(folder, name));
  }
}

/** Removed when the test ends, and whatever was started in it. */
export function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'seatlog-storage-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Where the batches of a log file begin. */
export function batchPositions(bytes: Uint8Array): readonly number[] {
  const positions: number[] = [];
  for (let at = 0; at < bytes.length; at += batchSizeInBytes(bytes, at)) positions.push(at);
  return positions;
}

/** The command of a broker, for those that are not to be started by `startBroker`. */
export function brokerCommand(propertiesFile: string): readonly [string, ...string[]] {
  return [process.execPath, join(repositoryRoot, 'apps/broker/src/main.ts'), '--config', propertiesFile];
}

/** Runs a broker that is to end by itself. */
export async function runBroker(propertiesFile: string): Promise<{ code: number | null; said: string }> {
  const [command, ...args] = brokerCommand(propertiesFile);
  const child = spawn(command, args, {
    env: childEnvironment({ SEATLOG_PARENT_PID: String(process.pid) }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
  await once(child, 'close');
  return { code: child.exitCode, said };
}
