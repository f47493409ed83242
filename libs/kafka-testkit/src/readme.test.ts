import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const README = new URL('../README.md', import.meta.url);
const EXAMPLE = /^## (.+)$|^```ts\n([\s\S]*?)^```/gm;
const EXAMPLE_DEADLINE_MS = 100_000;

function examples(): [string, string][] {
  const found: [string, string][] = [];
  let heading = '';
  for (const [, title, code] of readFileSync(README, 'utf8').matchAll(EXAMPLE)) {
    if (title !== undefined) heading = title;
    if (code !== undefined) found.push([heading, code]);
  }
  return found;
}

describe('the examples of the README', () => {
  it('are three', () => {
    expect(examples().map(([title]) => title)).toEqual(['Start', 'Make things go wrong', 'Let time pass']);
  });

  it.each(examples())('%s', async (_title, code) => {
    // From here, so that the packages of the examples are found.
    const { stderr } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module-typescript', '--eval', code],
      { cwd: import.meta.dirname, timeout: EXAMPLE_DEADLINE_MS },
    );
    expect(stderr).toBe('');
  });
});
