/** `seatlog lab replay <experiment>`: starts a cluster, tells what happens to it, judges, stops it. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { experiments, type ExperimentName, isExperimentName, replayByName, textNarrator } from '@seatlog/lab';
import { UsageError } from '../usage-error.ts';
import { verdictLines, verdictSummary } from './verdict-text.ts';

const SLOWEST_PACE = 10;
const QUICKEST_PACE = 0.1;

const names = Object.keys(experiments) as readonly ExperimentName[];

const HELP = `seatlog lab replay <experiment> [options]

${names.map((name) => `  ${name.padEnd(18)}${experiments[name].title}`).join('\n')}

  --pace n       times as in the original (1, the default), or quicker: ${QUICKEST_PACE} to ${SLOWEST_PACE}
  --data folder  keep data and logs of the brokers there
  --json         one line of JSON at the end, with all that was observed

Each starts a controller and three brokers of its own, and stops them. The exit code is 0 if the outcome is the expected one,
1 if it is not.
`;

interface LabOptions {
  readonly name: ExperimentName;
  readonly pace: number;
  readonly data: string | undefined;
  readonly json: boolean;
}

export async function labCommand(args: readonly string[], write: (text: string) => void): Promise<number> {
  const options = readLabOptions(args);
  if (options === null) {
    write(HELP);
    return 0;
  }
  const { title, shows } = experiments[options.name];
  write(`${title}\n\n${shows}\n`);
  const began = performance.now();
  const { observed, findings } = await replayByName(options.name, {
    narrator: textNarrator(write, () => performance.now() - began),
    pace: options.pace,
    signal: leaving(write),
    ...(options.data === undefined ? {} : { dataDirectory: resolve(options.data) }),
  });
  write(`\n=== Verdict\n${verdictLines(findings).join('\n')}\n\n${verdictSummary(findings)}\n`);
  if (options.json) write(`${JSON.stringify({ experiment: options.name, observed, findings })}\n`);
  return findings.every(({ held }) => held) ? 0 : 1;
}

/** null: help was asked for. */
export function readLabOptions(args: readonly string[]): LabOptions | null {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      pace: { type: 'string', default: '1' },
      data: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return null;
  const [action, name, ...more] = positionals;
  if (action !== 'replay' || more.length > 0) throw new UsageError(HELP);
  if (name === undefined || !isExperimentName(name)) {
    throw new UsageError(`There is no experiment ${name ?? '(none given)'}: there are ${names.join(', ')}.`);
  }
  const pace = Number(values.pace);
  if (!(pace >= QUICKEST_PACE && pace <= SLOWEST_PACE)) {
    throw new UsageError(
      `--pace ${values.pace}: a number from ${QUICKEST_PACE} to ${SLOWEST_PACE} is wanted`,
    );
  }
  return { name, pace, data: values.data, json: values.json };
}

/** Aborts the start of the cluster; later the exit guard of its processes stops them. */
function leaving(write: (text: string) => void): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      write(`\nStopping (${signal}).\n`);
      controller.abort(new UsageError(`stopped by ${signal}`));
      process.exit(2);
    });
  }
  return controller.signal;
}
