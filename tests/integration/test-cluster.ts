/**
 * What a test file runs against: a broker of its own in a directory of its own, which can be stopped, killed and started
 * again on the same port; or the brokers that `BROKERS` names. Those are other people's: they are never stopped, topics
 * and groups have names that no earlier run knows, and tests that need a broker to end are skipped and say so.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createClient, type KafkaClient } from '@seatlog/kafka-client';
import { startBroker, type BrokerServer } from '@seatlog/local-stack';
import { tellLastWords } from '../last-words.ts';

const DEFAULTS = {
  'auto.create.topics.enable': 'true',
  'group.min.session.timeout.ms': '1000',
  'group.initial.rebalance.delay.ms': '0',
};

const GIVEN = process.env['BROKERS'];
const RUN = randomBytes(4).toString('hex');
const TOPIC_THERE_WITHIN_MS = 60_000;

/** Whether the broker is not ours: its configuration is what it is, and it stays up. */
export const isGiven = GIVEN !== undefined && GIVEN !== '';

/** For `describe.skipIf` and `it.skipIf`: true where the broker is not ours, with the reason on stderr. */
export function skippedOnGivenBrokers(what: string, reason: string): boolean {
  if (isGiven) process.stderr.write(`SKIPPED, since BROKERS is set: ${what} (${reason})\n`);
  return isGiven;
}

/** A name that no earlier run knows. */
export function freshName(name: string): string {
  return `${name}-${RUN}`;
}

export interface TopicShape {
  readonly partitions?: number;
  readonly configs?: Readonly<Record<string, string>>;
}

/** Creates a topic under a fresh name, with one partition unless told otherwise, and waits until each has a leader. */
export async function freshTopic(
  client: KafkaClient,
  name: string,
  { partitions = 1, configs = {} }: TopicShape = {},
): Promise<string> {
  const topic = freshName(name);
  const admin = client.admin();
  await admin.createTopics([{ name: topic, partitions, configs }]);
  const deadline = performance.now() + TOPIC_THERE_WITHIN_MS;
  for (;;) {
    const [description] = await admin.describeTopics([topic]).catch(() => []);
    if (description?.partitions.every(({ leader }) => leader !== null) === true) return topic;
    if (performance.now() > deadline) throw new Error(`${topic} has no leaders yet`);
    await pause();
  }
}

/** Leaves other people's brokers as they were. */
async function deleteFreshTopics(brokers: string): Promise<void> {
  await using client = createClient({ brokers });
  const topics = await client.admin().listTopics();
  const fresh = topics.map(({ name }) => name).filter((name) => name.endsWith(`-${RUN}`));
  if (fresh.length > 0) await client.admin().deleteTopics(fresh);
}

interface OwnBroker {
  readonly directory: string;
  readonly properties: Readonly<Record<string, string>>;
  server: BrokerServer;
}

export class TestCluster implements AsyncDisposable {
  readonly #own: OwnBroker | null;

  private constructor(own: OwnBroker | null) {
    this.#own = own;
  }

  /** The properties are those of a broker of our own. */
  static async start(properties: Readonly<Record<string, string>> = {}): Promise<TestCluster> {
    if (isGiven) return new TestCluster(null);
    const directory = mkdtempSync(`${tmpdir()}/seatlog-integration-`);
    const all = { ...DEFAULTS, ...properties };
    const server = await startBroker({ dataDirectory: directory, properties: all });
    return new TestCluster({ directory, properties: all, server });
  }

  /** `host:port`, several separated by commas. */
  get address(): string {
    return this.#own?.server.address ?? GIVEN ?? '';
  }

  get port(): number {
    return Number(this.#broker().server.address.split(':')[1]);
  }

  /** Of a broker of our own, where the running test fails. */
  tellLastWords(): void {
    tellLastWords(() => (this.#own === null ? [] : [this.#own.server.process]));
  }

  /** As a power cut would end the process. */
  async kill(): Promise<void> {
    const { server } = this.#broker();
    server.process.kill('SIGKILL');
    await server.process.exited;
  }

  async stop(): Promise<void> {
    await this.#broker().server.stop();
  }

  async startAgain(): Promise<void> {
    const own = this.#broker();
    const ports = { kafka: this.port };
    own.server = await startBroker({ dataDirectory: own.directory, ports, properties: own.properties });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#own === null) {
      await deleteFreshTopics(this.address);
      return;
    }
    await this.#own.server.stop();
    rmSync(this.#own.directory, { recursive: true, force: true });
  }

  #broker(): OwnBroker {
    if (this.#own === null) throw new Error('the brokers that BROKERS names are not ours');
    return this.#own;
  }
}

/** Waits for a condition, with a deadline; what stands in its way is told when it passes. */
export async function until(
  what: string,
  isSo: () => boolean,
  withinMs: number,
  describe: () => string,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}\n${describe()}`);
    await pause();
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 20);
  });
}
