/** The examples of the client's README, run as they stand there, in their order. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { createClient } from '@seatlog/kafka-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshName, freshTopic, TestCluster } from './test-cluster.ts';

const README = new URL('../../libs/kafka-client/README.md', import.meta.url);
const EXAMPLE = /^## (.+)$|```ts\n([\s\S]*?)```/gm;
/** Topics and groups of the examples, which get fresh names: each example relies on what the ones before it wrote. */
const NAMES = /'(reservations|refunds|orders|db-writer|mailer|notifier)'/g;
const EXAMPLE_DEADLINE_MS = 120_000;

interface Example {
  readonly title: string;
  readonly code: string;
}

function examples(): readonly Example[] {
  const found: Example[] = [];
  let heading = '';
  for (const [, title, code] of readFileSync(README, 'utf8').matchAll(EXAMPLE)) {
    if (title !== undefined) heading = title;
    if (code === undefined) continue;
    const renamed = code.replaceAll(NAMES, (_, name: string) => `'${freshName(name)}'`);
    found.push({ title: `${heading} ${found.length + 1}`, code: renamed });
  }
  return found;
}

let cluster: TestCluster;

beforeAll(async () => {
  cluster = await TestCluster.start();
  // Given brokers may not make topics by themselves.
  await using client = createClient({ brokers: cluster.address });
  for (const topic of ['reservations', 'refunds']) await freshTopic(client, topic);
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
