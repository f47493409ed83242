// What can be told about the sources without running them: format, lint, types, arrows.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { root, runTool, type Step } from './steps.ts';

const sources = ['libs', 'apps', 'load-tests', 'benchmarks', 'tests', 'scripts'];

/** Fewer modules than this means that the arrows were not looked at, whatever the tool says. */
const MODULES_EXPECTED_AT_LEAST = 150;

export const staticChecks: readonly Step[] = [
  { name: 'format', run: () => runTool('biome', ['format', '.']) === 0 },
  { name: 'types', run: () => runTool('tsc', ['-p', 'tsconfig.json']) === 0 },
  {
    name: 'lint',
    run: () => runTool('oxlint', ['--type-aware', '--deny-warnings', '--quiet', ...sources]) === 0,
  },
  { name: 'arrows', run: checkArrows },
];

interface CruiseResult {
  readonly summary: {
    readonly totalCruised: number;
    readonly violations: readonly {
      readonly from: string;
      readonly to: string;
      readonly rule: { readonly name: string };
    }[];
  };
}

function checkArrows(): boolean {
  const cruiser = path.join(root, 'node_modules', '.bin', 'depcruise');
  const result = spawnSync(
    cruiser,
    ['--config', '.dependency-cruiser.mjs', '--output-type', 'json', ...sources],
    {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  if (result.error !== undefined) throw result.error;
  const { summary } = JSON.parse(result.stdout) as CruiseResult;
  for (const { rule, from, to } of summary.violations)
    process.stdout.write(`${rule.name}: ${from} -> ${to}\n`);
  process.stdout.write(`${summary.totalCruised} modules looked at\n`);
  if (summary.totalCruised < MODULES_EXPECTED_AT_LEAST) {
    process.stdout.write(
      `At least ${MODULES_EXPECTED_AT_LEAST} modules were expected: the arrows were not checked.\n`,
    );
    return false;
  }
  return summary.violations.length === 0;
}
