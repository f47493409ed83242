/**
 * A numbered Redis database of its own for each caller. On a server of ours they are handed out by a counter; on a
 * server that was given, only databases that are empty are taken, and nothing that was there is ever flushed.
 * Publish and subscribe know no databases: channels are seen by all callers of a run.
 */
import { Redis } from 'ioredis';
import { LocalStackError } from '../local-stack-error.ts';
import { REDIS_DATABASES, type SharedServers } from './service-host.ts';

const COUNTER = 'seatlog:test-databases';
const CLAIM = 'seatlog:test-claim';

export async function claimRedisDatabase(servers: SharedServers): Promise<string> {
  const redis = new Redis(servers.redisUrl, { maxRetriesPerRequest: 1 });
  try {
    const number = servers.kind === 'external' ? await claimEmpty(redis) : await claimNext(redis);
    const url = new URL(servers.redisUrl);
    url.pathname = `/${number}`;
    return url.href;
  } finally {
    redis.disconnect();
  }
}

export async function releaseRedisDatabase(redisUrl: string): Promise<void> {
  const redis = new Redis(redisUrl, { maxRetriesPerRequest: 1 });
  try {
    await redis.flushdb();
  } finally {
    redis.disconnect();
  }
}

/** Database 0 holds the counter. */
async function claimNext(redis: Redis): Promise<number> {
  const number = await redis.incr(COUNTER);
  if (number >= REDIS_DATABASES) throw noneFree(`all ${REDIS_DATABASES} have been used in this run`);
  return number;
}

async function claimEmpty(redis: Redis): Promise<number> {
  const [, count = '16'] = (await redis.config('GET', 'databases')) as readonly string[];
  for (let number = 1; number < Number(count); number += 1) {
    await redis.select(number);
    if ((await redis.dbsize()) > 0) continue;
    const claimed = await redis.set(CLAIM, process.pid, 'NX');
    if (claimed === 'OK') return number;
  }
  throw noneFree('none of the numbered databases of REDIS_URL is empty');
}

function noneFree(why: string): LocalStackError {
  return new LocalStackError('NO_FREE_REDIS_DATABASE', `No Redis database is left for this caller: ${why}`, {
    hint: 'Let callers stop() their services, or start Redis with a larger --databases.',
  });
}
