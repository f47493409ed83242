/** What a result was measured on: without it a figure says nothing to anyone else. */
import { execFileSync } from 'node:child_process';
import { arch, availableParallelism, cpus, platform, release, totalmem } from 'node:os';
import { repositoryRoot } from '@seatlog/local-stack';
import type { SpikeSettings } from './spike-options.ts';

export interface Fingerprint {
  /** null outside a git checkout. */
  readonly commit: string | null;
  /** Whether there were changes that no commit holds. */
  readonly changed: boolean | null;
  readonly node: string;
  readonly system: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly generator: string;
  /** What an acknowledgement and a commit stand on. */
  readonly durability: { readonly broker: string; readonly postgres: string; readonly redis: string };
}

export function fingerprint(settings: Pick<SpikeSettings, 'fsync'>, external: ExternalParts): Fingerprint {
  const status = git('status', '--porcelain');
  return {
    commit: git('rev-parse', 'HEAD'),
    changed: status === null ? null : status !== '',
    node: process.version,
    system: `${platform()} ${release()} ${arch()}`,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    generator: 'a process of its own on the same machine',
    durability: durabilityOf(settings, external),
  };
}

export interface ExternalParts {
  readonly brokers?: string;
  readonly databaseUrl?: string;
  readonly redisUrl?: string;
}

const AS_SET_THERE = 'as the server that was given is set';

function durabilityOf(
  { fsync }: Pick<SpikeSettings, 'fsync'>,
  external: ExternalParts,
): Fingerprint['durability'] {
  const broker = fsync ? 'fdatasync before the acknowledgement' : 'page cache (Kafka’s default)';
  return {
    broker: external.brokers === undefined ? broker : AS_SET_THERE,
    postgres: external.databaseUrl === undefined ? 'fsync at each commit' : AS_SET_THERE,
    redis: external.redisUrl === undefined ? 'append-only file, synced each second' : AS_SET_THERE,
  };
}

function git(...parameters: readonly string[]): string | null {
  try {
    return execFileSync('git', [...parameters], {
      cwd: repositoryRoot,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return null;
  }
}
