// Tells one scenario to a library that is named by path. Ends with 0 if it holds; else it says what did not.
import type { Library } from './scenarios/scenario.ts';
import { scenarios } from './scenarios/scenarios.ts';

const [library = '@seatlog/simulation', name = ''] = process.argv.slice(2);
const scenario = scenarios[name];
if (scenario === undefined) throw new Error(`There is no scenario ${name}.`);
try {
  scenario.tell((await import(library)) as Library);
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
