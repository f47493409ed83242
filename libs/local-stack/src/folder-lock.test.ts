import { spawn } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isLock, lockWithin, tryLock } from './folder-lock.ts';
import { folderOfTest } from './testing/temporary-folder.ts';

const STALE = JSON.stringify({ pid: 1, startTime: 'an earlier boot/1', token: 'gone' });

describe('folder lock', () => {
  it('has one holder, whom it names', () => {
    const folder = folderOfTest();
    const file = join(folder.path, 'stack.lock');
    const lock = tryLock(file);
    expect(tryLock(file)).toEqual({ holder: process.pid });
    if (isLock(lock)) lock.release();
    const again = tryLock(file);
    expect(isLock(again)).toBe(true);
    expect(readdirSync(folder.path)).toEqual(['stack.lock']);
  });

  it.each([
    ['of a dead process', STALE],
    ['that is garbled', '{"pid"'],
  ])('takes over a lock %s at once', (_, content) => {
    const folder = folderOfTest();
    const file = join(folder.path, 'stack.lock');
    writeFileSync(file, content);
    expect(isLock(tryLock(file))).toBe(true);
    expect(tryLock(file)).toEqual({ holder: process.pid });
  });

  it('does not release the lock of another', () => {
    const folder = folderOfTest();
    const file = join(folder.path, 'stack.lock');
    const first = tryLock(file);
    if (!isLock(first)) throw new Error('the lock was free');
    first.release();
    const second = tryLock(file);
    first.release();
    expect(isLock(second)).toBe(true);
    expect(tryLock(file)).toEqual({ holder: process.pid });
  });

  it('gives a stale lock to one of several who want it at one time', async () => {
    const folder = folderOfTest();
    const file = join(folder.path, 'stack.lock');
    writeFileSync(file, STALE);
    const script = `
      import { tryLock, isLock } from ${JSON.stringify(join(import.meta.dirname, 'folder-lock.ts'))};
      process.stdin.once('data', () => {
        process.stdout.write(isLock(tryLock(${JSON.stringify(file)})) ? 'won' : 'lost');
        process.stdin.once('data', () => process.exit());
      });
      process.stdout.write('ready ');`;
    const takers = Array.from({ length: 4 }, () => {
      const taker = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      const said = { text: '' };
      taker.stdout.on('data', (chunk) => (said.text += String(chunk)));
      return { taker, said };
    });
    await expect.poll(() => takers.every(({ said }) => said.text === 'ready ')).toBe(true);
    for (const { taker } of takers) taker.stdin.write('go');
    await expect.poll(() => takers.every(({ said }) => /won|lost/.test(said.text))).toBe(true);
    expect(takers.filter(({ said }) => said.text === 'ready won')).toHaveLength(1);
    const ended = takers.map(({ taker }) => new Promise((resolve) => taker.once('exit', resolve)));
    for (const { taker } of takers) taker.stdin.write('end');
    await Promise.all(ended);
  });

  it('gives up waiting with the holder named', async () => {
    const folder = folderOfTest();
    const file = join(folder.path, 'stack.lock');
    tryLock(file);
    await expect(lockWithin(file, 100, 'the fetch')).rejects.toMatchObject({
      code: 'LOCK_NOT_FREE_IN_TIME',
      hint: expect.stringContaining(String(process.pid)),
    });
  });
});
