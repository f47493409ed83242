/**
 * Other people's clients, each in a process of its own, on three brokers with acks=all: the coordinator of their group,
 * which leads a partition of their topic as well, is killed and comes back, while one writes and a group of two reads.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ThreeNodes } from '../cluster/three-nodes.ts';
import { GroupMember, until, writeToTopic } from './group-members.ts';
import { ScriptProcess } from './script-process.ts';
import type { WriterLine, WriterOrders } from './writer-script.ts';

const PARTITIONS = 3;
const REPLICAS = 3;
/** Records before the kill, without the killed one, and with it again. */
const RECORDS = 100;
const SESSION_TIMEOUT_MS = 6000;
/** kafkajs looks for another coordinator only when it has tried in vain so often, and starts again; its default. */
const RETRIES = 5;
const OFFSETS_TOPIC = '__consumer_offsets';
/** The broker's session, the group's, and a machine that has other things to do. */
const GOES_ON_WITHIN_MS = 120_000;
const TEST_DEADLINE_MS = 600_000;

let nodes: ThreeNodes;

beforeAll(async () => {
  nodes = await ThreeNodes.start({
    properties: {
      'group.min.session.timeout.ms': '1000',
      'group.initial.rebalance.delay.ms': '500',
      'offsets.topic.num.partitions': '1',
    },
  });
});

afterAll(async () => {
  await nodes?.[Symbol.asyncDispose]();
});

beforeEach(() => nodes.tellLastWords());

class WriterAndGroup {
  readonly acknowledged: string[] = [];
  readonly #members: readonly GroupMember[];
  readonly #writer: ScriptProcess;

  constructor(client: string, orders: WriterOrders) {
    const { brokers, topic } = orders;
    this.#writer = new ScriptProcess(`${client}-writer.ts`, orders, (line) =>
      this.acknowledged.push((line as WriterLine).value),
    );
    this.#members = ['ada', 'bob'].map(
      (name) =>
        new GroupMember(name, `${client}-member.ts`, {
          brokers,
          topic,
          group: topic,
          sessionTimeoutMs: SESSION_TIMEOUT_MS,
          instanceId: null,
          retries: RETRIES,
        }),
    );
  }

  get read(): ReadonlySet<string> {
    return new Set(this.#members.flatMap(({ read }) => read));
  }

  /** So many more records are acknowledged, and then all that are have been read. */
  async goOn(what: string): Promise<void> {
    const wanted = this.acknowledged.length + RECORDS;
    await this.#until(`${RECORDS} more acknowledged ${what}`, () => this.acknowledged.length >= wanted);
    await this.readAll(what);
  }

  async readAll(what: string): Promise<void> {
    const acknowledged = new Set(this.acknowledged);
    await this.#until(`all that was acknowledged read ${what}`, () => acknowledged.isSubsetOf(this.read));
  }

  async stopWriting(): Promise<number | null> {
    return await this.#writer.leave();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#members, this.#writer].map((process) => process.crash()));
  }

  async #until(what: string, isSo: () => boolean): Promise<void> {
    const describe = (): string => {
      const members = this.#members.map((member) => member.describe()).join('\n');
      return `${this.acknowledged.length} acknowledged, ${this.read.size} read\n${members}\n${this.#writer.errors}`;
    };
    await until(what, isSo, describe, GOES_ON_WITHIN_MS);
  }
}

describe.each(['kafkajs', 'platformatic'])('a writer and a group by %s', (client) => {
  it('R16, F20: go on when a leader is killed and comes back, and lose nothing that was acknowledged', {
    timeout: TEST_DEADLINE_MS,
  }, async () => {
    const brokers = nodes.cluster.bootstrap;
    const topic = `${client}-failover`;
    await writeToTopic(brokers, topic, PARTITIONS, [], REPLICAS);
    await using clients = new WriterAndGroup(client, { brokers, topic, partitions: PARTITIONS });
    await clients.goOn('before the kill');

    const leader = await nodes.leaderOf(OFFSETS_TOPIC, 0);
    const { partitions } = await leader.state();
    const led = partitions.find((one) => one.topic === topic && one.leader === leader.nodeId);
    if (led === undefined) throw new Error('the coordinator leads no partition of the topic');
    await nodes.kill(leader);
    const next = await nodes.leaderOf(topic, led.partition, led.leaderEpoch);
    expect(next.nodeId).not.toBe(leader.nodeId);
    await clients.goOn('without the killed one');

    await leader.process.restart();
    await nodes.untilWhole(topic, led.partition);
    await clients.goOn('with the one that came back');
    expect(await clients.stopWriting()).toBe(0);
    await clients.readAll('at the end');
  });
});
