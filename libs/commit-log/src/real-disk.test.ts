import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFileSystem, systemClock, systemRandom, systemTimers, systemTurns } from '@seatlog/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLogDirectory } from './disk-log-directory.ts';
import { DEFAULT_LOG_CONFIG, type LogConfig } from './log-config.ts';
import type { LogDirectory } from './log-directory.ts';
import type { PartitionLog } from './partition-log.ts';
import { contentsOf } from './testing/crash-model.ts';
import { testBatch } from './testing/test-batch.ts';

let path: string;

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'seatlog-log-'));
});

afterEach(() => {
  rmSync(path, { recursive: true });
});

function open(config: Partial<LogConfig> = {}): { directory: LogDirectory; log: PartitionLog } {
  const full = { ...DEFAULT_LOG_CONFIG, fileDeleteDelayMs: 0, ...config };
  const directory = openLogDirectory({
    path,
    clusterId: 'MkU3OEVBNTcwNTJENDM2Qk',
    nodeId: 1,
    fileSystem: nodeFileSystem,
    clock: systemClock,
    timers: systemTimers,
    turns: systemTurns,
    random: systemRandom,
  });
  const log =
    directory.load('seats', 0, full) ?? directory.create('seats', 0, { topicId: null, config: full });
  return { directory, log };
}

function append(log: PartitionLog, batch: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const result = log.append(batch, 0, (error) => (error === null ? resolve() : reject(error)));
    if (!result.accepted) reject(result.error);
  });
}

function close(directory: LogDirectory): Promise<void> {
  return new Promise((resolve, reject) => {
    directory.close({ brokerEpoch: 5 }, (error) => (error === null ? resolve() : reject(error)));
  });
}

describe('a log on this machine’s disk', () => {
  it.each([
    ['in the page cache', Number.POSITIVE_INFINITY],
    ['synced before it is acknowledged', 1],
  ])('keeps small and large batches over restarts, %s', async (_, flushMessages) => {
    const sizes = [100, 20_000, 300_000, 61, 1_000_000, 5000];
    let { directory, log } = open({ segmentBytes: 400_000, flushMessages });
    await Promise.all(sizes.map((size, fill) => append(log, testBatch({ size, fill, count: 3 }))));
    const before = contentsOf(log).map((batch) => Buffer.from(batch));
    expect(before.map((batch) => batch.length)).toEqual(sizes);
    await close(directory);
    ({ directory, log } = open({ segmentBytes: 400_000, flushMessages }));
    expect([directory.cleanStart, directory.previousBrokerEpoch, log.logEndOffset]).toEqual([true, 5, 18]);
    expect(contentsOf(log).map((batch) => Buffer.from(batch))).toEqual(before);
    await append(log, testBatch());
    expect(log.logEndOffset).toBe(19);
    await close(directory);
  });

  it('F1: is cut at its last whole batch when its tail is torn', async () => {
    let { directory, log } = open();
    for (let round = 0; round < 10; round += 1) await append(log, testBatch());
    await close(directory);
    truncateSync(join(path, 'seats-0', '00000000000000000000.log'), 850);
    ({ directory, log } = open());
    expect([log.logEndOffset, statSync(join(path, 'seats-0', '00000000000000000000.log')).size]).toEqual([
      8, 800,
    ]);
    await close(directory);
  });

  it('takes deleted segments off the disk', async () => {
    const { directory, log } = open({ segmentBytes: 250, retentionBytes: 300 });
    for (let round = 0; round < 10; round += 1) await append(log, testBatch());
    log.updateHighWatermark(10);
    expect(log.applyRetention(Date.now())).toBeGreaterThan(0);
    await expect
      .poll(() => readdirSync(join(path, 'seats-0')).filter((name) => name.endsWith('.deleted')))
      .toEqual([]);
    expect(log.sizeBytes).toBeLessThan(600);
    await close(directory);
  });

  it('K2: leaves index files whose entries name batches of the log', async () => {
    const { directory, log } = open({ indexIntervalBytes: 1000 });
    for (let round = 0; round < 50; round += 1) await append(log, testBatch({ count: 2, size: 300 }));
    await close(directory);
    const bytes = readFileSync(join(path, 'seats-0', '00000000000000000000.log'));
    const index = readFileSync(join(path, 'seats-0', '00000000000000000000.index'));
    expect(index.length).toBe(8 * Math.ceil(50 / 4));
    for (let at = 0; at < index.length; at += 8) {
      const position = index.readInt32BE(at + 4);
      const lastOffset = Number(bytes.readBigInt64BE(position)) + bytes.readInt32BE(position + 23);
      expect(index.readInt32BE(at)).toBe(lastOffset);
    }
  });
});
