/** Members of a group as processes: started, stopped in order, killed; and what they have said so far. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { MemberLine, MemberOrders } from './member-script.ts';

const SCRIPT_DEADLINE_MS = 30_000;
const LOOK_AGAIN_MS = 50;

const pathOf = (script: string): string => new URL(`./clients/${script}`, import.meta.url).pathname;

export class GroupMember {
  readonly name: string;
  readonly handled: string[] = [];
  /** What it was assigned last; empty before, and once it has ended. */
  partitions: readonly number[] = [];
  /** How often it was assigned something. */
  assignments = 0;
  readonly #process: ChildProcess;
  readonly #ended: Promise<number | null>;
  #errors = '';

  constructor(name: string, script: string, orders: MemberOrders) {
    this.name = name;
    const child = spawn(process.execPath, [pathOf(script), JSON.stringify(orders)], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#process = child;
    this.#ended = new Promise((resolve) => {
      child.once('close', (code) => {
        this.partitions = [];
        resolve(code);
      });
    });
    createInterface({ input: child.stdout }).on('line', (line) => this.#take(line));
    child.stderr.on('data', (chunk: Buffer) => {
      this.#errors = `${this.#errors}${chunk.toString()}`.slice(-4000);
    });
  }

  /** Asks it to leave; gives the exit code. */
  async leave(): Promise<number | null> {
    this.#process.kill('SIGTERM');
    return await this.#ended;
  }

  async crash(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#ended;
  }

  describe(): string {
    return `${this.name}: [${this.partitions.join()}], ${this.handled.length} handled ${this.#errors}`;
  }

  #take(text: string): void {
    // Clients print warnings of their own now and then.
    if (!text.startsWith('{"kind"')) return;
    const line = JSON.parse(text) as MemberLine;
    if (line.kind === 'handled') {
      this.handled.push(line.value);
    } else {
      this.assignments += 1;
      this.partitions = line.partitions.toSorted((one, other) => one - other);
    }
  }
}

export async function writeToTopic(
  brokers: string,
  topic: string,
  partitions: number,
  values: readonly string[],
): Promise<void> {
  const orders = JSON.stringify({ brokers, topic, partitions, values });
  await promisify(execFile)(process.execPath, [pathOf('kafkajs-topic.ts'), orders], {
    timeout: SCRIPT_DEADLINE_MS,
    killSignal: 'SIGKILL',
  });
}

/** Waits for a state of affairs, and says what there is instead when it does not come about. */
export async function until(
  what: string,
  isSo: () => boolean,
  describe: () => string,
  deadlineMs: number,
): Promise<void> {
  const end = performance.now() + deadlineMs;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`${what}: not within ${deadlineMs} ms\n${describe()}`);
    await pause(LOOK_AGAIN_MS);
  }
}
