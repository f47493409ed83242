/** One broker in a directory of its own, for a test file: started, stopped dead, started again on the same port. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { startBroker, type BrokerServer } from '@seatlog/local-stack';

const DEFAULTS = {
  'auto.create.topics.enable': 'true',
  'group.min.session.timeout.ms': '1000',
  'group.initial.rebalance.delay.ms': '0',
};

export class TestCluster implements AsyncDisposable {
  readonly #directory: string;
  readonly #properties: Readonly<Record<string, string>>;
  #broker: BrokerServer;

  private constructor(directory: string, properties: Readonly<Record<string, string>>, broker: BrokerServer) {
    this.#directory = directory;
    this.#properties = properties;
    this.#broker = broker;
  }

  static async start(properties: Readonly<Record<string, string>> = {}): Promise<TestCluster> {
    const directory = mkdtempSync(`${tmpdir()}/seatlog-integration-`);
    const all = { ...DEFAULTS, ...properties };
    return new TestCluster(directory, all, await startBroker({ dataDirectory: directory, properties: all }));
  }

  get address(): string {
    return this.#broker.address;
  }

  get port(): number {
    return Number(this.#broker.address.split(':')[1]);
  }

  /** As a power cut would end the process. */
  async kill(): Promise<void> {
    this.#broker.process.kill('SIGKILL');
    await this.#broker.process.exited;
  }

  async stop(): Promise<void> {
    await this.#broker.stop();
  }

  async startAgain(): Promise<void> {
    const ports = { kafka: this.port };
    this.#broker = await startBroker({ dataDirectory: this.#directory, ports, properties: this.#properties });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#broker.stop();
    rmSync(this.#directory, { recursive: true, force: true });
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
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}
