/**
 * The `seatlog` command. Exit code 0: done, and all held; 1: something did not hold; 2: it could not be done.
 */
import { failureText } from '@seatlog/local-stack';
import { labCommand } from './lab/lab-command.ts';
import { UsageError } from './usage-error.ts';

const HELP = `seatlog <command>

  lab    replication experiments on a cluster of their own, told step by step

seatlog <command> --help tells more.
`;

const write = (text: string): void => void process.stdout.write(text);

function main([command, ...args]: readonly string[]): Promise<number> {
  switch (command) {
    case 'lab':
      return labCommand(args, write);
    case 'help':
    case '--help':
    case '-h':
      write(HELP);
      return Promise.resolve(0);
    default:
      throw new UsageError(`There is no command ${command ?? '(none given)'}.\n\n${HELP}`);
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`\n${failureText(error, UsageError)}\n`);
  process.exitCode = 2;
}
// Sockets of brokers that are gone may linger; nothing is waited for any more.
process.exit();
