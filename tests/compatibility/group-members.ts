/** Members of a group as processes: started, stopped in order, killed; and what they have said so far. */
import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { MemberLine, MemberOrders } from './member-script.ts';
import { pathOf, ScriptProcess } from './script-process.ts';

const SCRIPT_DEADLINE_MS = 120_000;
const LOOK_AGAIN_MS = 50;

export class GroupMember {
  readonly name: string;
  /** Before the commit, and again where that failed. */
  readonly read: string[] = [];
  readonly handled: string[] = [];
  /** What it was assigned last; empty before, and once it has ended. */
  partitions: readonly number[] = [];
  /** How often it was assigned something. */
  assignments = 0;
  readonly #process: ScriptProcess;

  constructor(name: string, script: string, orders: MemberOrders) {
    this.name = name;
    this.#process = new ScriptProcess(script, orders, (line) => this.#take(line as MemberLine));
    void this.#process.ended.then(() => {
      this.partitions = [];
    });
  }

  /** Asks it to leave; gives the exit code. */
  async leave(): Promise<number | null> {
    return await this.#process.leave();
  }

  async crash(): Promise<void> {
    await this.#process.crash();
  }

  describe(): string {
    const { errors } = this.#process;
    return `${this.name}: [${this.partitions.join()}], ${this.handled.length} handled ${errors}`;
  }

  #take(line: MemberLine): void {
    if (line.kind === 'read') {
      this.read.push(line.value);
    } else if (line.kind === 'handled') {
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
  replicationFactor = 1,
): Promise<void> {
  const orders = JSON.stringify({ brokers, topic, partitions, values, replicationFactor });
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
