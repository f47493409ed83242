/** Clients that other people wrote, as they come from npm, each in a process of its own, against one broker. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type BrokerServer, startBroker } from '@seatlog/local-stack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyOf, type StoryOutcome, tellStory, valueOf } from './story.ts';

const RECORDS = 300;
const PARTITIONS = 3;

let directory: string;
let broker: BrokerServer;

beforeAll(async () => {
  directory = mkdtempSync(`${tmpdir()}/seatlog-compatibility-`);
  broker = await startBroker({ dataDirectory: directory });
});

afterAll(async () => {
  await broker?.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** What must be true of the outcome, whichever client tells it. */
function checkOutcome({ consumed, committed, ends }: StoryOutcome): void {
  const sent = Array.from({ length: RECORDS }, (_, index) => `${keyOf(index)}=${valueOf(index)}`);
  const places = consumed.map((line) => line.split(':'));
  expect(places.map(([, , record]) => record).sort()).toEqual(sent.sort());

  const partitionsOf = new Map<string, Set<string>>();
  const offsetsOf = new Map<string, number[]>();
  for (const [partition = '', offset = '', record = ''] of places) {
    const key = record.split('=')[0] ?? '';
    partitionsOf.set(key, (partitionsOf.get(key) ?? new Set()).add(partition));
    offsetsOf.set(partition, [...(offsetsOf.get(partition) ?? []), Number(offset)]);
  }
  for (const partitions of partitionsOf.values()) expect(partitions.size).toBe(1);
  for (const [partition, offsets] of offsetsOf) {
    const inOrder = offsets.sort((left, right) => left - right);
    expect(inOrder).toEqual(inOrder.map((_, place) => place));
    expect(ends[partition]).toBe(inOrder.length);
    expect(committed[partition]).toBe(inOrder.length);
  }
}

describe.each([
  ['kafkajs 2.2.4', 'kafkajs.ts'],
  ['@platformatic/kafka 2.12.1', 'platformatic.ts'],
])('%s', (name, script) => {
  it('K13: creates a topic, produces, consumes in a group and finds its commits', async () => {
    const outcome = await tellStory(script, {
      brokers: broker.address,
      topic: `story-of-${script.replace('.ts', '')}`,
      group: `group-of-${name.replaceAll(/[^a-z0-9]/g, '-')}`,
      partitions: PARTITIONS,
      records: RECORDS,
    });
    checkOutcome(outcome);
  });
});

it('K11: committed offsets outlive the broker', async () => {
  const story = { topic: 'outlives', group: 'outlives', partitions: PARTITIONS, records: RECORDS };
  const before = await tellStory('kafkajs.ts', { ...story, brokers: broker.address });
  await broker.stop();
  broker = await startBroker({ dataDirectory: directory });
  const after = await tellStory('committed-offsets.ts', { ...story, brokers: broker.address });
  expect(after.committed).toEqual(before.committed);
  expect(after.ends).toEqual(before.ends);
});
