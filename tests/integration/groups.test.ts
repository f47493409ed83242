import {
  createClient,
  type AssignorName,
  type KafkaClient,
  type TopicPartition,
} from '@seatlog/kafka-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freshTopic, TestCluster, until } from './test-cluster.ts';

const PARTITIONS = 6;
const SETTLED_WITHIN_MS = 120_000;
/** Nobody here is to be missed: no session runs out, however busy the machine. */
const SESSION = { sessionTimeoutMs: 60_000, heartbeatIntervalMs: 300 };

let cluster: TestCluster;
let client: KafkaClient;

beforeAll(async () => {
  cluster = await TestCluster.start();
  client = createClient({ brokers: cluster.address, clientId: 'groups' });
});

afterAll(async () => {
  await client?.close();
  await cluster?.[Symbol.asyncDispose]();
});

beforeEach(() => cluster.tellLastWords());

/** A consumer of a group and what it has handled; commits each batch after it is handled. */
class Member {
  readonly name: string;
  readonly handled: string[] = [];
  readonly events: string[] = [];
  readonly #abort = new AbortController();
  readonly #consumer;
  readonly ended: Promise<void>;

  constructor(name: string, topic: string, assignors: readonly AssignorName[], handleMs: number) {
    this.name = name;
    const brief = (partitions: readonly TopicPartition[]): string =>
      partitions.map(({ partition }) => partition).join();
    this.#consumer = client.consumer({
      groupId: topic,
      topics: [topic],
      assignors,
      autoOffsetReset: 'earliest',
      maxPollRecords: 20,
      ...SESSION,
      onAssigned: (partitions) => void this.events.push(`+${brief(partitions)}`),
      onRevoked: (partitions) => void this.events.push(`-${brief(partitions)}`),
      onLost: (partitions) => void this.events.push(`!${brief(partitions)}`),
    });
    this.ended = this.#consume(handleMs);
  }

  get partitions(): readonly number[] {
    return this.#consumer.assignment.map(({ partition }) => partition);
  }

  describe(): string {
    const { state, lastError } = this.#consumer.health();
    return `${this.name}: ${state}, partitions ${this.partitions.join()}, ${this.handled.length} handled, ${this.events.join(' ')}, ${lastError?.message ?? ''}`;
  }

  abort(): Promise<void> {
    this.#abort.abort();
    return this.ended;
  }

  async #consume(handleMs: number): Promise<void> {
    for await (const batch of this.#consumer.batches({ signal: this.#abort.signal })) {
      await new Promise((resolve) => {
        setTimeout(resolve, handleMs);
      });
      for (const { value } of batch.records) this.handled.push(Buffer.from(value ?? []).toString());
      await batch.commit();
    }
  }
}

describe.each([
  ['range', ['range']],
  ['cooperative-sticky', ['cooperative-sticky']],
  ['range and cooperative-sticky', ['range', 'cooperative-sticky']],
] as readonly [string, readonly AssignorName[]][])('a group under %s', (name, assignors) => {
  const topicName = `group-${name.replaceAll(' ', '-')}`;

  it('K13: three come and go while records flow; each record is handled once, in the order of its partition', async () => {
    const topic = await freshTopic(client, topicName, { partitions: PARTITIONS });
    const producer = client.producer();
    let written = 0;
    const write = async (count: number): Promise<void> => {
      const records = Array.from({ length: count }, () => {
        written += 1;
        return {
          partition: written % PARTITIONS,
          value: `${written % PARTITIONS}-${String(written).padStart(6, '0')}`,
        };
      });
      await producer.sendBatch(topic, records);
    };
    const members: Member[] = [];
    const join = (memberName: string): Member => {
      const member = new Member(memberName, topic, assignors, 2);
      members.push(member);
      return member;
    };
    const present = new Set<Member>();
    const settles = (count: number): Promise<void> =>
      until(
        `${count} members share the partitions`,
        () => {
          const shared = [...present].flatMap((member) => member.partitions);
          return (
            shared.length === PARTITIONS &&
            [...present].every(({ partitions }) => partitions.length === PARTITIONS / count)
          );
        },
        SETTLED_WITHIN_MS,
        () => members.map((member) => member.describe()).join('\n'),
      );
    const writing = { on: true };
    const writer = (async () => {
      while (writing.on) {
        await write(60);
        await new Promise((resolve) => {
          setTimeout(resolve, 10);
        });
      }
    })();

    const first = join('first');
    present.add(first);
    await settles(1);
    const second = join('second');
    present.add(second);
    await settles(2);
    const third = join('third');
    present.add(third);
    await settles(3);
    await second.abort();
    present.delete(second);
    await settles(2);
    const fourth = join('fourth');
    present.add(fourth);
    await settles(3);
    writing.on = false;
    await writer;
    await until(
      'all is handled',
      () => members.reduce((sum, member) => sum + member.handled.length, 0) >= written,
      SETTLED_WITHIN_MS,
      () => members.map((member) => member.describe()).join('\n'),
    );
    await Promise.all(Array.from(present, (member) => member.abort()));

    const handled = members.flatMap((member) => member.handled);
    expect(handled.length).toBe(written);
    expect(new Set(handled).size).toBe(written);
    for (const member of members) {
      expect(member.events.filter((event) => event.startsWith('!'))).toEqual([]);
      for (const ofPartition of Map.groupBy(member.handled, (value) => value.split('-')[0]).values()) {
        expect(ofPartition).toEqual(ofPartition.toSorted((a, b) => a.localeCompare(b)));
      }
    }
    const committed = await client.admin().fetchOffsets(topic);
    expect(committed.reduce((sum, { offset }) => sum + (offset ?? 0), 0)).toBe(written);
  });
});

describe('a member of a group', () => {
  it('cooperative members keep what does not move while the group rebalances', async () => {
    const topic = await freshTopic(client, 'stays', { partitions: 4 });
    const first = new Member('first', topic, ['cooperative-sticky'], 0);
    await until(
      'the first has all',
      () => first.partitions.length === 4,
      SETTLED_WITHIN_MS,
      () => first.describe(),
    );
    const second = new Member('second', topic, ['cooperative-sticky'], 0);
    await until(
      'both have two',
      () => first.partitions.length === 2 && second.partitions.length === 2,
      SETTLED_WITHIN_MS,
      () => `${first.describe()}\n${second.describe()}`,
    );
    const revoked = first.events.filter((event) => event.startsWith('-'));
    expect(revoked.length).toBe(1);
    expect(revoked[0]?.split(',').length).toBe(2);
    await Promise.all([first.abort(), second.abort()]);
  });

  it('refuses a commit for a partition that it does not hold, and goes on from the last commit when it comes back', async () => {
    const topic = await freshTopic(client, 'commits');
    const producer = client.producer();
    await producer.sendBatch(
      topic,
      Array.from({ length: 10 }, (_, index) => ({ value: String(index), partition: 0 })),
    );
    const options = {
      groupId: topic,
      topics: [topic],
      autoOffsetReset: 'earliest',
      maxPollRecords: 4,
      ...SESSION,
    } as const;
    const firsts: number[] = [];
    const consumer = client.consumer(options);
    for await (const batch of consumer.batches()) {
      firsts.push(batch.firstOffset);
      await expect(consumer.commit([{ topic, partition: 7, offset: 1 }])).rejects.toMatchObject({
        code: 'NOT_ASSIGNED',
      });
      await batch.commit();
      break;
    }
    await using next = client.consumer(options);
    for await (const batch of next.batches()) {
      firsts.push(batch.firstOffset);
      break;
    }
    expect(firsts).toEqual([0, 4]);
  });

  it('commits by itself what the loop went past, and not what it left in the middle', async () => {
    const topic = await freshTopic(client, 'auto');
    await client.producer().sendBatch(
      topic,
      Array.from({ length: 9 }, (_, index) => ({ value: String(index), partition: 0 })),
    );
    const consumer = client.consumer({
      groupId: topic,
      topics: [topic],
      autoOffsetReset: 'earliest',
      autoCommitIntervalMs: 60_000,
      maxPollRecords: 3,
      ...SESSION,
    });
    let batches = 0;
    for await (const batch of consumer.batches()) {
      batches += 1;
      if (batch.lastOffset >= 5) break;
    }
    expect(batches).toBe(2);
    expect(await client.admin().fetchOffsets(topic)).toMatchObject([{ partition: 0, offset: 3 }]);
  });

  it('leaves when the loop does not come round in time, and comes back when it does', async () => {
    const topic = await freshTopic(client, 'slow');
    await client.producer().sendBatch(
      topic,
      Array.from({ length: 4 }, (_, index) => ({ value: String(index), partition: 0 })),
    );
    const events: string[] = [];
    const consumer = client.consumer({
      groupId: topic,
      topics: [topic],
      autoOffsetReset: 'earliest',
      maxPollIntervalMs: 600,
      maxPollRecords: 2,
      ...SESSION,
      onAssigned: () => void events.push('assigned'),
      onLost: () => void events.push('lost'),
    });
    const firsts: number[] = [];
    for await (const batch of consumer.batches()) {
      firsts.push(batch.firstOffset);
      if (firsts.length > 1) break;
      await until(
        'the batch is taken away',
        () => batch.signal.aborted,
        SETTLED_WITHIN_MS,
        () => events.join(),
      );
      await expect(batch.commit()).rejects.toMatchObject({ code: 'NOT_ASSIGNED' });
    }
    expect(events).toEqual(['assigned', 'lost', 'assigned']);
    expect(firsts).toEqual([0, 0]);
  });

  it('keeps its partitions over a restart as a static member', async () => {
    const topic = await freshTopic(client, 'static', { partitions: 2 });
    const options = { groupId: topic, topics: [topic], groupInstanceId: 'one', ...SESSION } as const;
    const start = async (): Promise<number | null> => {
      const consumer = client.consumer(options);
      const abort = new AbortController();
      const loop = (async () => {
        for await (const batch of consumer.batches({ signal: abort.signal })) await batch.commit();
      })();
      await until(
        'it is a member',
        () => consumer.assignment.length === 2,
        SETTLED_WITHIN_MS,
        () => consumer.health().state,
      );
      const { generation } = consumer.health();
      abort.abort();
      await loop;
      return generation;
    };
    const before = await start();
    expect(await start()).toBe(before);
  });

  it('F28: a member whose instance id is taken over fails, and is told that its partitions are lost', async () => {
    const topic = await freshTopic(client, 'fenced');
    await client.producer().sendBatch(topic, [{ value: 'a', partition: 0 }]);
    const options = { groupId: topic, topics: [topic], groupInstanceId: 'same', ...SESSION } as const;
    const lost: number[] = [];
    const first = client.consumer({ ...options, onLost: (partitions) => void lost.push(partitions.length) });
    const ended = first
      .batches()
      .next()
      .catch((error: unknown) => error);
    await until(
      'the first is a member',
      () => first.assignment.length === 1,
      SETTLED_WITHIN_MS,
      () => first.health().state,
    );
    const second = client.consumer({ ...options, autoOffsetReset: 'earliest' });
    const batch = await second.batches().next();
    expect(batch.value).toMatchObject({ firstOffset: 0 });
    expect(await ended).toMatchObject({ code: 'FENCED_INSTANCE_ID', retriable: false });
    expect(first.health()).toMatchObject({ state: 'failed', healthy: false });
    await until(
      'it is told',
      () => lost.length > 0,
      SETTLED_WITHIN_MS,
      () => first.health().state,
    );
    await second.close({ timeoutMs: 100 });
  });

  it('run() handles the records of a key in order, others beside them, and commits behind the lowest that is finished', async () => {
    const topic = await freshTopic(client, 'handled');
    const records = Array.from({ length: 300 }, (_, index) => ({
      key: `k${index % 10}`,
      value: String(index),
      partition: 0,
    }));
    await client.producer().sendBatch(topic, records);
    const consumer = client.consumer({
      groupId: topic,
      topics: [topic],
      autoOffsetReset: 'earliest',
      ...SESSION,
    });
    const byKey = new Map<string, number[]>();
    let atOnce = 0;
    let most = 0;
    let finished = 0;
    const abort = new AbortController();
    await consumer.run({
      signal: abort.signal,
      concurrency: { by: 'key', max: 4 },
      handler: async (record) => {
        atOnce += 1;
        most = Math.max(most, atOnce);
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
        const key = Buffer.from(record.key ?? []).toString();
        byKey.set(key, [...(byKey.get(key) ?? []), record.offset]);
        atOnce -= 1;
        finished += 1;
        if (finished === 300) abort.abort();
      },
    });
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(4);
    for (const offsets of byKey.values()) expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
    expect(await client.admin().fetchOffsets(topic)).toMatchObject([{ offset: 300 }]);
  });

  it('run() rejects with what the handler threw, and what was finished before it is committed', async () => {
    const topic = await freshTopic(client, 'fails');
    await client.producer().sendBatch(
      topic,
      Array.from({ length: 5 }, (_, index) => ({ value: String(index), partition: 0 })),
    );
    const consumer = client.consumer({
      groupId: topic,
      topics: [topic],
      autoOffsetReset: 'earliest',
      ...SESSION,
    });
    const run = consumer.run({
      handler: (record) => {
        if (record.offset === 3) throw new Error('cannot do this one');
      },
    });
    await expect(run).rejects.toThrow('cannot do this one');
    expect(await client.admin().fetchOffsets(topic)).toMatchObject([{ offset: 3 }]);
    expect(consumer.health().state).toBe('closed');
  });
});
