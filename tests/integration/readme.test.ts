/** The examples of the client's README, run as they stand there, in their order. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestCluster } from './test-cluster.ts';

const README = new URL('../../libs/kafka-client/README.md', import.meta.url);
const EXAMPLE = /^## (.+)$|```ts\n([\s\S]*?)```/gm;
const EXAMPLE_DEADLINE_MS = 60_000;

interface Example {
  readonly title: string;
  readonly code: string;
}

function examples(): readonly Example[] {
  const found: Example[] = [];
  let heading = '';
  for (const [, title, code] of readFileSync(README, 'utf8').matchAll(EXAMPLE)) {
    if (title !== undefined) heading = title;
    if (code !== undefined) found.push({ title: `${heading} ${found.length + 1}`, code });
  }
  return found;
}

let cluster: TestCluster;

beforeAll(async () => {
  cluster = await TestCluster.start();
});

afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

describe('the examples of the README', () => {
  it('there are some', () => {
    expect(examples().length).toBeGreaterThan(5);
  });

  it.each(examples().map(({ title, code }) => [title, code] as const))('%s', async (_, code) => {
    // From here, so that the packages of the examples are found.
    const { stderr } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module-typescript', '--eval', code],
      {
        cwd: import.meta.dirname,
        env: { ...process.env, BROKERS: cluster.address },
        timeout: EXAMPLE_DEADLINE_MS,
      },
    );
    expect(stderr).toBe('');
  });
});
