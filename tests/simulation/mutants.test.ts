import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { mutated } from './mutants/mutated-copy.ts';
import { rotation } from './mutants/mutant-run.ts';
import { mutants } from './mutants/mutants.ts';
import { scenarios } from './scenarios/scenarios.ts';

const repository = path.resolve(import.meta.dirname, '..', '..');
const DAY_MS = 86_400_000;

describe('the mutants of the protocol', () => {
  it('are many, and no two have one name', () => {
    expect(mutants.length).toBeGreaterThanOrEqual(24);
    expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
  });

  it.each(mutants)('$id finds its place in the sources, once', (mutant) => {
    const source = fs.readFileSync(path.join(repository, mutant.file), 'utf8');
    expect(mutated(mutant, source)).not.toBe(source);
    if (mutant.scenario !== undefined) expect(Object.keys(scenarios)).toContain(mutant.scenario);
  });

  it('fail loudly when the sources have moved on', () => {
    const [mutant] = mutants;
    if (mutant === undefined) throw new Error('there are none');
    expect(() => mutated(mutant, 'const other = 1;')).toThrow(/0 times/);
    expect(() => mutated(mutant, mutant.find + mutant.find)).toThrow(/2 times/);
  });

  it('all have their turn within some weeks, two a day, the same all day long', () => {
    const days = Math.ceil(mutants.length / 2);
    const turns = Array.from({ length: days }, (_, day) => rotation(mutants, day * DAY_MS + 1000)).flat();
    expect(new Set(turns).size).toBe(mutants.length);
    expect(rotation(mutants, DAY_MS)).toEqual(rotation(mutants, 2 * DAY_MS - 1));
  });
});
