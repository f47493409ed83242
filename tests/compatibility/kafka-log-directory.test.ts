/**
 * The log directory of a node of Apache Kafka 4.4.0 (metadata.version 29, stopped in order; docs/compatibility.md tells how it
 * came about) under Seatlog's broker: records, log starts, epochs, producers and offsets are what Kafka left there.
 *
 * Kafka allocates the indexes of its metadata log in advance, which would be 20 MB: they are made here.
 */
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@seatlog/kafka-client';
import { apis } from '@seatlog/kafka-protocol';
import { type BrokerServer, startBroker } from '@seatlog/local-stack';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { batchOf } from './transcripts/records.ts';
import { Session } from './transcripts/session.ts';

const LEFT_BY_KAFKA = join(import.meta.dirname, 'kafka-log-directory');
const CLUSTER_ID = 'wlRg8jBZQhqo0Y-qbWmJZA';
const ALLOCATED_BYTES = 10_485_760;
const CODECS = ['none', 'gzip', 'snappy', 'lz4', 'zstd'];
const ROUNDS = ['1', '2'];
const RECORDS_OF_PRODUCER = 20;
/** The timestamp that asks for the end. */
const END = -1;

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(`${tmpdir()}/seatlog-kafka-directory-`);
  const logs = join(directory, 'logs');
  cpSync(LEFT_BY_KAFKA, logs, { recursive: true });
  for (const extension of ['index', 'timeindex']) {
    const file = join(logs, '__cluster_metadata-0', `00000000000000000000.${extension}`);
    writeFileSync(file, '');
    truncateSync(file, ALLOCATED_BYTES);
  }
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

function start(): Promise<BrokerServer> {
  return startBroker({
    dataDirectory: directory,
    clusterId: CLUSTER_ID,
    properties: { 'log.dirs': join(directory, 'logs'), 'offsets.topic.replication.factor': '1' },
  });
}

/** What the ten producers wrote: those of one round by one codec after another. */
const written = ROUNDS.flatMap((round) =>
  CODECS.flatMap((codec) =>
    Array.from({ length: RECORDS_OF_PRODUCER }, (_, index) =>
      [`seat-${index}`, `${round}-${codec}-${index}-`.padEnd(40, 'x'), round].join(' '),
    ),
  ),
);

async function readAll(address: string, partition: number, count: number): Promise<readonly string[]> {
  await using client = createClient({ brokers: address, clientId: 'reader' });
  await using consumer = client.consumer();
  consumer.assign([{ topic: 'seats', partition, offset: 'earliest' }]);
  const read: string[] = [];
  for await (const batch of consumer.batches()) {
    for (const { key, value, headers } of batch.records) {
      read.push([key, value, headers[0]?.value].map((bytes) => (bytes ?? '').toString()).join(' '));
    }
    if (read.length >= count) break;
  }
  return read;
}

/** The offset that the broker gives the first producer's batch when that sends it once more. */
async function sentAgain(session: Session): Promise<unknown> {
  const described = await session.exchange(apis.describeProducers, 0, {
    topics: [{ name: 'seats', partitionIndexes: [0] }],
  });
  const producers = described?.topics[0]?.partitions[0]?.activeProducers ?? [];
  expect(producers.map(({ lastSequence }) => lastSequence)).toEqual(
    Array.from({ length: ROUNDS.length * CODECS.length }, () => RECORDS_OF_PRODUCER - 1),
  );
  const producerId = Math.min(...producers.map((each) => each.producerId));
  const records = batchOf({
    count: RECORDS_OF_PRODUCER,
    timestamp: session.base,
    producerId,
    producerEpoch: 0,
    baseSequence: 0,
  });
  const answer = await session.exchange(apis.produce, 9, {
    acks: -1,
    timeoutMs: 30_000,
    topicData: [{ name: 'seats', partitionData: [{ index: 0, records }] }],
  });
  return answer?.responses[0]?.partitionResponses[0]?.baseOffset;
}

async function committed(session: Session): Promise<unknown> {
  await session.askUntil(
    'the coordinator',
    apis.findCoordinator,
    3,
    { key: 'sellers', keyType: 0 },
    ({ errorCode }) => errorCode === 0,
  );
  const { topics } = await session.askUntil(
    'offsets',
    apis.offsetFetch,
    7,
    { groupId: 'sellers', topics: null },
    ({ errorCode }) => errorCode === 0,
  );
  const partitions = topics[0]?.partitions.map((each) => [each.partitionIndex, each.committedOffset]) ?? [];
  return Object.fromEntries(partitions);
}

async function listed(session: Session, timestamp: number): Promise<unknown> {
  const { topics } = await session.askUntil(
    `the offset of ${timestamp}`,
    apis.listOffsets,
    7,
    {
      replicaId: -1,
      isolationLevel: 0,
      topics: [{ name: 'seats', partitions: [{ partitionIndex: 0, timestamp }] }],
    },
    (answer) => answer.topics[0]?.partitions[0]?.errorCode === 0,
  );
  return topics[0]?.partitions[0];
}

async function holdsAll(broker: BrokerServer): Promise<void> {
  await using session = new Session(broker.address);
  expect(await readAll(broker.address, 0, written.length)).toEqual(written);
  const rest = await readAll(broker.address, 1, 6);
  expect(rest.map((text) => text.trim())).toEqual(['one-4', 'one-5', 'one-6', 'one-7', 'one-8', 'one-9']);
  expect(await committed(session)).toEqual({ 0: 37, 1: 9 });
  const epochs = await session.exchange(apis.offsetForLeaderEpoch, 4, {
    replicaId: -1,
    topics: [{ topic: 'seats', partitions: [{ partition: 0, currentLeaderEpoch: -1, leaderEpoch: 0 }] }],
  });
  expect(epochs?.topics[0]?.partitions[0]).toMatchObject({ leaderEpoch: 0, endOffset: 100 });
  expect(await sentAgain(session)).toBe(0);
  expect(await listed(session, END)).toMatchObject({ offset: written.length });
  expect(await listed(session, 4_100_000_200_005)).toMatchObject({ offset: 105, leaderEpoch: 2 });
}

describe('a log directory that Apache Kafka wrote', () => {
  it('K4, K8: is taken over as Kafka left it', async () => {
    await using broker = await start();
    await holdsAll(broker);
  });

  it('K8: is recovered where Kafka did not stop in order, and its last write was torn', async () => {
    const logs = join(directory, 'logs');
    rmSync(join(logs, '.kafka_cleanshutdown'));
    writeFileSync(join(logs, 'recovery-point-offset-checkpoint'), '0\n0\n');
    const segment = join(logs, 'seats-0', '00000000000000000100.log');
    const batch = readFileSync(segment).subarray(0, 200);
    appendFileSync(segment, batch);
    for (const extension of ['index', 'timeindex']) {
      truncateSync(join(logs, 'seats-0', `00000000000000000100.${extension}`), 4096);
    }
    await using broker = await start();
    await holdsAll(broker);
  });
});
