import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { query } from '../postgres/start-postgres.ts';
import { processStartTime } from '../process-identity.ts';
import { startSleeper } from '../testing/sleeper.ts';
import { folderOfTest } from '../testing/temporary-folder.ts';
import { readRunningStack, writeStackFile } from './stack-file.ts';
import { startStack } from './start-stack.ts';
import type { StackOptions, StackProgress, StackSteps } from './stack-types.ts';

const done = (): Promise<void> => Promise.resolve();
/** Ends every start before the apps, which have to be built first: the whole stack is tested end to end. */
const stopHere = (): Promise<void> => Promise.reject(new Error('far enough'));

const withSteps = (dataDirectory: string, steps: Partial<StackSteps>): StackOptions => ({
  dataDirectory,
  durable: false,
  external: { brokers: '127.0.0.1:9' },
  steps: { migrate: done, createTopics: done, seed: stopHere, ...steps },
});

const pidsIn = (dataDirectory: string): readonly number[] =>
  readdirSync(join(dataDirectory, 'processes')).map(
    (file) =>
      (JSON.parse(readFileSync(join(dataDirectory, 'processes', file), 'utf8')) as { pid: number }).pid,
  );

describe('startStack', () => {
  it('runs the steps on servers that serve, in order, and leaves nothing when a step fails', async () => {
    const folder = folderOfTest();
    const dataDirectory = join(folder.path, 'stack');
    const order: string[] = [];
    const progress: StackProgress[] = [];
    let pids: readonly number[] = [];
    const options = withSteps(dataDirectory, {
      migrate: async ({ databaseUrl }) => {
        order.push('migrate');
        await query(databaseUrl, 'CREATE TABLE migrated ()');
      },
      createTopics: async ({ brokers, replicationFactor }) => {
        order.push('topics');
        expect([brokers, replicationFactor]).toEqual(['127.0.0.1:9', 1]);
        return Promise.resolve();
      },
      seed: async ({ databaseUrl, redisUrl }) => {
        order.push('seed');
        await query(databaseUrl, 'SELECT FROM migrated');
        expect(redisUrl).toMatch(/^redis:/);
        pids = pidsIn(dataDirectory);
        return stopHere();
      },
    });
    await expect(startStack({ ...options, onProgress: (one) => progress.push(one) })).rejects.toThrow(
      'far enough',
    );
    expect(order.toSorted()).toEqual(['migrate', 'seed', 'topics']);
    expect(order.at(-1)).toBe('seed');
    expect(
      progress
        .filter((one) => one.state === 'done')
        .map((one) => one.step)
        .toSorted(),
    ).toEqual(['PostgreSQL', 'Redis', 'migrations', 'topics']);
    expect(progress.at(-1)).toMatchObject({ step: 'seed', state: 'failed' });
    expect(pids).toHaveLength(2);
    expect(pids.filter((pid) => processStartTime(pid) !== undefined)).toEqual([]);
    expect(existsSync(`${dataDirectory}.lock`)).toBe(false);
  });

  it('refuses a second stack on the folder, and leaves the first alone', async () => {
    const folder = folderOfTest();
    const dataDirectory = join(folder.path, 'stack');
    let second: unknown;
    let databaseWorks = false;
    const seed: StackSteps['seed'] = async ({ databaseUrl }) => {
      second = await startStack({ ...withSteps(dataDirectory, {}), fresh: true }).catch(
        (error: unknown) => error,
      );
      databaseWorks = (await query(databaseUrl, 'SELECT 1')).rowCount === 1;
      return stopHere();
    };
    await expect(startStack(withSteps(dataDirectory, { seed }))).rejects.toThrow('far enough');
    expect(second).toMatchObject({
      code: 'FOLDER_IN_USE',
      hint: expect.stringContaining(String(process.pid)),
    });
    expect(databaseWorks).toBe(true);
  });

  it('keeps data, and wipes it when asked to start fresh', async () => {
    const folder = folderOfTest();
    const dataDirectory = join(folder.path, 'stack');
    const kept: boolean[] = [];
    const migrate: StackSteps['migrate'] = async ({ databaseUrl }) => {
      kept.push((await query(databaseUrl, "SELECT to_regclass('kept') AS t")).rows[0]?.['t'] !== null);
      await query(databaseUrl, 'CREATE TABLE IF NOT EXISTS kept ()');
    };
    const options = withSteps(dataDirectory, { migrate });
    await expect(startStack(options)).rejects.toThrow('far enough');
    await expect(startStack(options)).rejects.toThrow('far enough');
    await expect(startStack({ ...options, fresh: true })).rejects.toThrow('far enough');
    expect(kept).toEqual([false, true, false]);
  });

  it('refuses data of another number of brokers', async () => {
    const folder = folderOfTest();
    const dataDirectory = join(folder.path, 'stack');
    const options = { ...withSteps(dataDirectory, { migrate: stopHere }), external: {} };
    await expect(startStack({ ...withSteps(dataDirectory, {}) })).rejects.toThrow('far enough');
    await expect(startStack({ ...options, brokers: 3 })).rejects.toMatchObject({ code: 'LAYOUT_MISMATCH' });
  });

  it('ends what a killed owner left on the folder', async () => {
    const folder = folderOfTest();
    const dataDirectory = join(folder.path, 'stack');
    const leftover = await startSleeper(dataDirectory);
    await expect(startStack(withSteps(dataDirectory, { migrate: stopHere }))).rejects.toThrow('far enough');
    expect(leftover.running).toBe(false);
  });

  it('gives up when the caller does', async () => {
    const folder = folderOfTest();
    const dataDirectory = join(folder.path, 'stack');
    const caller = new AbortController();
    const createTopics = (): Promise<void> => {
      caller.abort(new Error('not any more'));
      return done();
    };
    const options = { ...withSteps(dataDirectory, { createTopics }), signal: caller.signal };
    await expect(startStack(options)).rejects.toThrow('not any more');
    expect(pidsIn(dataDirectory)).toEqual([]);
  });
});

describe('the stack file', () => {
  it('is found while its owner lives', () => {
    const folder = folderOfTest();
    const endpoints = {
      databaseUrl: 'postgres://x',
      redisUrl: 'redis://y',
      brokers: 'z:1',
      bookingApiUrl: 'http://a',
      brokerHttpUrl: null,
      brokerHttpUrls: [],
      apps: {},
    };
    expect(readRunningStack(folder.path)).toBeUndefined();
    writeStackFile(folder.path, { endpoints, processes: { redis: 5 } });
    expect(readRunningStack(folder.path)).toMatchObject({ endpoints, owner: { pid: process.pid } });
    const file = join(folder.path, 'stack.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"startTime": "[^"]+"/, '"startTime": "earlier"'));
    expect(readRunningStack(folder.path)).toBeUndefined();
  });
});
