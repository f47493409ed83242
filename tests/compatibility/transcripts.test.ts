/**
 * The same requests as they were sent to Apache Kafka 4.4.0, in every version and with most of what can be wrong with them,
 * and the answers that came then (transcripts/recorded). What differs is one of the known differences, and each of those is
 * still one. With `BROKERS` the answers are those brokers': Apache Kafka has no differences to itself.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type BrokerServer, startBroker } from '@seatlog/local-stack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { knownDifferences } from './transcripts/known-differences.ts';
import { readRecording } from './transcripts/recording.ts';
import { scenarios } from './transcripts/scenarios/index.ts';
import { Session } from './transcripts/session.ts';

const GIVEN = process.env['BROKERS'] ?? '';
/** Those that `transcripts/record.ts` asks for, where the defaults are others. */
const PROPERTIES = {
  'node.id': '1',
  'group.initial.rebalance.delay.ms': '0',
  'offsets.topic.num.partitions': '8',
  'offsets.topic.replication.factor': '1',
};

let directory: string;
let broker: BrokerServer | null = null;

beforeAll(async () => {
  if (GIVEN !== '') return;
  directory = mkdtempSync(`${tmpdir()}/seatlog-transcripts-`);
  broker = await startBroker({ dataDirectory: directory, properties: PROPERTIES });
});

afterAll(async () => {
  if (broker === null) return;
  await broker.stop();
  rmSync(directory, { recursive: true, force: true });
});

describe('answers as Apache Kafka gives them', () => {
  it.each(scenarios)('$name', async ({ name, tell }) => {
    await using session = new Session(broker?.address ?? GIVEN);
    await tell(session);
    const recorded = readRecording(name);
    const asKafka: Record<string, unknown> = { ...session.transcript };
    const expected: Record<string, unknown> = { ...recorded };
    for (const [step, reason] of Object.entries(GIVEN === '' ? (knownDifferences[name] ?? {}) : {})) {
      expect(asKafka[step], `${step} is no difference any more (${reason})`).not.toEqual(expected[step]);
      delete asKafka[step];
      delete expected[step];
    }
    expect(asKafka).toEqual(expected);
  });
});
