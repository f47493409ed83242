import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, lstatSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it, afterAll } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { postgresBinaries } from './postgres-binaries.ts';

const NOBODY = { uid: 65534, gid: 65534 };
const version = (program: string): string => execFileSync(program, ['--version'], { encoding: 'utf8' });

/** The package as npm leaves it when it runs no install scripts: without the links, and in a place of our own. */
function packageWithoutLinks(folder: string): string {
  const original = dirname(dirname(dirname(postgresBinaries(undefined).initdb)));
  const packaged = join(folder, 'package');
  cpSync(original, packaged, { recursive: true, verbatimSymlinks: true });
  const links = JSON.parse(readFileSync(join(packaged, 'native/pg-symlinks.json'), 'utf8')) as {
    target: string;
  }[];
  for (const { target } of links) rmSync(join(packaged, target), { force: true });
  return packaged;
}

describe('PostgreSQL binaries', () => {
  const folder = temporaryFolder();
  let packaged = '';
  beforeAll(() => {
    packaged = packageWithoutLinks(folder.path);
  });
  afterAll(() => folder.remove());

  it('do not run without the links (this is what the rest is about)', () => {
    expect(() => execFileSync(join(packaged, 'native/bin/initdb'), ['--version'], { stdio: 'pipe' })).toThrow(
      /shared librar/,
    );
  });

  it('are copied to a place that the unprivileged user can reach, with links, once', () => {
    const copies = join(folder.path, 'copies');
    mkdirSync(copies);
    const closed = join(folder.path, 'package');
    chmodSync(closed, 0o700);
    const { initdb } = postgresBinaries(NOBODY, { packaged, copies });
    expect(initdb.startsWith(copies)).toBe(true);
    expect(version(initdb)).toMatch(/^initdb \(PostgreSQL\) 18/);
    const made = lstatSync(initdb).ino;
    expect(lstatSync(postgresBinaries(NOBODY, { packaged, copies }).initdb).ino).toBe(made);
  });

  it('get the missing links where the package lies, if nothing else is wrong', () => {
    const { initdb, postgres } = postgresBinaries(undefined, { packaged, copies: '/nowhere' });
    expect(initdb.startsWith(packaged)).toBe(true);
    expect(version(initdb)).toMatch(/^initdb \(PostgreSQL\) 18/);
    expect(version(postgres)).toMatch(/^postgres \(PostgreSQL\) 18/);
  });
});
