/** One broker's disk fills up: the others lead, nothing acknowledged is lost, and it comes back once there is room (F7). */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Producer } from '@seatlog/kafka-client';
import { dumpLog, until } from '@seatlog/lab';
import {
  type ClusterNode,
  combinedNodes,
  type PartitionState,
  separateNodes,
  startCluster,
} from '@seatlog/local-stack';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tellLastWords } from '../last-words.ts';
import { missing, mountedMemory } from '../faults/storage/fault-tools.ts';

const TOPIC = 'seats';
const WITHIN_MS = 60_000;
const DISK = '16m';
const BALLAST_BYTES = 6 * 1024 * 1024;
const FILLER = 'x'.repeat(100_000);
/** More than the disk holds. */
const RECORDS = 140;

const partitionOf = async (node: ClusterNode): Promise<PartitionState | null> =>
  (await node.state()).partitions.find(({ topic }) => topic === TOPIC) ?? null;

async function write(producer: Producer, from: number, to: number): Promise<void> {
  for (let number = from; number < to; number += 1) {
    await producer.send({ topic: TOPIC, partition: 0, value: `${number} ${FILLER}` });
  }
}

/** The numbers of the records in a replica's files. */
const numbersOn = (node: ClusterNode): readonly number[] =>
  dumpLog(node.partitionFolder(TOPIC, 0)).flatMap(({ records }) =>
    records.map(({ value }) => Number(value?.split(' ', 1)[0])),
  );

describe.skipIf(missing(mountedMemory, 'F7 in a cluster'))('a full disk in a cluster of three', () => {
  it.each([
    ['of a broker', separateNodes({ controllers: [100], brokers: [1, 2, 3] })],
    ['of a broker that is a controller too', combinedNodes(3)],
  ] as const)(
    'F7: %s: leadership moves, acks go on, and the replica is in sync again once there is room',
    async (_, nodes) => {
      const folder = mkdtempSync(join(tmpdir(), 'seatlog-full-'));
      const disk = join(folder, 'broker-1');
      mkdirSync(disk);
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', disk]);
      onTestFinished(() => {
        execFileSync('umount', ['-l', disk]);
        rmSync(folder, { recursive: true, force: true });
      });
      writeFileSync(join(disk, 'ballast'), new Uint8Array(BALLAST_BYTES));
      const cluster = await startCluster({
        dataDirectory: folder,
        nodes,
      });
      onTestFinished(() => cluster.stop());
      tellLastWords(() => cluster.nodes.map(({ process }) => process));
      const [one, two] = [cluster.node(1), cluster.node(2)];
      await using client = createClient({ brokers: cluster.bootstrap, clientId: 'f7' });
      await client.admin().createTopics([{ name: TOPIC, replicaAssignment: [[1, 2, 3]] }]);
      await using producer = client.producer();

      await write(producer, 0, RECORDS);
      const meanwhile = await partitionOf(two);
      expect(meanwhile).toMatchObject({ leader: 2, isr: [2, 3], highWatermark: RECORDS });
      expect(one.said()).toContain('A replica takes no more appends');
      await expect.poll(async () => (await partitionOf(one))?.leader).toBe(2);

      rmSync(join(disk, 'ballast'));
      await write(producer, RECORDS, RECORDS + 1);
      await until('broker 1 in sync again', WITHIN_MS, async () =>
        (await partitionOf(two))?.isr.includes(1) === true ? true : null,
      );
      expect(numbersOn(one)).toEqual(numbersOn(two));
      expect(new Set(numbersOn(two)).size).toBe(RECORDS + 1);
      expect(one.process.running).toBe(true);
    },
  );
});
