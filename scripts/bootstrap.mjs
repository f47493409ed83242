#!/usr/bin/env node
// Starts one of the project's commands on the right Node.js with the right packages.
//
// Plain JavaScript without dependencies, since it runs before either is there, on any Node.js from 20 on.
// It promises: the command runs on Node.js 24 (or 26 and later) with node_modules as the lock file says; what it
// fetches lands in .cache/ and node_modules/ alone; signals reach the command; its exit code is passed on.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { ensureNode } from './toolchain/node-release.mjs';
import { ensurePackages } from './toolchain/packages.mjs';

const root = path.resolve(import.meta.dirname, '..');

/** What each command runs, as a TypeScript file that Node.js reads by type stripping. */
const commands = {
  demo: 'load-tests/demo.ts',
  audit: 'load-tests/audit.ts',
  load: 'load-tests/load.ts',
  bench: 'benchmarks/main.ts',
  build: 'scripts/build.ts',
  check: 'scripts/check.ts',
  format: 'scripts/format.ts',
  simulate: 'tests/simulation/main.ts',
  test: 'scripts/test.ts',
  drill: 'tests/drill/main.ts',
  seatlog: 'apps/cli/src/main.ts',
};

function commandFile(name) {
  const file = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined;
  if (file === undefined) {
    process.stderr.write(
      `Unknown command ${name ?? '(none)'}. There are: ${Object.keys(commands).join(', ')}.\n`,
    );
    process.exit(2);
  }
  return path.join(root, file);
}

/** Runs the command as a child, hands signals on, and ends as the child ended. */
function run(node, file, parameters) {
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', file, ...parameters], {
    // Paths that are given to the seatlog command are those of whoever typed it.
    cwd: name === 'seatlog' ? process.cwd() : root,
    stdio: 'inherit',
    env: {
      ...process.env,
      PATH: `${path.dirname(node)}${path.delimiter}${path.join(root, 'node_modules', '.bin')}${path.delimiter}${process.env.PATH ?? ''}`,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? path.join(root, '.cache', 'compiled'),
      SEATLOG_BOOTSTRAP_PID: String(process.pid),
    },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    // A terminal sends SIGINT to the whole process group: the child has it already, and a second one would cut its stop short.
    process.on(signal, () => (signal === 'SIGINT' && process.stdin.isTTY ? undefined : child.kill(signal)));
  }
  child.on('error', (error) => {
    process.stderr.write(`Cannot start ${node}: ${error.message}\n`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

const [name, ...parameters] = process.argv.slice(2);
const file = commandFile(name);
try {
  const node = ensureNode(root);
  ensurePackages(root, node);
  run(node, file, parameters);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}
