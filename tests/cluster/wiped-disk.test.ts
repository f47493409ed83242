/** A broker comes back with an empty disk while its partition waits for a leader (F24). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@seatlog/kafka-client';
import { dumpLog, until } from '@seatlog/lab';
import {
  type Cluster,
  type ClusterNode,
  type PartitionState,
  separateNodes,
  startCluster,
} from '@seatlog/local-stack';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tellLastWords } from '../last-words.ts';

const TOPIC = 'seats';
const RECORDS = 20;
const WITHIN_MS = 60_000;
const SESSION_MS = 3_000;

async function stateOf(node: ClusterNode): Promise<PartitionState | null> {
  const { partitions } = await node.state();
  return partitions.find(({ topic }) => topic === TOPIC) ?? null;
}

/** As that node sees it. */
async function untilState(
  node: ClusterNode,
  what: string,
  holds: (state: PartitionState) => boolean,
): Promise<PartitionState> {
  return until(what, WITHIN_MS, async () => {
    const state = await stateOf(node);
    return state !== null && holds(state) ? state : null;
  });
}

async function writeRecords(cluster: Cluster): Promise<void> {
  await using client = createClient({ brokers: cluster.bootstrap, clientId: 'f24' });
  const configs = { 'min.insync.replicas': '3' };
  await client.admin().createTopics([{ name: TOPIC, replicaAssignment: [[1, 2, 3]], configs }]);
  await using producer = client.producer();
  for (let number = 0; number < RECORDS; number += 1) {
    await producer.send({ topic: TOPIC, partition: 0, value: `record-${number}` });
  }
}

const sorted = (ids: readonly number[] | undefined): number[] => (ids ?? []).toSorted((a, b) => a - b);

describe('a broker whose disk was wiped while it was down', () => {
  it('F24: is no leader on what it held, and fetches it again from who has it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'seatlog-wiped-'));
    const cluster = await startCluster({
      dataDirectory: folder,
      nodes: separateNodes({ controllers: [100], brokers: [1, 2, 3] }),
      properties: {
        'broker.session.timeout.ms': String(SESSION_MS),
        'broker.heartbeat.interval.ms': String(SESSION_MS / 6),
      },
    });
    onTestFinished(async () => {
      await cluster.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    tellLastWords(() => cluster.nodes.map(({ process }) => process));
    await writeRecords(cluster);
    const [one, two, three] = [cluster.node(1), cluster.node(2), cluster.node(3)];
    await one.process.stop();
    await untilState(three, 'broker 1 stays eligible', ({ elr }) => elr?.includes(1) === true);
    await two.process.stop();
    await untilState(three, 'broker 2 stays eligible', ({ elr }) => sorted(elr).join() === '1,2');
    await three.process.stop();

    rmSync(one.logDirectory, { recursive: true });
    await one.process.restart();
    const alone = await untilState(
      one,
      'broker 1 has caught up with the metadata',
      ({ leader, elr }) => leader < 0 && sorted(elr).join() === '2,3',
    );
    expect(alone.logEndOffset).toBe(0);

    await two.process.restart();
    const led = await untilState(two, 'broker 2 leads', ({ leader }) => leader >= 0);
    expect(led.leader).toBe(2);
    await untilState(two, 'broker 1 is in sync again', ({ isr }) => isr.includes(1));
    const values = dumpLog(one.partitionFolder(TOPIC, 0)).flatMap(({ records }) =>
      records.map(({ value }) => value),
    );
    expect(values).toEqual(Array.from({ length: RECORDS }, (_, number) => `record-${number}`));
    expect(two.said()).not.toContain('Unclean leader election');
  });
});
