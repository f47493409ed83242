// What is not checked is not a rule: the shape of the tree and of its files.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const repository = path.resolve(import.meta.dirname, '..', '..');
const MAX_LINES = 400;

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: repository,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && fs.existsSync(path.join(repository, file)));

const sources = tracked.filter((file) => /\.(ts|mjs|js|lua)$/.test(file));
const read = (file: string) => fs.readFileSync(path.join(repository, file), 'utf8');

function offenders(files: readonly string[], offends: (file: string) => boolean): string[] {
  return files.filter((file) => offends(file));
}

describe('the tree', () => {
  it('is looked at', () => {
    expect(sources.length).toBeGreaterThan(100);
  });

  it('has no folder or file named by technical kind', () => {
    const kinds = /(^|\/)(utils?|helpers?|common|shared|constants|manager|misc)(\.\w+)*(\/|$)/;
    expect(offenders(tracked, (file) => kinds.test(file))).toEqual([]);
  });

  it('has no name that tells how the work went', () => {
    const progress = /(^|[/.-])((phase|step|issue)[-_]?\d|(new|old|final|fix|tmp|temp|v2)([-_.]|\/|$))/i;
    expect(offenders(tracked, (file) => progress.test(file))).toEqual([]);
  });

  it(`has no source file over ${MAX_LINES} lines`, () => {
    const tooLong = (file: string) => read(file).trimEnd().split('\n').length > MAX_LINES;
    expect(offenders(sources, tooLong)).toEqual([]);
  });
});

describe('sources', () => {
  const own = sources.filter((file) => !file.startsWith('tests/repository/'));

  it('leave nothing for later', () => {
    const unfinished = /\b(TODO|FIXME|XXX)\b|not implemented/;
    expect(offenders(own, (file) => unfinished.test(read(file)))).toEqual([]);
  });

  it('have no enums and no namespaces', () => {
    const erasable = /^\s*(export\s+)?(declare\s+)?(const\s+)?(enum|namespace)\s+\w+/m;
    expect(offenders(own, (file) => file.endsWith('.ts') && erasable.test(read(file)))).toEqual([]);
  });

  it('do not run a single test alone or leave one out in silence', () => {
    const focused = /\b(it|test|describe)\.(only|todo)\b/;
    expect(offenders(own, (file) => file.endsWith('.test.ts') && focused.test(read(file)))).toEqual([]);
  });

  it('state their contract in a doc comment, where they are a module of a library or an application', () => {
    const modules = own.filter(
      (file) => /^(libs|apps)\/[^/]+\/src\/.*\.ts$/.test(file) && !file.endsWith('.test.ts'),
    );
    const contract = /^(#!.*\n)?\/\/ |\/\*\*/;
    expect(offenders(modules, (file) => !contract.test(read(file)))).toEqual([]);
  });
});
