import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SilentRelay, startRedis, type RedisServer } from '@seatlog/local-stack';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SeatLock } from './seat-lock.ts';
import { EVENT, requestOf, SEAT, until } from './testing/seat-lock-fixture.ts';

/** More than a busy machine needs for what does not hang; the default is for buyers who wait. */
const COMMAND_TIMEOUT_MS = 2000;
/** The guard is a generous multiple of it. */
const NO_HANG_MS = 60_000;
const CLIENT = 'outage';

function answers(lock: SeatLock): Promise<boolean> {
  return lock.ping().then(
    () => true,
    () => false,
  );
}

/** The server's number for the connection under test; null while there is none. */
async function connectionOf(admin: Redis): Promise<string | null> {
  const clients = String(await admin.client('LIST'));
  return new RegExp(`^id=(\\d+) .* name=${CLIENT} `, 'm').exec(clients)?.[1] ?? null;
}

describe('Redis away', () => {
  let server: RedisServer;
  let folder: string;
  const locks: SeatLock[] = [];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'seat-lock-'));
    server = await startRedis({ dataDirectory: folder, durable: false });
  });
  afterEach(async () => {
    await Promise.all(locks.splice(0).map((lock) => lock.close()));
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function connect(url = server.url): Promise<SeatLock> {
    const lock = await SeatLock.connect({
      url,
      clientName: CLIENT,
      lockTtlMs: 60_000,
      commandTimeoutMs: COMMAND_TIMEOUT_MS,
    });
    locks.push(lock);
    await lock.reconcile(EVENT, [SEAT], async () => []);
    return lock;
  }

  async function failure(lock: SeatLock): Promise<unknown> {
    const hang = new Promise((resolve) => setTimeout(resolve, NO_HANG_MS, 'hung').unref());
    return Promise.race([lock.acquire(requestOf('ann', [SEAT])).catch((error: unknown) => error), hang]);
  }

  it('F62: a killed Redis is an error at once, not a queue; once it is back, it is used again', async () => {
    const lock = await connect();
    server.process.kill('SIGKILL');
    await server.process.exited;
    expect(await failure(lock)).toMatchObject({ code: 'REDIS_UNAVAILABLE', retriable: true });
    await expect(lock.ping()).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
    await server.process.restart();
    await until(() => answers(lock));
    // F60: it came back empty, so nothing is sold before the seats are known again.
    expect((await lock.acquire(requestOf('ann', [SEAT]))).kind).toBe('warming');
  });

  it('F62: a Redis that stops answering is given up on', async () => {
    const lock = await connect();
    server.process.kill('SIGSTOP');
    try {
      expect(await failure(lock)).toMatchObject({ code: 'REDIS_UNAVAILABLE' });
    } finally {
      server.process.kill('SIGCONT');
    }
  });

  it('F60: a Redis that vanished without a word is looked for anew', async () => {
    await using relay = await SilentRelay.listen(Number(new URL(server.url).port));
    const lock = await connect(`redis://127.0.0.1:${relay.port}`);
    relay.silence();
    expect(await failure(lock)).toMatchObject({ code: 'REDIS_UNAVAILABLE' });
    await until(() => answers(lock));
  });

  it('F60: a Redis that became a replica is looked for anew', async () => {
    const admin = new Redis(server.url);
    await admin.flushall();
    const lock = await connect();
    try {
      const before = await connectionOf(admin);
      await admin.replicaof('127.0.0.1', 1);
      await until(async () => {
        const refused = await failure(lock);
        expect(refused).toMatchObject({ code: 'REDIS_UNAVAILABLE', retriable: true });
        const now = await connectionOf(admin);
        return now !== null && now !== before;
      });
    } finally {
      await admin.replicaof('NO', 'ONE');
      admin.disconnect();
    }
    await until(() => answers(lock));
  });

  it('refuses to start on a Redis that evicts, and where there is none', async () => {
    const admin = new Redis(server.url);
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
    try {
      await expect(connect()).rejects.toMatchObject({
        code: 'REDIS_EVICTS',
        hint: expect.stringContaining('noeviction'),
      });
    } finally {
      await admin.config('SET', 'maxmemory-policy', 'noeviction');
      admin.disconnect();
    }
    const nowhere = { url: 'redis://127.0.0.1:1', clientName: 'x', lockTtlMs: 1000 };
    await expect(SeatLock.connect(nowhere)).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
  });
});
