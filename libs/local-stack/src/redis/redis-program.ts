/**
 * Which Redis server program to run. In order: `redis-server` or `valkey-server` on the PATH; a private copy from the
 * packages of a Debian or Ubuntu (see `debian-redis.ts`); else a refusal that says how to install one here. There is
 * no imitation of Redis in its place: what is tested against must be what runs.
 */
import { cacheDirectory } from '../repository.ts';
import { LocalStackError } from '../local-stack-error.ts';
import { debianRedis, isDebianLike } from './debian-redis.ts';
import { findOnPath } from './program-path.ts';

export interface RedisProgram {
  readonly command: string;
  /** Where its libraries lie, if they are not the system's. */
  readonly libraryPath?: string;
  /** For people: "redis-server on the PATH" and the like. */
  readonly origin: string;
}

const NAMES = ['redis-server', 'valkey-server'] as const;

export async function redisProgram(onProgress: (message: string) => void = () => {}): Promise<RedisProgram> {
  const onPath = findOnPath(NAMES, process.env['PATH'] ?? '');
  if (onPath !== undefined) return { command: onPath, origin: `${onPath} (on the PATH)` };
  if (isDebianLike()) return debianRedis(cacheDirectory('redis'), onProgress);
  throw new LocalStackError('REDIS_NOT_INSTALLED', 'There is no redis-server or valkey-server on the PATH', {
    hint: installHint(),
  });
}

/** What to type on the system at hand. */
export function installHint(platform: NodeJS.Platform = process.platform): string {
  const ways: Partial<Record<NodeJS.Platform, string>> = {
    darwin: 'Install it: brew install redis',
    linux:
      'Install it: dnf install valkey, apk add valkey, pacman -S valkey, or zypper install redis, by your distribution',
    win32: 'Use WSL 2 with Ubuntu, where it comes by itself',
  };
  return `${ways[platform] ?? 'Install Redis 7 or Valkey 8'}; or start one yourself and give REDIS_URL.`;
}
