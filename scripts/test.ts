// Everything that belongs in CI: the static checks, the build of the applications, then all tests in one run.
// Its last line is `N passed, N failed, N skipped`, printed by the reporter in scripts/closing-line-reporter.ts.
import { staticChecks } from './static-checks.ts';
import { runSteps, runTool } from './steps.ts';

const prepared = runSteps([
  ...staticChecks,
  { name: 'build', run: () => runTool('nx', ['run-many', '--targets=build']) === 0 },
]);
process.exitCode = prepared ? runTool('vitest', ['run', ...process.argv.slice(2)]) : 1;
