/**
 * Free loopback ports. They are drawn from below the range that the kernel gives to outgoing connections, so that no
 * connection takes one between the look and the use. Two processes may still draw the same: 12,000 ports make it rare.
 */
import { createServer } from 'node:net';
import { randomInt } from 'node:crypto';
import { LocalStackError } from './local-stack-error.ts';

const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;
const MOST_TRIES = 200;

const given = new Set<number>();

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
  throw new LocalStackError('PORT_IN_USE', `No free port between ${FIRST_PORT} and ${LAST_PORT}`, {
    hint: 'Stop other servers on this machine, or give the ports.',
  });
}

/** The port that was asked for, or the refusal; a free one when none was. */
export async function portOrFree(wanted: number | undefined, what: string): Promise<number> {
  if (wanted === undefined) return freePort();
  if (await isFree(wanted)) return wanted;
  throw new LocalStackError('PORT_IN_USE', `Port ${wanted} for ${what} is taken`, {
    hint: 'Stop what listens there, or give another port.',
  });
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
