/** Topics to measure on, and what one asks about them. */
import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import { RawClient } from './raw-client.ts';

const CREATE_VERSION = 4;
const DELETE_VERSION = 3;
const LIST_OFFSETS_VERSION = 1;
const LATEST = -1;

let topics = 0;

export async function createTopic(port: number, numPartitions = 1): Promise<string> {
  topics += 1;
  const name = `bench-${String(topics).padStart(6, '0')}`;
  const topic = { name, numPartitions, replicationFactor: 1, assignments: [], configs: [] };
  const response = await asked(port, (client) =>
    client.ask(apis.createTopics, CREATE_VERSION, {
      topics: [topic],
      timeoutMs: 10_000,
      validateOnly: false,
    }),
  );
  const errorCode = response.topics[0]?.errorCode;
  if (errorCode !== ErrorCode.NONE) throw new Error(`topic ${name} was refused with error ${errorCode}`);
  return name;
}

export async function deleteTopic(port: number, name: string): Promise<void> {
  await asked(port, (client) =>
    client.ask(apis.deleteTopics, DELETE_VERSION, { topicNames: [name], timeoutMs: 10_000 }),
  );
}

export async function endOffset(port: number, topic: string): Promise<number> {
  const partitions = [{ partitionIndex: 0, timestamp: LATEST }];
  const response = await asked(port, (client) =>
    client.ask(apis.listOffsets, LIST_OFFSETS_VERSION, {
      replicaId: -1,
      topics: [{ name: topic, partitions }],
    }),
  );
  return response.topics[0]?.partitions[0]?.offset ?? -1;
}

async function asked<Answer>(
  port: number,
  question: (client: RawClient) => Promise<Answer>,
): Promise<Answer> {
  const client = await RawClient.open(port);
  try {
    return await question(client);
  } finally {
    client.close();
  }
}

/** Waits until the broker has freed the files of deleted topics: that work is not of the next measurement. */
export async function untilGone(logDirectory: string): Promise<void> {
  const end = performance.now() + 30_000;
  while (readdirSync(logDirectory).some((name) => name.endsWith('-delete'))) {
    if (performance.now() > end) throw new Error('a deleted topic is still on disk');
    await delay(20);
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}
