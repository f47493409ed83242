import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { query, startPostgres } from '../postgres/start-postgres.ts';
import { processStartTime } from '../process-identity.ts';
import { startRedis } from '../redis/start-redis.ts';
import { layoutDirectory } from '../repository.ts';
import { startSleeper } from '../testing/sleeper.ts';
import { folderOfTest } from '../testing/temporary-folder.ts';
import { ServiceHost } from './service-host.ts';
import { createTestDatabase } from './test-database.ts';
import { claimRedisDatabase, releaseRedisDatabase } from './test-redis.ts';

const databasesOf = async (adminUrl: string): Promise<readonly string[]> =>
  (await query(adminUrl, 'SELECT datname FROM pg_database')).rows.map((row) => String(row['datname']));

describe('the servers of a run', () => {
  it('start when they are first asked for, once, and are gone after the stop', async () => {
    const said: string[] = [];
    const host = new ServiceHost((line) => said.push(line), { TEST_SERVICES: 'embedded' });
    expect(said).toEqual([]);
    const [one, two] = await Promise.all([host.servers(), host.servers()]);
    expect(one).toEqual(two);
    expect(said.filter((line) => line.startsWith('test services: embedded'))).toHaveLength(1);
    const folder = join(layoutDirectory('test-services'), one.runId);
    expect(readdirSync(join(folder, 'processes')).toSorted()).toEqual(['postgres.json', 'redis.json']);
    await host.stop();
    expect(existsSync(folder)).toBe(false);
    expect(existsSync(`${folder}.lock`)).toBe(false);
    await expect(query(one.adminUrl, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
  });

  it('end what a killed run left', async () => {
    const dead = join(layoutDirectory('test-services'), `dead-run-${process.pid}`);
    mkdirSync(dead, { recursive: true });
    const leftover = await startSleeper(dead);
    // A lock without a live owner, as a killed run leaves it.
    writeFileSync(`${dead}.lock`, JSON.stringify({ pid: 1, startTime: 'earlier', token: 'gone' }));
    const host = new ServiceHost(() => undefined, { TEST_SERVICES: 'embedded' });
    onTestFinished(() => host.stop());
    await host.servers();
    // The host of another run may have found it first, and be about to end it.
    await expect.poll(() => processStartTime(leftover.pid)).toBeUndefined();
    await expect.poll(() => existsSync(dead)).toBe(false);
  });

  it('are those that were given, of which only what is empty is used and only what is ours is dropped', async () => {
    const dataDirectory = folderOfTest().path;
    const [postgres, redis] = await Promise.all([
      startPostgres({ dataDirectory, durable: false, database: 'precious' }),
      startRedis({ dataDirectory, durable: false, databases: 4 }),
    ]);
    onTestFinished(() => Promise.all([postgres.stop(), redis.stop()]).then(() => undefined));
    const precious = new Redis(`${redis.url}/1`);
    onTestFinished(() => precious.disconnect());
    await precious.set('seat', 'mine');
    const environment = { TEST_SERVICES: 'external', DATABASE_URL: postgres.url, REDIS_URL: redis.url };
    const host = new ServiceHost(() => undefined, environment);
    const servers = await host.servers();
    expect(servers).toMatchObject({ kind: 'external', adminUrl: postgres.url, redisUrl: redis.url });

    const claimed = [await claimRedisDatabase(servers), await claimRedisDatabase(servers)];
    expect(claimed).toEqual([`${redis.url}/2`, `${redis.url}/3`]);
    await expect(claimRedisDatabase(servers)).rejects.toMatchObject({ code: 'NO_FREE_REDIS_DATABASE' });
    await releaseRedisDatabase(`${redis.url}/3`);
    expect(await claimRedisDatabase(servers)).toBe(`${redis.url}/3`);
    expect(await precious.get('seat')).toBe('mine');

    const before = await databasesOf(postgres.adminUrl);
    await createTestDatabase(servers, { name: 'empty', prepare: () => Promise.resolve() });
    expect((await databasesOf(postgres.adminUrl)).length).toBe(before.length + 2);
    await host.stop();
    expect(await databasesOf(postgres.adminUrl)).toEqual(before);
  });
});
