// The rules of docs/rules.md: each is kept somewhere, and tests bear its id.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const repository = path.resolve(import.meta.dirname, '..', '..');
const read = (file: string): string => fs.readFileSync(path.join(repository, file), 'utf8');

/** Rules of parts that are not built. */
const unbuilt: ReadonlySet<string> = new Set(['K10', 'K17', 'K18', 'K20', 'T5', 'F30', 'F48']);

interface Rule {
  readonly id: string;
  /** Files, from the repository's root. */
  readonly keptIn: readonly string[];
}

const rules: readonly Rule[] = read('docs/rules.md')
  .split('\n')
  .flatMap((line) => {
    const [, id, rest] = /^\| ([KRTF]\d+) \|(.*)\|$/.exec(line) ?? [];
    if (id === undefined) return [];
    const places = [...(rest ?? '').matchAll(/`((?:apps|libs)\/[^`]+)`/g)].map(([, place = '']) => place);
    return [{ id, keptIn: places }];
  });

/** What stands in quotes in test files: names of tests, and of the rows of their tables. */
const named = new Set(
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.test.ts'], {
    cwd: repository,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file !== '' && !file.startsWith('tests/repository/'))
    .filter((file) => fs.existsSync(path.join(repository, file)))
    .flatMap((file) => idsIn(read(file))),
);

function idsIn(source: string): readonly string[] {
  return [...source.matchAll(/(["'`])([^\n]*?)\1/g)].flatMap(
    ([, , text = '']) => text.match(/\b[KRTF]\d+\b/g) ?? [],
  );
}

it('finds the rules, and ids in the names of tests', () => {
  expect(rules.length).toBeGreaterThan(90);
  expect(idsIn("it('R7, F21: a story', () => ask(R9)); const text = `K3`;")).toEqual(['R7', 'F21', 'K3']);
  expect(idsIn('// R7 in passing')).toEqual([]);
});

describe('every rule', () => {
  it('that is built has a test that bears its id', () => {
    const untested = rules.map(({ id }) => id).filter((id) => !unbuilt.has(id) && !named.has(id));
    expect(untested).toEqual([]);
  });

  it('that is not built has none', () => {
    expect([...unbuilt].filter((id) => named.has(id))).toEqual([]);
  });

  it('of replication and of clusters says where it is kept', () => {
    const ids = [
      ...Array.from({ length: 30 }, (_, index) => `R${index + 1}`),
      ...Array.from({ length: 10 }, (_, index) => `F${index + 20}`),
    ];
    const placed = new Set(rules.filter(({ keptIn }) => keptIn.length > 0).map(({ id }) => id));
    expect(ids.filter((id) => !placed.has(id))).toEqual([]);
  });

  it('is kept in files that exist', () => {
    const places = new Set(rules.flatMap(({ keptIn }) => keptIn));
    expect([...places].filter((place) => !fs.existsSync(path.join(repository, place)))).toEqual([]);
  });
});
