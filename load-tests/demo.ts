/**
 * `npm run demo`: everything that sells tickets, on this machine, until Ctrl-C.
 * `npm run demo -- --smoke`: the same on data of its own, then the smoke sale and the audit; the last line is JSON, the
 * exit code 0 or 1, and nothing is left running.
 */
import { parseArgs } from 'node:util';
import { LocalStackError } from '@seatlog/local-stack';
import { buildApps } from './demo/build-apps.ts';
import { CommandError } from './demo/command-error.ts';
import { Leaving } from './demo/leaving.ts';
import { runDemo } from './demo/run-demo.ts';
import { runSmokeCommand } from './demo/run-smoke-command.ts';

const HELP = `npm run demo -- [options]

  --smoke        sell seats through the HTTP API, kill the leader of a partition meanwhile, audit, print one line of JSON, end
  --fresh        begin with empty data (--smoke always does)
  --brokers n    1, or 3 that replicate everything (default 3)
  --workers n    processes of the reservation worker (default 1)
  --seed n       of the smoke sale: the same seed makes the same plan
  --data folder  keep data and logs there (default .data/3-nodes or .data/one-node, with --smoke .data/smoke)
  --no-build     use the apps as they were built last

DATABASE_URL, REDIS_URL and BROKERS, where given, are used instead of servers of its own.
`;

function readOptions() {
  const { values } = parseArgs({
    options: {
      smoke: { type: 'boolean', default: false },
      fresh: { type: 'boolean', default: false },
      brokers: { type: 'string', default: '3' },
      workers: { type: 'string', default: '1' },
      seed: { type: 'string' },
      data: { type: 'string' },
      build: { type: 'boolean', default: true },
      help: { type: 'boolean', short: 'h', default: false },
    },
    allowNegative: true,
  });
  const whole = (name: 'brokers' | 'workers' | 'seed', text: string): number => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= 0 && value < 2 ** 32) return value;
    throw new CommandError(`--${name} ${text} is no whole number`);
  };
  const brokers = whole('brokers', values.brokers);
  if (brokers !== 1 && brokers !== 3) throw new CommandError(`--brokers ${brokers}: there are 1 and 3`);
  return {
    ...values,
    brokers,
    workers: Math.max(1, whole('workers', values.workers)),
    ...(values.seed === undefined ? { seed: undefined } : { seed: whole('seed', values.seed) }),
  };
}

/** What parseArgs throws for an option that it does not know. */
function isUsageError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const options = readOptions();
  if (options.help) {
    say(HELP);
    return 0;
  }
  const leaving = new Leaving(say);
  if (options.build) await buildApps(say, leaving.signal);
  return options.smoke ? runSmokeCommand(options, leaving, say) : runDemo(options, leaving, say);
}

try {
  process.exitCode = await main();
} catch (error) {
  const isExpected = error instanceof LocalStackError || error instanceof CommandError || isUsageError(error);
  const text = isExpected
    ? error.message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);
  process.stderr.write(`\n${text}\n`);
  process.exitCode = 1;
}
// Sockets of clients that were cut off may linger; nothing is waited for any more.
process.exit();
