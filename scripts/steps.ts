// Steps of a command: tools run one after another, each with its name and time, ending at the first that fails.
import { spawnSync } from 'node:child_process';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '..');

export interface Step {
  readonly name: string;
  /** Returns whether the step held. */
  readonly run: () => boolean;
}

/** Runs a tool of node_modules/.bin with inherited output and returns its exit code. */
export function runTool(
  tool: string,
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): number {
  const result = spawnSync(path.join(root, 'node_modules', '.bin', tool), [...parameters], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  if (result.error !== undefined) throw result.error;
  return result.status ?? 1;
}

/** Runs the steps in order and returns whether all held. */
export function runSteps(steps: readonly Step[]): boolean {
  for (const step of steps) {
    const started = performance.now();
    process.stdout.write(`\n— ${step.name}\n`);
    if (!step.run()) {
      process.stdout.write(`\n${step.name}: failed\n`);
      return false;
    }
    process.stdout.write(`${step.name}: held (${((performance.now() - started) / 1000).toFixed(1)} s)\n`);
  }
  return true;
}
