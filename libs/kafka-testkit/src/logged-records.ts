/** What lies in a topic's log, read from the broker itself rather than by the wire, so that no hook stands in between. */
import type { RunningBroker } from '@seatlog/broker/embedded';
import { batchesIn, batchIsControl, batchProducerId, decodeRecords } from '@seatlog/kafka-protocol';

export interface LoggedHeader {
  readonly key: string;
  readonly value: string | null;
}

export interface LoggedRecord {
  readonly partition: number;
  readonly offset: number;
  readonly timestamp: number;
  /** As UTF-8 text. */
  readonly key: string | null;
  readonly value: string | null;
  readonly headers: readonly LoggedHeader[];
  readonly keyBytes: Uint8Array | null;
  readonly valueBytes: Uint8Array | null;
  /** -1 when the producer was not idempotent. */
  readonly producerId: number;
}

type Replicas = RunningBroker['services']['replicas'];
type Partition = NonNullable<ReturnType<Replicas['partition']>>;

const READ_BYTES = 1_048_576;
const utf8 = new TextDecoder();

export function loggedRecords(replicas: Replicas, topic: string): LoggedRecord[] {
  const partitions = [...replicas.partitions()].filter((partition) => partition.topic === topic);
  if (partitions.length === 0) throw new Error(`there is no topic ${topic}`);
  return partitions.sort((one, other) => one.index - other.index).flatMap(recordsOf);
}

function recordsOf(partition: Partition): LoggedRecord[] {
  const records: LoggedRecord[] = [];
  let offset = partition.logStartOffset;
  while (offset < partition.logEndOffset) {
    const read = partition.read(offset, { maxBytes: READ_BYTES, bound: 'log-end' });
    for (const chunk of read.records) {
      // The log may use its memory again: records are views on a copy of their own.
      for (const batch of batchesIn(new Uint8Array(chunk))) records.push(...recordsIn(partition, batch));
    }
    read.release();
    if (read.nextOffset <= offset) break;
    offset = read.nextOffset;
  }
  return records.filter((record) => record.offset >= partition.logStartOffset);
}

function recordsIn(partition: Partition, batch: Uint8Array): LoggedRecord[] {
  if (batchIsControl(batch, 0)) return [];
  return decodeRecords(batch).map(({ offset, timestamp, key, value, headers }) => ({
    partition: partition.index,
    offset,
    timestamp,
    key: textOf(key),
    value: textOf(value),
    headers: headers.map((header) => ({ key: header.key, value: textOf(header.value) })),
    keyBytes: key,
    valueBytes: value,
    producerId: batchProducerId(batch, 0),
  }));
}

function textOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : utf8.decode(bytes);
}
