import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const IMPORT = /from '([^']+)'/g;

/** All modules that a module imports, and those that these import. */
function importsOf(module: URL, seen = new Set<string>()): Set<string> {
  for (const [, name = ''] of readFileSync(module, 'utf8').matchAll(IMPORT)) {
    const target = name.startsWith('.') ? new URL(name, module).href : name;
    if (seen.has(target)) continue;
    seen.add(target);
    if (name.startsWith('.')) importsOf(new URL(target), seen);
  }
  return seen;
}

describe('the entry for topic declarations', () => {
  it('imports nothing of Node, and nothing but its own few files', () => {
    const imports = [...importsOf(new URL('topics.ts', import.meta.url))];
    expect(imports.length).toBeGreaterThan(3);
    expect(imports.filter((name) => !name.startsWith('file:'))).toEqual([]);
    const foreign = imports.filter((name) => !/\/src\/(topics\/[\w-]+|producer\/murmur2)\.ts$/.test(name));
    expect(foreign).toEqual([]);
  });
});
