/**
 * A private copy of Redis from the packages of Debian or Ubuntu: without root, without installing anything, and
 * without touching the system's package lists. apt-get gets state and cache folders of its own and only downloads;
 * dpkg-deb unpacks. Libraries that the system has already are not fetched again.
 *
 * The copy lies in `<folder>/<distribution>-<release>-<architecture>/` and can be deleted at any time.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { lockWithin } from '../folder-lock.ts';
import { LocalStackError } from '../local-stack-error.ts';
import { aptOptions, distributionSources } from './apt-options.ts';
import { findOnPath } from './program-path.ts';
import type { RedisProgram } from './redis-program.ts';

const run = promisify(execFile);

/** Another process may be fetching: a slow mirror takes a while. */
const FETCH_DEADLINE_MS = 180_000;
const PACKAGES = ['redis-server', 'redis-tools'] as const;

export interface Distribution {
  readonly id: string;
  readonly release: string;
  readonly codename: string;
}

export function isDebianLike(): boolean {
  return (
    process.platform === 'linux' &&
    existsSync('/etc/debian_version') &&
    findOnPath(['apt-get'], process.env['PATH'] ?? '') !== undefined &&
    findOnPath(['dpkg-deb'], process.env['PATH'] ?? '') !== undefined
  );
}

export async function debianRedis(
  folder: string,
  onProgress: (message: string) => void,
): Promise<RedisProgram> {
  const distribution = thisDistribution();
  const name = `${distribution.id}-${distribution.release}-${process.arch}`;
  const copy = join(folder, name);
  const command = join(copy, 'usr/bin/redis-server');
  if (!existsSync(command)) {
    const lock = await lockWithin(join(folder, `${name}.lock`), FETCH_DEADLINE_MS, 'the fetch of Redis');
    try {
      if (!existsSync(command)) await fetchCopy(copy, distribution, onProgress);
    } finally {
      lock.release();
    }
  }
  return {
    command,
    libraryPath: libraryFolders(copy).join(':'),
    origin: `${distribution.id} ${distribution.release}'s package, unpacked in ${copy}`,
  };
}

async function fetchCopy(
  copy: string,
  distribution: Distribution,
  onProgress: (message: string) => void,
): Promise<void> {
  onProgress(
    `fetching Redis from the packages of ${distribution.id} ${distribution.release} (once, about 13 MB)`,
  );
  const work = `${copy}.fetch`;
  rmSync(work, { recursive: true, force: true });
  for (const part of ['lists/partial', 'archives/partial', 'unpacked']) {
    mkdirSync(join(work, part), { recursive: true });
  }
  writeFileSync(join(work, 'sources.list'), distributionSources(distribution.codename));
  try {
    await download(work);
    const archives = join(work, 'archives');
    for (const archive of readdirSync(archives).filter((file) => file.endsWith('.deb'))) {
      await run('dpkg-deb', ['-x', join(archives, archive), join(work, 'unpacked')]);
    }
    if (!existsSync(join(work, 'unpacked/usr/bin/redis-server'))) {
      throw new Error('the packages hold no usr/bin/redis-server');
    }
    rmSync(copy, { recursive: true, force: true });
    renameSync(join(work, 'unpacked'), copy);
  } catch (cause) {
    const said =
      (cause as { stderr?: string }).stderr?.trim().split('\n').slice(-5).join('\n') ?? String(cause);
    throw new LocalStackError('REDIS_FETCH_FAILED', `Redis could not be fetched: ${said}`, {
      hint: 'Check the network, or install it (apt-get install redis-server), or give REDIS_URL.',
      cause,
    });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** A source that cannot be reached spoils an update only if the packages then are not to be had. */
async function download(work: string): Promise<void> {
  const options = aptOptions(work);
  const environment = { env: { ...process.env, LC_ALL: 'C' }, timeout: FETCH_DEADLINE_MS };
  const update = await run('apt-get', [...options, 'update'], environment).catch((error: unknown) => error);
  try {
    await run(
      'apt-get',
      [...options, '--yes', '--download-only', '--no-install-recommends', 'install', ...PACKAGES],
      environment,
    );
  } catch (error) {
    throw update instanceof Error ? update : error;
  }
}

function libraryFolders(copy: string): readonly string[] {
  return ['usr/lib', 'lib'].flatMap((base) => {
    const folder = join(copy, base);
    if (!existsSync(folder)) return [];
    const tuples = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return [folder, ...tuples.map((entry) => join(folder, entry.name))];
  });
}

function thisDistribution(): Distribution {
  const fields = new Map(
    readFileSync('/etc/os-release', 'utf8')
      .split('\n')
      .map((line) => line.split('='))
      .map(([key = '', ...value]) => [key, value.join('=').replaceAll('"', '')] as const),
  );
  const codename = fields.get('VERSION_CODENAME') ?? fields.get('UBUNTU_CODENAME') ?? '';
  return { id: fields.get('ID') ?? 'debian', release: fields.get('VERSION_ID') ?? codename, codename };
}
