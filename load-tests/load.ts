/**
 * `npm run load -- <scenario> [options]`: load on a system of its own, and what it did with it. The last line is JSON. Exit
 * code 0: the audit is sound; 1: something was found; 2: it could not be made.
 */
import { failureText } from '@seatlog/local-stack';
import { CommandError } from './demo/command-error.ts';
import { spikeCommand } from './spike/spike-command.ts';

const HELP = `npm run load -- <scenario> [options]

  spike    buyers arrive by the clock, whether or not the earlier ones have been served

npm run load -- <scenario> --help tells its options.
`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function main([scenario, ...args]: readonly string[]): Promise<number> {
  switch (scenario) {
    case 'spike':
      return spikeCommand(args, say);
    case '--help':
    case '-h':
      say(HELP);
      return Promise.resolve(0);
    default:
      throw new CommandError(`There is no scenario ${scenario ?? '(none given)'}.\n\n${HELP}`);
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`\n${failureText(error, CommandError)}\n`);
  process.exitCode = 2;
}
// Sockets of clients that were cut off may linger; nothing is waited for any more.
process.exit();
