/** The coordinator of a group is killed in the middle of its work (F28). */
import { type Consumer, createClient, type KafkaClient } from '@seatlog/kafka-client';
import { pause, until } from '@seatlog/lab';
import { describe, expect, it } from 'vitest';
import { ThreeNodes, WITHIN_MS } from './three-nodes.ts';

const TOPIC = 'seats';
const GROUP = 'db-writer';
const OFFSETS_TOPIC = '__consumer_offsets';
const PARTITIONS = 3;
/** Acknowledged commits before each kill, and after it. */
const COMMITS = 40;
const BETWEEN_RECORDS_MS = 2;

/** Writes until it is stopped, to all partitions in turn. */
async function writeUntil(stopped: AbortSignal, client: KafkaClient): Promise<void> {
  await using producer = client.producer();
  for (let number = 0; !stopped.aborted; number += 1) {
    await producer.send({ topic: TOPIC, partition: number % PARTITIONS, value: String(number) });
    await pause(BETWEEN_RECORDS_MS);
  }
}

/** What its group acknowledged, by partition. */
class CommittingMember {
  readonly acknowledged = new Map<number, number>();
  readonly consumer: Consumer;
  commits = 0;

  constructor(client: KafkaClient) {
    this.consumer = client.consumer({
      groupId: GROUP,
      topics: [TOPIC],
      autoOffsetReset: 'earliest',
      sessionTimeoutMs: 20_000,
      heartbeatIntervalMs: 500,
      maxPollRecords: 5,
    });
  }

  async consumeUntil(signal: AbortSignal): Promise<void> {
    for await (const batch of this.consumer.batches({ signal })) {
      await batch.commit();
      this.acknowledged.set(batch.partition, batch.nextOffset);
      this.commits += 1;
    }
  }

  async untilCommits(more: number): Promise<void> {
    const target = this.commits + more;
    await until(`${more} more commits`, WITHIN_MS, () => (this.commits >= target ? true : null));
  }
}

/** What the group's coordinator says, whoever that is. */
async function committedOffsets(client: KafkaClient): Promise<ReadonlyMap<number, number>> {
  const admin = client.admin();
  const offsets = await until('the committed offsets', WITHIN_MS, () => admin.fetchOffsets(GROUP));
  return new Map(offsets.map(({ partition, offset }) => [partition, offset ?? -1]));
}

function expectNothingLost(
  committed: ReadonlyMap<number, number>,
  acknowledged: ReadonlyMap<number, number>,
): void {
  for (const [partition, offset] of acknowledged) {
    expect(committed.get(partition) ?? -1, `partition ${partition}`).toBeGreaterThanOrEqual(offset);
  }
}

describe('a group whose coordinator is killed', () => {
  it('F28: loses no acknowledged commit, and its member goes on in its generation', async () => {
    const nodes = await ThreeNodes.ofTest({
      properties: { 'offsets.topic.num.partitions': '1', 'group.initial.rebalance.delay.ms': '0' },
    });
    const brokers = nodes.cluster.bootstrap;
    await using client = createClient({ brokers, clientId: 'f28', requestTimeoutMs: 5_000 });
    await client.admin().createTopics([{ name: TOPIC, partitions: PARTITIONS, replicationFactor: 3 }]);
    const stopping = new AbortController();
    const writing = writeUntil(stopping.signal, client);
    const member = new CommittingMember(client);
    const consuming = member.consumeUntil(stopping.signal);

    await member.untilCommits(COMMITS);
    const { memberId, generation } = member.consumer.health();
    for (const round of [1, 2]) {
      await nodes.untilWhole(OFFSETS_TOPIC, 0);
      const epoch = await nodes.epochOf(OFFSETS_TOPIC, 0);
      const coordinator = await nodes.leaderOf(OFFSETS_TOPIC, 0);
      await member.untilCommits(COMMITS);
      coordinator.process.kill('SIGKILL');
      const acknowledged = new Map(member.acknowledged);
      expect(acknowledged.size, `round ${round}`).toBe(PARTITIONS);
      const next = await nodes.leaderOf(OFFSETS_TOPIC, 0, epoch);
      expect(next.nodeId).not.toBe(coordinator.nodeId);
      expectNothingLost(await committedOffsets(client), acknowledged);
      await member.untilCommits(COMMITS);
      expect(member.consumer.health()).toMatchObject({ memberId, generation });
      await coordinator.process.restart();
    }

    stopping.abort();
    await Promise.all([writing, consuming]);
    expect(await committedOffsets(client)).toEqual(member.acknowledged);
  });
});
