// Formats every file in place.
import { runTool } from './steps.ts';

process.exitCode = runTool('biome', ['format', '--write', '.']);
