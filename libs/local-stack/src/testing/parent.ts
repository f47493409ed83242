/**
 * An owner of child processes for tests to end in every way: `node parent.ts <way> <dataDirectory> <what>`. It prints
 * the pids of its children as one line of JSON, then leaves in the way asked for, or waits for a signal.
 */
import { ChildOfStack, type ManagedProcess } from '../managed-process.ts';
import { startPostgres } from '../postgres/start-postgres.ts';
import { startRedis } from '../redis/start-redis.ts';
import { startBroker } from '../start-broker.ts';
import { startSleeper } from './sleeper.ts';

const [way = '', dataDirectory = '', what = ''] = process.argv.slice(2);

async function startChildren(): Promise<readonly ManagedProcess[]> {
  switch (what) {
    case 'servers': {
      const starting = [
        startPostgres({ dataDirectory, durable: false }),
        startRedis({ dataDirectory, durable: false }),
      ];
      return (await Promise.all(starting)).map((server) => server.process);
    }
    case 'broker':
      return [(await startBroker({ dataDirectory })).process];
    default:
      return Promise.all([
        startSleeper(dataDirectory),
        startSleeper(dataDirectory, { deaf: what === 'deaf', name: 'other' }),
      ]);
  }
}

const children = await startChildren();
process.stdout.write(`${JSON.stringify(children.map((child) => child.pid))}\n`);

switch (way) {
  case 'end':
    // Nothing is left to do but the children, which must not keep us alive.
    for (const child of children) if (child instanceof ChildOfStack) child.unref();
    break;
  case 'exit':
    process.exitCode = 3;
    setImmediate(() => process.exit());
    break;
  case 'throw':
    setImmediate(() => {
      throw new Error('thrown on purpose');
    });
    break;
  default:
    setInterval(() => undefined, 1_000);
}
