import { describe, expect, it } from 'vitest';
import { createLogger } from './logger.ts';
import { Shutdown, SHUTDOWN_BUDGET_MS } from './shutdown.ts';

const quiet = createLogger({ service: 'test', level: 'silent' });

describe('shutting down', () => {
  it('runs the steps one after the other, in their order', async () => {
    const done: string[] = [];
    const shutdown = new Shutdown(quiet)
      .step('HTTP', 1000, async () => {
        await new Promise((resolve) => setImmediate(resolve));
        done.push('HTTP');
      })
      .step('broker', 1000, () => void done.push('broker'))
      .step('database', 1000, () => void done.push('database'));
    expect(await shutdown.run('test')).toBe(true);
    expect(done).toEqual(['HTTP', 'broker', 'database']);
  });

  it('goes on after a step that fails or is late, and says that it was not clean', async () => {
    const done: string[] = [];
    const shutdown = new Shutdown(quiet)
      .step('fails', 1000, () => Promise.reject(new Error('broken')))
      .step('hangs', 5, () => new Promise(() => {}))
      .step('last', 1000, () => void done.push('last'));
    expect(await shutdown.run('test')).toBe(false);
    expect(done).toEqual(['last']);
  });

  it('runs once, however often it is asked', async () => {
    let runs = 0;
    const shutdown = new Shutdown(quiet).step('count', 1000, () => void (runs += 1));
    await Promise.all([shutdown.run('one'), shutdown.run('two')]);
    expect([runs, shutdown.isRunning]).toEqual([1, true]);
  });

  it('refuses steps that together take longer than the budget', () => {
    const shutdown = new Shutdown(quiet).step('long', SHUTDOWN_BUDGET_MS, () => {});
    expect(() => shutdown.step('one more', 1, () => {})).toThrow('"one more"');
  });

  it('ends the process on a signal, at once on the second one', async () => {
    const before = { term: process.listeners('SIGTERM'), int: process.listeners('SIGINT') };
    let finish = () => {};
    const exits: number[] = [];
    const held = new Promise<void>((resolve) => (finish = resolve));
    const shutdown = new Shutdown(quiet).step('held', 5000, () => held);
    shutdown.listen((code) => exits.push(code));
    const [onTerm] = process.listeners('SIGTERM').filter((each) => !before.term.includes(each));
    const [onInt] = process.listeners('SIGINT').filter((each) => !before.int.includes(each));
    if (onTerm === undefined || onInt === undefined) throw new Error('it does not listen');
    onTerm('SIGTERM');
    expect(exits).toEqual([]);
    onInt('SIGINT');
    expect(exits).toEqual([1]);
    finish();
    await shutdown.run('again');
    expect(exits).toEqual([1, 0]);
    process.removeListener('SIGTERM', onTerm);
    process.removeListener('SIGINT', onInt);
  });
});
