/** Compiles the apps; Nx does nothing for those whose sources have not changed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { repositoryRoot } from '@seatlog/local-stack';
import { CommandError } from './command-error.ts';

const MOST_OUTPUT = 8_000;

export async function buildApps(say: (line: string) => void, signal: AbortSignal): Promise<void> {
  const begin = performance.now();
  const child = spawn(
    process.execPath,
    [
      join(repositoryRoot, 'node_modules/nx/dist/bin/nx.js'),
      'run-many',
      '--targets=build',
      '--output-style=stream',
    ],
    {
      cwd: repositoryRoot,
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
    },
  );
  let output = '';
  const keep = (chunk: unknown): void => {
    output = (output + String(chunk)).slice(-MOST_OUTPUT);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new CommandError(`The apps could not be built:\n${output}`);
  say(`  ✓ apps built  ${((performance.now() - begin) / 1000).toFixed(1)} s`);
}
