import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { processStartTime } from './process-identity.ts';
import { startPostgres } from './postgres/start-postgres.ts';
import { startRedis } from './redis/start-redis.ts';
import { folderOfTest } from './testing/temporary-folder.ts';

interface Parent {
  readonly process: ChildProcess;
  readonly children: readonly number[];
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

async function startParent(way: string, dataDirectory: string, what = 'sleepers'): Promise<Parent> {
  const process_ = spawn(
    process.execPath,
    [join(import.meta.dirname, 'testing/parent.ts'), way, dataDirectory, what],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    process_.once('exit', (code, signal) => resolve({ code, signal }));
  });
  let printed = '';
  for await (const chunk of process_.stdout) {
    printed += String(chunk);
    if (printed.includes('\n')) break;
  }
  return { process: process_, children: JSON.parse(printed) as readonly number[], exited };
}

const living = (pids: readonly number[]): readonly number[] =>
  pids.filter((pid) => processStartTime(pid) !== undefined);

describe('the end of a parent', () => {
  it.each([
    ['end', 'sleepers', 0],
    ['exit', 'deaf', 3],
    ['throw', 'sleepers', 1],
  ])('by %s ends its children (%s)', async (way, what, code) => {
    const folder = folderOfTest();
    const parent = await startParent(way, folder.path, what);
    expect(parent.children).toHaveLength(2);
    expect(await parent.exited).toEqual({ code, signal: null });
    await expect.poll(() => living(parent.children)).toEqual([]);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('by %s ends its children', async (signal, code) => {
    const folder = folderOfTest();
    const parent = await startParent('wait', folder.path);
    expect(living(parent.children)).toHaveLength(2);
    parent.process.kill(signal);
    expect(await parent.exited).toEqual({ code, signal: null });
    await expect.poll(() => living(parent.children)).toEqual([]);
  });

  it('by SIGKILL ends a broker, which watches its owner', async () => {
    const folder = folderOfTest();
    const parent = await startParent('wait', folder.path, 'broker');
    expect(living(parent.children)).toHaveLength(1);
    parent.process.kill('SIGKILL');
    await parent.exited;
    await expect.poll(() => living(parent.children)).toEqual([]);
  });

  it('by SIGKILL leaves servers, which the next start on the folder ends and replaces', async () => {
    const folder = folderOfTest();
    const parent = await startParent('wait', folder.path, 'servers');
    parent.process.kill('SIGKILL');
    await parent.exited;
    expect(living(parent.children)).toHaveLength(2);

    const dataDirectory = folder.path;
    const postgres = await startPostgres({ dataDirectory, durable: false });
    onTestFinished(() => postgres.stop());
    const redis = await startRedis({ dataDirectory, durable: false });
    onTestFinished(() => redis.stop());
    expect(living(parent.children)).toEqual([]);
    const now = [postgres.process.pid, redis.process.pid];
    expect(living(now)).toEqual(now);
    await Promise.all([postgres.stop(), redis.stop()]);
    expect(living(now)).toEqual([]);
  });
});
