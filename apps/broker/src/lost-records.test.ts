/** Brokers that come back with less than they had (F24, F25): never silently with what is left. */
import type { MemoryFileSystem } from '@seatlog/runtime/testing';
import { apis } from '@seatlog/kafka-protocol';
import { afterEach, describe, expect, it } from 'vitest';
import {
  batchOf,
  startTestBroker,
  type TestBroker,
  type TestBrokerOptions,
  until,
} from './testing/test-broker.ts';

const running: TestBroker[] = [];
const LOG_FILE = '/logs/seats-0/00000000000000000000.log';
/** A whole batch of `append`, and a part of the next. */
const PART_OF_THE_LOG_BYTES = 100;

afterEach(async () => {
  for (const broker of running.splice(0)) await broker[Symbol.asyncDispose]();
});

async function start(options: TestBrokerOptions = {}): Promise<TestBroker> {
  const broker = await startTestBroker(options);
  running.push(broker);
  return broker;
}

/** The disk of a broker that stopped in order, with three records on it. */
async function afterCleanStop(): Promise<MemoryFileSystem> {
  const broker = await start();
  await broker.createTopic('seats');
  const client = await broker.connect();
  for (const value of ['a', 'b', 'c']) {
    const partitionData = [{ index: 0, records: batchOf({ values: [value] }) }];
    const topicData = [{ name: 'seats', partitionData }];
    const { responses } = await client.ask(apis.produce, 9, { acks: -1, timeoutMs: 5000, topicData });
    expect(responses[0]?.partitionResponses[0]?.errorCode).toBe(0);
  }
  await broker.broker.stop();
  return broker.fileSystem;
}

const seatsOf = ({ broker }: TestBroker) => broker.services.metadata.image.topics.get('seats')?.partitions[0];
const uncleanElections = ({ broker }: TestBroker): number => broker.services.metrics.uncleanLeaderElections;

/** RECOVERING is said aloud, counted, and over once the leader serves. */
async function expectRecovering(broker: TestBroker): Promise<void> {
  expect(uncleanElections(broker)).toBe(1);
  expect(broker.logLines).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      msg: expect.stringContaining('Unclean leader election'),
      partitions: [expect.objectContaining({ partition: 'seats-0' })],
    }),
  );
  await until(() => seatsOf(broker)?.leaderRecoveryState === 0, 'the recovery is confirmed');
  expect(seatsOf(broker)?.isr).toEqual([1]);
}

describe('after a clean stop', () => {
  it('F25: a broker that has all it had leads as before', async () => {
    const broker = await start({ fileSystem: await afterCleanStop() });
    expect(uncleanElections(broker)).toBe(0);
    expect(seatsOf(broker)).toMatchObject({ leader: 1, leaderRecoveryState: 0 });
  });

  it('F24: a partition that is gone makes its broker one that may have lost records', async () => {
    const disk = await afterCleanStop();
    for (const { name } of disk.readDirectory('/logs/seats-0')) disk.unlink(`/logs/seats-0/${name}`);
    disk.removeDirectory('/logs/seats-0');
    const broker = await start({ fileSystem: disk });
    await expectRecovering(broker);
    expect(broker.broker.services.replicas.partition('seats', 0)?.logEndOffset).toBe(0);
  });

  it('F24: a log that has become shorter keeps its broker out, until it starts as one that may have lost records', async () => {
    const disk = await afterCleanStop();
    disk.tamper(LOG_FILE, (bytes) => bytes.subarray(0, PART_OF_THE_LOG_BYTES));
    await expect(startTestBroker({ fileSystem: disk })).rejects.toMatchObject({
      code: 'LOG_CORRUPT',
      message: expect.stringContaining('seats-0'),
    });
    const broker = await start({ fileSystem: disk });
    await expectRecovering(broker);
    expect(broker.broker.services.replicas.partition('seats', 0)?.logEndOffset).toBe(1);
  });
});

describe('after a kill', () => {
  it('F25: the last replica standing leads, and says that records may be missing', async () => {
    const first = await start({ fileSystem: await afterCleanStop() });
    first.fileSystem.crash({ kind: 'process' });
    first.broker.abandon();
    running.splice(0);
    await expectRecovering(await start({ fileSystem: first.fileSystem }));
  });

  it('KAFKA-15375: a start that fails leaves no mark of a clean stop', async () => {
    const first = await start({ fileSystem: await afterCleanStop() });
    first.fileSystem.crash({ kind: 'process' });
    const taken = first.broker.listeners[0]?.port ?? 0;
    const settings = { listeners: `PLAINTEXT://127.0.0.1:${taken}` };
    await expect(startTestBroker({ fileSystem: first.fileSystem, settings })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    first.broker.abandon();
    running.splice(0);
    await expectRecovering(await start({ fileSystem: first.fileSystem }));
  });
});
