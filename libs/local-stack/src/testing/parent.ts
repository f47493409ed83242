/**
 * An owner of child processes for tests to end in every way: `node parent.ts <way> <dataDirectory> <what>`. It prints
 * the pids of its children as one line of JSON, then leaves in the way asked for, or waits for a signal.
 */
import { startPostgres } from '../postgres/start-postgres.ts';
import { startRedis } from '../redis/start-redis.ts';
import { startSleeper } from './sleeper.ts';

const [way = '', dataDirectory = '', what = ''] = process.argv.slice(2);

const sleepers =
  what === 'servers'
    ? []
    : await Promise.all([
        startSleeper(dataDirectory),
        startSleeper(dataDirectory, { deaf: what === 'deaf', name: 'other' }),
      ]);
const servers =
  what === 'servers'
    ? await Promise.all([
        startPostgres({ dataDirectory, durable: false }),
        startRedis({ dataDirectory, durable: false }),
      ])
    : [];
const children = [...sleepers, ...servers.map((server) => server.process)];

process.stdout.write(`${JSON.stringify(children.map((child) => child.pid))}\n`);

switch (way) {
  case 'end':
    // Nothing is left to do but the children, which must not keep us alive.
    for (const child of sleepers) child.unref();
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
