import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ChildOfStack } from './managed-process.ts';
import { processStartTime } from './process-identity.ts';
import { startSleeper } from './testing/sleeper.ts';
import { folderOfTest } from './testing/temporary-folder.ts';

/** What a busy machine needs to start a program. */
const START_WITHIN_MS = 60_000;

const program = (
  dataDirectory: string,
  script: string,
  ready: () => Promise<void>,
  readyWithinMs = START_WITHIN_MS,
): ChildOfStack =>
  new ChildOfStack({
    name: 'program',
    command: process.execPath,
    args: ['-e', script],
    environment: {},
    dataDirectory,
    ready,
    readyWithinMs,
  });

const never = (): Promise<void> => new Promise(() => undefined);

describe('ManagedProcess', () => {
  it('logs to its file, tells the child its owner, and stops', async () => {
    const folder = folderOfTest();
    const script = 'console.log("owner", process.env.SEATLOG_PARENT_PID)';
    const child = program(folder.path, `${script}; setInterval(() => undefined, 1_000)`, () =>
      Promise.resolve(),
    );
    await child.start();
    await expect.poll(() => child.logTail()).toContain(`owner ${process.pid}`);
    expect(child.logFile).toBe(join(folder.path, 'logs/program.log'));
    expect(await child.stop()).toEqual({ code: null, signal: 'SIGTERM' });
    expect(child.running).toBe(false);
    expect(processStartTime(child.pid)).toBeUndefined();
    expect(await child.stop()).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it('kills a child that does not stop in time', async () => {
    const folder = folderOfTest();
    const child = await startSleeper(folder.path, { deaf: true, stopWithinMs: 200 });
    child.kill('SIGTERM');
    await expect.poll(() => child.logTail()).toContain('not now');
    expect(await child.stop()).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('stops a child that was suspended', async () => {
    const folder = folderOfTest();
    const child = await startSleeper(folder.path);
    child.kill('SIGSTOP');
    expect(await child.stop()).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it('starts again as another process after a kill', async () => {
    const folder = folderOfTest();
    const child = await startSleeper(folder.path);
    const first = child.pid;
    expect(child.kill()).toBe(true);
    expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect(child.kill()).toBe(false);
    await child.restart();
    expect(child.running).toBe(true);
    expect(child.pid).not.toBe(first);
    await child.stop();
  });

  it('restarts one that runs', async () => {
    const folder = folderOfTest();
    const child = await startSleeper(folder.path);
    const first = child.pid;
    await child.restart();
    expect(processStartTime(first)).toBeUndefined();
    expect(child.running).toBe(true);
    await child.stop();
    expect(existsSync(join(folder.path, 'processes/sleeper.json'))).toBe(false);
  });

  it('says what a child wrote that ended before it served', async () => {
    const folder = folderOfTest();
    const child = program(folder.path, 'console.error("no disk"); process.exit(7)', never);
    await expect(child.start()).rejects.toMatchObject({
      code: 'PROCESS_ENDED_EARLY',
      what: 'program ended with code 7 before it served',
      hint: expect.stringContaining('no disk'),
    });
  });

  it('stops a child that does not come to serve', async () => {
    const folder = folderOfTest();
    const child = program(folder.path, 'setInterval(() => undefined, 1_000)', never, 1_000);
    await expect(child.start()).rejects.toMatchObject({ code: 'NOT_READY_IN_TIME' });
    expect(child.running).toBe(false);
    expect(processStartTime(child.pid)).toBeUndefined();
  });

  it('stops a child whose start is given up', async () => {
    const folder = folderOfTest();
    const child = program(folder.path, 'setInterval(() => undefined, 1_000)', never);
    const giveUp = new AbortController();
    const started = child.start(giveUp.signal);
    await expect.poll(() => child.pid).toBeGreaterThan(0);
    giveUp.abort(new Error('not any more'));
    await expect(started).rejects.toThrow('not any more');
    expect(child.running).toBe(false);
  });

  it('refuses a program that is not there', async () => {
    const folder = folderOfTest();
    const child = new ChildOfStack({
      name: 'nothing',
      command: '/nowhere/at/all',
      args: [],
      environment: {},
      dataDirectory: folder.path,
      ready: never,
      readyWithinMs: START_WITHIN_MS,
    });
    await expect(child.start()).rejects.toMatchObject({ code: 'PROCESS_ENDED_EARLY' });
  });

  it('keeps the process file while the child lives', async () => {
    const folder = folderOfTest();
    const child = await startSleeper(folder.path);
    const file = join(folder.path, 'processes/sleeper.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: child.pid, stopSignal: 'SIGTERM' });
    await child.stop();
    expect(existsSync(file)).toBe(false);
  });
});
