/** One node's disk fails a sync: of a partition that it leads, and of the metadata log of the active controller (F8). */
import { dirname, join } from 'node:path';
import { createClient } from '@seatlog/kafka-client';
import { dumpLog, until } from '@seatlog/lab';
import type { ClusterNode } from '@seatlog/local-stack';
import { describe, expect, it } from 'vitest';
import { AckedJournal } from '../faults/storage/acked-journal.ts';
import { missing, tracing } from '../faults/storage/fault-tools.ts';
import { attach } from '../faults/storage/tracer.ts';
import { ThreeNodes, WITHIN_MS } from './three-nodes.ts';

const TOPIC = 'seats';
const ACTIVE_SEGMENT = `${'0'.repeat(20)}.log`;
const FAILS = { call: 'fdatasync', effect: 'error=EIO' } as const;

const offsetsOn = (node: ClusterNode): readonly number[] =>
  dumpLog(node.partitionFolder(TOPIC, 0)).flatMap(({ records }) => records.map(({ offset }) => offset));

const controllerOf = async (node: ClusterNode): Promise<number> => (await node.state()).broker.controllerId;

describe.skipIf(missing(tracing, 'F8 in a cluster'))('F8: a failed sync in a cluster of three', () => {
  it('moves the leadership of a partition, or that of the quorum; nothing acknowledged is lost', async () => {
    const nodes = await ThreeNodes.ofTest({
      properties: { 'default.replication.factor': '3', 'min.insync.replicas': '2' },
    });
    const { cluster } = nodes;
    await using client = createClient({ brokers: cluster.bootstrap, clientId: 'f8' });
    // Each record is on the disk before it is acknowledged.
    const configs = { 'flush.messages': '1' };
    await client.admin().createTopics([{ name: TOPIC, replicaAssignment: [[1, 2, 3]], configs }]);
    const journal = new AckedJournal(client, TOPIC);
    expect(await journal.write(5)).toBe(true);

    const [one, two] = [cluster.node(1), cluster.node(2)];
    const processOf = (node: ClusterNode) => ({ pid: node.process.pid, folder: dirname(node.logDirectory) });
    const tracer = await attach(processOf(one), join(one.partitionFolder(TOPIC, 0), ACTIVE_SEGMENT), FAILS);
    expect(await journal.write(10)).toBe(true);
    expect(tracer.calls()).toEqual([expect.stringContaining('EIO')]);
    expect(await nodes.partition(TOPIC, 0)).toMatchObject({ leader: 2, isr: [2, 3] });
    expect(one.process.running).toBe(true);
    await tracer.detach();
    await nodes.kill(one);
    await one.process.restart();
    await nodes.untilWhole(TOPIC, 0);
    expect(offsetsOn(one)).toEqual(offsetsOn(two));

    const before = cluster.node(await controllerOf(two));
    const metadataLog = join(before.logDirectory, '__cluster_metadata-0', ACTIVE_SEGMENT);
    // The tracer ends with the process.
    await attach(processOf(before), metadataLog, FAILS);
    await client.admin().createTopics([{ name: 'others', partitions: 1 }]);
    expect(await before.process.exited).toMatchObject({ code: 1 });
    const rest = cluster.nodes.filter((node) => node !== before);
    await until('another controller', WITHIN_MS, async () => {
      const ids = new Set(await Promise.all(rest.map(controllerOf)));
      return ids.size === 1 && !ids.has(before.nodeId) && !ids.has(-1) ? true : null;
    });
    expect(await journal.write(5)).toBe(true);
    await before.process.restart();
    await nodes.untilWhole(TOPIC, 0);
    await nodes.untilWhole('others', 0);
    expect(await journal.complaints()).toEqual([]);
  });
});
