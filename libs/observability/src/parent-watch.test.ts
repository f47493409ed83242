import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { watchParent } from './parent-watch.ts';

it('tells once that the watched process is gone; one that lives, none, and one no longer watched are not told of', async () => {
  const parent = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  await once(parent, 'spawn');
  const told: string[] = [];
  const watch = (name: string, parentPid: number | undefined, onGone = () => {}) =>
    watchParent({
      parentPid,
      intervalMs: 5,
      onGone: () => {
        told.push(name);
        onGone();
      },
    });
  const endOfLiving = watch('living', process.pid);
  const endOfNone = watch('none', undefined);
  watch('ended', parent.pid)();
  const gone = new Promise<void>((resolve) => void watch('gone', parent.pid, resolve));
  expect(told).toEqual([]);
  parent.kill('SIGKILL');
  await gone;
  expect(told).toEqual(['gone']);
  endOfLiving();
  endOfNone();
});
