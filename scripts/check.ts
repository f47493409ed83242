// What a developer runs all day: format, lint, types, arrows, unit tests and repository rules.
import { runSteps, runTool } from './steps.ts';
import { staticChecks } from './static-checks.ts';

const held = runSteps([
  ...staticChecks,
  {
    name: 'unit tests',
    run: () => runTool('vitest', ['run', '--project', 'unit', ...process.argv.slice(2)]) === 0,
  },
]);
process.exitCode = held ? 0 : 1;
