import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endLeftovers, forgetProcess, recordProcess } from './process-file.ts';
import { processStartTime } from './process-identity.ts';
import { startSleeper } from './testing/sleeper.ts';
import { folderOfTest } from './testing/temporary-folder.ts';

describe('process files', () => {
  it('end the process that they name', async () => {
    const folder = folderOfTest();
    const child = await startSleeper(folder.path);
    expect(await endLeftovers(folder.path)).toEqual(['sleeper']);
    expect(processStartTime(child.pid)).toBeUndefined();
    expect(await child.exited).toEqual({ code: null, signal: 'SIGTERM' });
    expect(await endLeftovers(folder.path)).toEqual([]);
  });

  it('never end a process that merely has the pid of an earlier one', async () => {
    const folder = folderOfTest();
    const child = await startSleeper(folder.path);
    const file = join(folder.path, 'processes/sleeper.json');
    const record = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    writeFileSync(file, JSON.stringify({ ...record, startTime: 'some other boot/1' }));
    expect(await endLeftovers(folder.path)).toEqual([]);
    expect(child.running).toBe(true);
    await child.stop();
  });

  it('bear a garbled file', async () => {
    const folder = folderOfTest();
    mkdirSync(join(folder.path, 'processes'));
    writeFileSync(join(folder.path, 'processes/broken.json'), '{"pid":');
    writeFileSync(join(folder.path, 'processes/odd.json'), '{"pid":"1"}');
    expect(await endLeftovers(folder.path)).toEqual([]);
  });

  it('forget only the pid that is meant', () => {
    const folder = folderOfTest();
    recordProcess(folder.path, 'self', process.pid, 'SIGTERM');
    const file = join(folder.path, 'processes/self.json');
    forgetProcess(folder.path, 'self', process.pid + 1);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: process.pid });
    forgetProcess(folder.path, 'self', process.pid);
    expect(() => readFileSync(file)).toThrow('ENOENT');
  });
});
