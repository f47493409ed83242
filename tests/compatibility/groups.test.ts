/**
 * Groups of three, with members that other people wrote: they come, leave, crash and come back, and the broker under
 * them does too. Between two changes everything written is handled, so each value must be handled exactly once.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type BrokerServer, startBroker } from '@seatlog/local-stack';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { tellLastWords } from '../last-words.ts';
import { GroupMember, until, writeToTopic } from './group-members.ts';

const PARTITIONS = 6;
const SESSION_TIMEOUT_MS = 3000;
/** A crashed member's session, the others' rebalance, and a machine that has other things to do. */
const SETTLED_WITHIN_MS = 120_000;
const TEST_DEADLINE_MS = 480_000;
/** Longer than it takes a member that crashed to be there again: until then nobody may notice. */
const STATIC_SESSION_TIMEOUT_MS = 60_000;

let directory: string;
let broker: BrokerServer;

beforeAll(async () => {
  directory = mkdtempSync(`${tmpdir()}/seatlog-groups-`);
  broker = await startBroker({
    dataDirectory: directory,
    properties: { 'group.min.session.timeout.ms': '1000', 'group.initial.rebalance.delay.ms': '500' },
  });
});

afterAll(async () => {
  await broker?.stop();
  rmSync(directory, { recursive: true, force: true });
});

beforeEach(() => tellLastWords(() => [broker.process]));

class Group {
  readonly #script: string;
  readonly #name: string;
  readonly #sessionTimeoutMs: number;
  readonly #members: GroupMember[] = [];
  #present: GroupMember[] = [];
  #written: string[] = [];

  constructor(script: string, name: string, sessionTimeoutMs: number) {
    this.#script = script;
    this.#name = name;
    this.#sessionTimeoutMs = sessionTimeoutMs;
  }

  get handled(): readonly string[] {
    return this.#members.flatMap(({ handled }) => handled);
  }

  get written(): readonly string[] {
    return this.#written;
  }

  join(name: string, instanceId: string | null = null): GroupMember {
    const member = new GroupMember(name, this.#script, {
      brokers: broker.address,
      topic: this.#name,
      group: this.#name,
      sessionTimeoutMs: this.#sessionTimeoutMs,
      instanceId,
    });
    this.#members.push(member);
    this.#present.push(member);
    return member;
  }

  async leave(member: GroupMember): Promise<void> {
    this.#present = this.#present.filter((each) => each !== member);
    const code = await member.leave();
    if (code !== 0) throw new Error(`${member.describe()} left with code ${code}`);
  }

  async crash(member: GroupMember): Promise<void> {
    this.#present = this.#present.filter((each) => each !== member);
    await member.crash();
  }

  /** Each partition is at one of those present, and each of them has as many as the others. */
  async settles(): Promise<void> {
    const share = PARTITIONS / this.#present.length;
    await this.#until('all partitions are shared out', () => {
      const shared = this.#present.flatMap(({ partitions }) => partitions);
      return (
        new Set(shared).size === PARTITIONS &&
        this.#present.every(({ partitions }) => partitions.length === share)
      );
    });
  }

  async write(prefix: string, count: number): Promise<void> {
    const values = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
    await writeToTopic(broker.address, this.#name, PARTITIONS, values);
    this.#written = [...this.#written, ...values];
    const wanted = new Set(this.#written);
    await this.#until('everything written is handled', () => {
      const handled = new Set(this.handled);
      return wanted.isSubsetOf(handled);
    });
  }

  async end(): Promise<void> {
    await Promise.all(this.#members.map((member) => member.crash()));
  }

  async #until(what: string, isSo: () => boolean): Promise<void> {
    const describe = (): string => this.#present.map((member) => member.describe()).join('\n');
    await until(what, isSo, describe, SETTLED_WITHIN_MS);
  }
}

async function inGroup(
  script: string,
  name: string,
  story: (group: Group) => Promise<void>,
  sessionTimeoutMs = SESSION_TIMEOUT_MS,
): Promise<void> {
  const group = new Group(script, name, sessionTimeoutMs);
  try {
    await writeToTopic(broker.address, name, PARTITIONS, []);
    await story(group);
  } finally {
    await group.end();
  }
}

describe.each([
  ['kafkajs', 'kafkajs-member.ts'],
  ['@platformatic/kafka', 'platformatic-member.ts'],
])('a group of members by %s', (client, script) => {
  const topic = (story: string): string => `${story}-${client.replaceAll(/[^a-z]/g, '')}`;

  it(
    'K13: shares out partitions anew as members come, crash, leave and come back, each record to one member',
    () =>
      inGroup(script, topic('changes'), async (group) => {
        const ada = group.join('ada');
        await group.settles();
        await group.write('alone', 60);

        const bob = group.join('bob');
        const eve = group.join('eve');
        await group.settles();
        await group.write('three', 120);

        await group.crash(eve);
        await group.settles();
        await group.write('after the crash', 60);

        await group.leave(ada);
        await group.settles();
        await group.write('after the leave', 60);

        group.join('kim');
        group.join('lea');
        await group.settles();
        await group.write('three again', 120);

        expect(bob.handled.length).toBeGreaterThan(0);
        expect(group.handled.toSorted()).toEqual(group.written.toSorted());
      }),
    TEST_DEADLINE_MS,
  );

  it(
    'F28, K11: outlives the broker: it is killed, comes back, and the group goes on where it was',
    () =>
      inGroup(script, topic('outlives'), async (group) => {
        for (const name of ['ada', 'bob', 'eve']) group.join(name);
        await group.settles();
        await group.write('before', 120);

        broker.process.kill('SIGKILL');
        await broker.process.exited;
        await broker.process.restart();
        await group.write('after', 120);
        await group.settles();

        expect(group.handled.toSorted()).toEqual(group.written.toSorted());
      }),
    TEST_DEADLINE_MS,
  );
});

describe('static members by @platformatic/kafka', () => {
  it(
    'come back after a crash to the partitions they had, and nobody else notices',
    () =>
      inGroup(
        'platformatic-member.ts',
        'static-members',
        async (group) => {
          const [north, south] = [group.join('north', 'till-north'), group.join('south', 'till-south')];
          const west = group.join('west', 'till-west');
          await group.settles();
          await group.write('before', 60);
          const had = south.partitions;
          const noticed = [north.assignments, west.assignments];

          await group.crash(south);
          const again = group.join('south again', 'till-south');
          await group.settles();
          await group.write('after', 60);

          expect(again.partitions).toEqual(had);
          expect([north.assignments, west.assignments]).toEqual(noticed);
          expect(group.handled.toSorted()).toEqual(group.written.toSorted());
        },
        STATIC_SESSION_TIMEOUT_MS,
      ),
    TEST_DEADLINE_MS,
  );
});
