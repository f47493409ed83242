/** What the broker's log holds: every record of the ticketing topics, from the first that is left to the end of now. */
import { refundEvents, reservationDeadLetters, reservationEvents } from '@seatlog/booking';
import type { Admin, Codec, KafkaClient } from '@seatlog/kafka-client';
import type { Logged, LogFacts } from '../audit/facts.ts';

/** A log of this size is read in seconds; if it takes longer, the broker does not answer. */
const READ_DEADLINE_MS = 60_000;

interface Extent {
  readonly partition: number;
  readonly first: number;
  /** The next offset to be written. */
  readonly end: number;
}

export async function collectLog(client: KafkaClient): Promise<LogFacts> {
  const admin = client.admin();
  try {
    const extents = await extentsOf(admin, reservationEvents.name);
    const read = async (topic: string): Promise<readonly Logged<Uint8Array | null>[]> =>
      readAll(client, topic, topic === reservationEvents.name ? extents : await extentsOf(admin, topic));
    return {
      reservationEvents: decoded(await read(reservationEvents.name), reservationEvents.value),
      refundEvents: decoded(await read(refundEvents.name), refundEvents.value),
      deadLetters: await read(reservationDeadLetters.name),
      firstOffsets: new Map(extents.map(({ partition, first }) => [partition, first] as const)),
    };
  } finally {
    await admin.close();
  }
}

/** What cannot be decoded is left out: the worker puts it among the dead letters, which are reported. */
function decoded<V>(
  records: readonly Logged<Uint8Array | null>[],
  codec: Codec<never, V>,
): readonly Logged<V>[] {
  return records.flatMap(({ partition, offset, value }) => {
    try {
      return [{ partition, offset, value: codec.decode(value) }];
    } catch {
      return [];
    }
  });
}

export async function extentsOf(admin: Admin, topic: string): Promise<readonly Extent[]> {
  const [description] = await admin.describeTopics([topic]);
  const partitions = (description?.partitions ?? []).map(({ partition }) => ({ topic, partition }));
  const [first, end] = await Promise.all([
    admin.listOffsets(partitions, 'earliest'),
    admin.listOffsets(partitions, 'latest'),
  ]);
  const offsetIn = (offsets: typeof first, partition: number): number =>
    offsets.find((one) => one.partition === partition)?.offset ?? 0;
  return partitions.map(({ partition }) => ({
    partition,
    first: offsetIn(first, partition),
    end: offsetIn(end, partition),
  }));
}

async function readAll(
  client: KafkaClient,
  topic: string,
  extents: readonly Extent[],
): Promise<readonly Logged<Uint8Array | null>[]> {
  const left = new Map(
    extents.filter(({ first, end }) => end > first).map(({ partition, end }) => [partition, end] as const),
  );
  const records: Logged<Uint8Array | null>[] = [];
  if (left.size === 0) return records;
  const consumer = client.consumer();
  consumer.assign(
    extents
      .filter(({ partition }) => left.has(partition))
      .map(({ partition, first }) => ({ topic, partition, offset: first })),
  );
  const tooLong = AbortSignal.timeout(READ_DEADLINE_MS);
  try {
    for await (const batch of consumer.batches({ signal: tooLong })) {
      const end = left.get(batch.partition) ?? 0;
      for (const { partition, offset, value } of batch.records) {
        if (offset < end) records.push({ partition, offset, value });
      }
      if (batch.nextOffset >= end) left.delete(batch.partition);
      if (left.size === 0) return records;
    }
  } finally {
    await consumer.close();
  }
  const open = [...left.keys()].join(', ');
  throw new Error(`${topic} was not read to its end within ${READ_DEADLINE_MS} ms; partitions left: ${open}`);
}
