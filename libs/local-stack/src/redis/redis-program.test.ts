import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderOfTest } from '../testing/temporary-folder.ts';
import { distributionSources } from './apt-options.ts';
import { isDebianLike } from './debian-redis.ts';
import { findOnPath } from './program-path.ts';
import { installHint } from './redis-program.ts';

describe('the Redis program', () => {
  it('is found on the PATH, Redis before Valkey, and only if it can be run', () => {
    const folder = folderOfTest();
    const [one, two] = [join(folder.path, 'one'), join(folder.path, 'two')];
    for (const [directory, name, mode] of [
      [one, 'valkey-server', 0o755],
      [one, 'redis-server', 0o644],
      [two, 'redis-server', 0o755],
    ] as const) {
      mkdirSync(directory, { recursive: true });
      writeFileSync(join(directory, name), '');
      chmodSync(join(directory, name), mode);
    }
    const names = ['redis-server', 'valkey-server'];
    expect(findOnPath(names, `${one}:${two}`)).toBe(join(two, 'redis-server'));
    expect(findOnPath(names, `:${one}`)).toBe(join(one, 'valkey-server'));
    expect(findOnPath(names, '')).toBeUndefined();
  });

  it('comes with advice for each system where it has to be installed', () => {
    expect(installHint('darwin')).toContain('brew install redis');
    expect(installHint('linux')).toContain('dnf install');
    expect(installHint('freebsd')).toContain('REDIS_URL');
  });

  it.runIf(isDebianLike())(
    'is fetched from the distribution without root and without a package list of the system',
    () => {
      const folder = folderOfTest();
      if (process.getuid?.() === 0) chownSync(folder.path, 65534, 65534);
      const script = `
        import { debianRedis } from ${JSON.stringify(join(import.meta.dirname, 'debian-redis.ts'))};
        console.log(JSON.stringify(await debianRedis(process.argv[1], console.error)));`;
      const { stdout, stderr } = spawnSync(
        process.execPath,
        ['--input-type=module', '-e', script, join(folder.path, 'cache')],
        { encoding: 'utf8', ...(process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}) },
      );
      expect(stderr).toContain('fetching Redis');
      const { command, libraryPath } = JSON.parse(stdout) as { command: string; libraryPath: string };
      expect(command.startsWith(folder.path)).toBe(true);
      const version = execFileSync(command, ['--version'], {
        encoding: 'utf8',
        env: { LD_LIBRARY_PATH: libraryPath },
      });
      expect(version).toMatch(/v=\d+\.\d+/);
      expect(existsSync(join(folder.path, 'cache', 'lists'))).toBe(false);
    },
    180_000,
  );
});

describe('package sources', () => {
  it('are the system’s own of the distribution, in both formats, without those of third parties', () => {
    const folder = folderOfTest();
    mkdirSync(join(folder.path, 'sources.list.d'));
    const write = (file: string, lines: readonly string[]): void =>
      writeFileSync(join(folder.path, file), lines.join('\n'));
    write('sources.list', [
      '# deb http://old.example/debian bookworm main',
      'deb http://mirror.example/debian bookworm-updates main',
      'deb-src http://mirror.example/debian bookworm main',
    ]);
    write('sources.list.d/debian.sources', [
      'Types: deb',
      '# a comment',
      'URIs: http://mirror.example/debian',
      'Suites: bookworm bookworm-security',
      'Components: main contrib',
      'Signed-By: /usr/share/keyrings/debian.gpg',
      '',
      'Types: deb',
      'Enabled: no',
      'URIs: http://off.example/debian',
      'Suites: bookworm',
      'Components: main',
    ]);
    write('sources.list.d/third.list', ['deb [arch=amd64] https://vendor.example/apt vendor-bookworm main']);
    expect(distributionSources('bookworm', folder.path).trim().split('\n').toSorted()).toEqual([
      'deb [signed-by=/usr/share/keyrings/debian.gpg] http://mirror.example/debian bookworm main contrib',
      'deb [signed-by=/usr/share/keyrings/debian.gpg] http://mirror.example/debian bookworm-security main contrib',
      'deb http://mirror.example/debian bookworm-updates main',
    ]);
  });
});
