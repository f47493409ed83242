/**
 * Runs benchmarks by name, each in a process of its own, one after another:
 *
 *     npm run bench -- codec|log|broker|sdk|footprint|database|route|replication [options of that benchmark]
 *
 * Without a name all of them run. It begins with what the figures depend on: commit, machine, Node.js. Each benchmark ends
 * with one JSON line. The exit code is 1 if one of them failed.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';

const benchmarks = [
  'codec',
  'log',
  'broker',
  'sdk',
  'footprint',
  'database',
  'route',
  'replication',
] as const;

function commit(): string {
  try {
    const options = { cwd: import.meta.dirname, encoding: 'utf8' } as const;
    const hash = execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], options).trim();
    const changed =
      execFileSync('git', ['status', '--porcelain', '--untracked-files=no'], options).trim() !== '';
    return changed ? `${hash} with changes` : hash;
  } catch {
    return 'unknown';
  }
}

function describeMachine(): void {
  const cpus = os.cpus();
  const memory = `${Math.round(os.totalmem() / 2 ** 30)} GiB`;
  console.log(`commit ${commit()}, ${new Date().toISOString()}`);
  console.log(`${cpus.length} × ${cpus[0]?.model ?? 'unknown CPU'}, ${memory}, Node.js ${process.version}`);
  console.log(`load average at the start ${os.loadavg()[0]?.toFixed(2)}`);
}

function runBenchmark(name: string, options: readonly string[]): boolean {
  console.log(`\n— ${name}`);
  const file = path.join(import.meta.dirname, `${name}.ts`);
  const result = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', file, ...options], {
    stdio: 'inherit',
  });
  if (result.error !== undefined) throw result.error;
  return result.status === 0;
}

function isKnown(name: string): name is (typeof benchmarks)[number] {
  return (benchmarks as readonly string[]).includes(name);
}

const [first, ...options] = process.argv.slice(2);
if (first !== undefined && !isKnown(first)) {
  console.error(`Unknown benchmark ${first}. There are: ${benchmarks.join(', ')}.`);
  process.exit(2);
}
describeMachine();
const outcomes = (first === undefined ? benchmarks : [first]).map((name) => runBenchmark(name, options));
process.exitCode = outcomes.every(Boolean) ? 0 : 1;
