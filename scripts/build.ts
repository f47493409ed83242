// Compiles the applications that need it: those with decorators, which Node.js cannot read by itself.
// Nx caches each result by its sources, so that a second call costs about a second.
import { runTool } from './steps.ts';

process.exitCode = runTool('nx', [
  'run-many',
  '--targets=build',
  '--output-style=stream',
  ...process.argv.slice(2),
]);
