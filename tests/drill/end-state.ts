/** When all is whole and nobody writes: read everything, compare what lies on the disks, see that the group has read it all. */
import { createClient, type KafkaClient } from '@seatlog/kafka-client';
import type { HistoryRecorder } from '@seatlog/history';
import { logBytes, until } from '@seatlog/lab';
import { type DrillCluster, TOPIC } from './drill-cluster.ts';
import { GROUP, nameOf, type Readers, recordsOf } from './readers.ts';

const READ_WITHIN_MS = 120_000;
const SAME_WITHIN_MS = 30_000;

export interface EndState {
  readonly complaints: readonly string[];
  readonly read: number;
}

export async function judgeEndState(
  cluster: DrillCluster,
  readers: Readers,
  recorder: HistoryRecorder,
  partitions: number,
): Promise<EndState> {
  const client = createClient({ brokers: cluster.cluster.bootstrap, clientId: 'drill-final-reader' });
  try {
    const all = Array.from({ length: partitions }, (_, partition) => ({ topic: TOPIC, partition }));
    const ends = await client.admin().listOffsets(all, 'latest');
    const end = new Map(ends.map(({ partition, offset }) => [partition, offset ?? 0]));
    const read = await readAll(client, recorder, end);
    const complaints = [
      ...(await groupLag(client, readers, end)),
      ...(await differingLogs(cluster, partitions)),
    ];
    return { complaints, read };
  } finally {
    await client.close();
  }
}

async function readAll(
  client: KafkaClient,
  recorder: HistoryRecorder,
  end: ReadonlyMap<number, number>,
): Promise<number> {
  const open = new Map([...end].filter(([, offset]) => offset > 0));
  if (open.size === 0) return 0;
  let read = 0;
  const consumer = client.consumer();
  consumer.assign([...open.keys()].map((partition) => ({ topic: TOPIC, partition, offset: 0 })));
  try {
    for await (const batch of consumer.batches({ signal: AbortSignal.timeout(READ_WITHIN_MS) })) {
      recorder.polled('final-reader', nameOf(batch), recordsOf(batch));
      read += batch.records.length;
      if (batch.nextOffset >= (open.get(batch.partition) ?? 0)) open.delete(batch.partition);
      if (open.size === 0) break;
    }
  } finally {
    await consumer.close();
  }
  if (open.size > 0)
    throw new Error(`partitions ${[...open.keys()].join(', ')} could not be read to their ends`);
  return read;
}

/** F28: the group reads all, and what was committed is what the coordinator says. */
async function groupLag(
  client: KafkaClient,
  readers: Readers,
  end: ReadonlyMap<number, number>,
): Promise<readonly string[]> {
  const behind = async (): Promise<readonly string[]> => {
    const offsets = await client.admin().fetchOffsets(GROUP);
    const committed = new Map(offsets.map(({ partition, offset }) => [partition, offset ?? 0]));
    return [...end].flatMap(([partition, offset]) => {
      const told = committed.get(partition) ?? 0;
      if (told < (readers.committed.get(partition) ?? 0))
        return [`the group's offset of ${TOPIC}-${partition} is ${told}, behind what was acknowledged`];
      return told < offset ? [`the group has read ${TOPIC}-${partition} up to ${told} of ${offset}`] : [];
    });
  };
  return until('the group at the end', READ_WITHIN_MS, async () =>
    (await behind()).length === 0 ? [] : null,
  ).catch(behind);
}

/** R3: all replicas hold the same bytes. */
async function differingLogs(cluster: DrillCluster, partitions: number): Promise<readonly string[]> {
  const differing = (): readonly string[] =>
    Array.from({ length: partitions }, (_, partition) => partition).flatMap((partition) => {
      const [first, ...others] = cluster.nodes.map((node) =>
        logBytes(node.partitionFolder(TOPIC, partition)),
      );
      const isSame = first !== undefined && others.every((bytes) => bytes.equals(first));
      return isSame ? [] : [`the replicas of ${TOPIC}-${partition} differ`];
    });
  return until('equal replicas', SAME_WITHIN_MS, () => (differing().length === 0 ? [] : null)).catch(
    differing,
  );
}
