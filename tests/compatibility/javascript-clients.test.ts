/** Clients that other people wrote, as they come from npm, each in a process of its own, against one broker. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type BrokerServer, startBroker } from '@seatlog/local-stack';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { tellLastWords } from '../last-words.ts';
import { keyOf, type StoryArguments, type StoryOutcome, tellStory, valueOf } from './story.ts';

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

beforeEach(() => tellLastWords(() => [broker.process]));

/** What must be true of the outcome, whichever client tells it. */
function checkOutcome({ consumed, committed, ends }: StoryOutcome): void {
  const sent = Array.from({ length: RECORDS }, (_, index) => `${keyOf(index)}=${valueOf(index)}`);
  const places = consumed.map((line) => line.split(':'));
  expect(places.map(([, , record = '']) => record).sort()).toEqual(sent.sort());

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

const clients = [
  { name: 'kafkajs 2.2.4', script: 'kafkajs.ts', other: 'platformatic.ts', codecs: ['gzip'] },
  {
    name: '@platformatic/kafka 2.12.1',
    script: 'platformatic.ts',
    other: 'kafkajs.ts',
    codecs: ['gzip', 'snappy', 'lz4', 'zstd'],
  },
] as const;

describe.each(clients)('$name', ({ script, other, codecs }) => {
  const story = (what: string): StoryArguments => {
    const topic = `${script.replace('.ts', '')}-${what}`;
    return {
      brokers: broker.address,
      topic,
      group: `${topic}-group`,
      partitions: PARTITIONS,
      records: RECORDS,
    };
  };

  it('K13: creates a topic, produces, consumes in a group and finds its commits', async () => {
    checkOutcome(await tellStory(script, story('plain')));
  });

  it('K15: produces idempotently', async () => {
    checkOutcome(await tellStory(script, { ...story('idempotent'), idempotent: true }));
  });

  it.each(codecs)('K14: writes and reads %s', async (compression) => {
    checkOutcome(await tellStory(script, { ...story(compression), compression }));
  });

  it('K1: is understood by the other client, in a group of its own', async () => {
    const written = story('read-by-other');
    await tellStory(script, { ...written, compression: 'gzip' });
    checkOutcome(await tellStory(other, { ...written, group: `${written.topic}-other`, onlyConsume: true }));
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
