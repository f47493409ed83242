import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { processStartTime } from '../process-identity.ts';
import { folderOfTest } from '../testing/temporary-folder.ts';
import { startRedis } from './start-redis.ts';

async function withClient<T>(url: string, action: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url);
  try {
    return await action(redis);
  } finally {
    redis.disconnect();
  }
}

describe('startRedis', () => {
  it('never evicts, runs Lua, and keeps what it was given over a stop when it is durable', async () => {
    const folder = folderOfTest();
    const server = await startRedis({ dataDirectory: folder.path });
    await withClient(server.url, async (redis) => {
      expect(await redis.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
      expect(await redis.config('GET', 'bind')).toEqual(['bind', '127.0.0.1']);
      expect(await redis.eval("return redis.call('SET', KEYS[1], ARGV[1])", 1, 'seat', 'mine')).toBe('OK');
    });
    await server.process.restart();
    expect(await withClient(server.url, (redis) => redis.get('seat'))).toBe('mine');
    const pid = server.process.pid;
    await server.stop();
    expect(processStartTime(pid)).toBeUndefined();
  });

  it('keeps nothing when durability is given up, and has as many databases as wanted', async () => {
    const folder = folderOfTest();
    const server = await startRedis({ dataDirectory: folder.path, durable: false, databases: 40 });
    onTestFinished(() => server.stop());
    await withClient(`${server.url}/39`, (redis) => redis.set('seat', 'mine'));
    await server.process.restart();
    expect(await withClient(`${server.url}/39`, (redis) => redis.get('seat'))).toBeNull();
  });
});
