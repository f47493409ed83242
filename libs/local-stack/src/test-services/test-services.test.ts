import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { query } from '../postgres/start-postgres.ts';
import { HOST_VARIABLE, testServices, type TestServices } from './test-services.ts';

describe('testServices', () => {
  let prepared = 0;
  const template = {
    name: 'one-table',
    prepare: async (databaseUrl: string): Promise<void> => {
      prepared += 1;
      await query(databaseUrl, 'CREATE TABLE t (x int)');
    },
  };
  let first: TestServices;
  let second: TestServices;

  beforeAll(async () => {
    [first, second] = await Promise.all([testServices({ template }), testServices({ template })]);
  });
  afterAll(async () => {
    await Promise.all([first.stop(), second.stop()]);
  });

  it('comes from the host of the run', () => {
    expect(process.env[HOST_VARIABLE]).toMatch(/^http:/);
  });

  it('gives each caller a database of its own, cloned from a template that is prepared once', async () => {
    await query(first.databaseUrl, 'INSERT INTO t VALUES (1)');
    expect((await query(first.databaseUrl, 'SELECT x FROM t')).rows).toEqual([{ x: 1 }]);
    expect((await query(second.databaseUrl, 'SELECT x FROM t')).rows).toEqual([]);
    expect(prepared).toBe(1);
  });

  it('gives each caller Redis keys of its own', async () => {
    const [one, two] = [new Redis(first.redisUrl), new Redis(second.redisUrl)];
    try {
      await one.set('seat', 'mine');
      expect(await two.get('seat')).toBeNull();
      expect(await one.get('seat')).toBe('mine');
    } finally {
      one.disconnect();
      two.disconnect();
    }
  });

  it('starts with an empty database when no template is given, and drops it at the end', async () => {
    const services = await testServices();
    const tables = await query(services.databaseUrl, "SELECT FROM pg_tables WHERE schemaname = 'public'");
    expect(tables.rowCount).toBe(0);
    await services.stop();
    await expect(query(services.databaseUrl, 'SELECT 1')).rejects.toThrow(/does not exist/);
  });

  it('prepares a template again after preparing it has failed', async () => {
    let attempts = 0;
    const flaky = {
      name: 'fails-once',
      prepare: (): Promise<void> => {
        attempts += 1;
        return attempts === 1 ? Promise.reject(new Error('no luck')) : Promise.resolve();
      },
    };
    await expect(testServices({ template: flaky })).rejects.toThrow('no luck');
    const services = await testServices({ template: flaky });
    expect(attempts).toBe(2);
    await services.stop();
  });
});
