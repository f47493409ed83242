/** The demo: start, tell where everything is, keep it going, stop in order. */
import { relative } from 'node:path';
import { isFree, type Stack, type StackPorts } from '@seatlog/local-stack';
import { demoEvent } from '@seatlog/ticketing-setup';
import { startTicketing } from '../ticketing-stack.ts';
import { externalServices } from './external-services.ts';
import type { Leaving } from './leaving.ts';
import { progressLine } from './progress.ts';
import { supervise } from './supervise.ts';

export interface DemoOptions {
  readonly fresh: boolean;
  readonly brokers: number;
  readonly workers: number;
  readonly data?: string | undefined;
}

/** Ports that people know, where they are free. */
const KNOWN_PORTS = { bookingApi: 8080, brokers: [9092, 9093, 9094] } as const;

export async function runDemo(
  options: DemoOptions,
  leaving: Leaving,
  say: (line: string) => void,
): Promise<number> {
  const stack = await startTicketing({
    fresh: options.fresh,
    ...(options.data === undefined ? {} : { dataDirectory: options.data }),
    brokers: options.brokers,
    workers: options.workers,
    ports: await knownPorts(),
    external: externalServices(),
    signal: leaving.signal,
    onProgress: (progress) => {
      const line = progressLine(progress);
      if (line !== null) say(line);
    },
  });
  say(welcome(stack));
  const stopping = new AbortController();
  const failed = supervise(stack, stopping.signal, say);
  const code = await Promise.race([leaving.requested.then(() => 0), failed.then(() => 1)]);
  stopping.abort();
  await stack.stop();
  say('Stopped.');
  return code;
}

async function knownPorts(): Promise<StackPorts> {
  const { bookingApi, brokers } = KNOWN_PORTS;
  return {
    ...((await isFree(bookingApi)) ? { bookingApi } : {}),
    brokers: await Promise.all(brokers.map(async (port) => ((await isFree(port)) ? port : null))),
  };
}

function welcome({ endpoints, dataDirectory }: Stack): string {
  const { bookingApiUrl, brokers, brokerHttpUrls, databaseUrl, redisUrl } = endpoints;
  const { eventId } = demoEvent;
  return `
Seatlog runs.

  Ticket shop   ${bookingApiUrl}  (API: ${bookingApiUrl}/docs)
  Brokers       ${brokers}${brokerHttpUrls.map((url, index) => `\n                broker-${index + 1}: ${url}/state`).join('')}
  PostgreSQL    ${databaseUrl}
  Redis         ${redisUrl}
  Data, logs    ${relative(process.cwd(), dataDirectory) || dataDirectory}

Try:

${curlLines(bookingApiUrl, eventId).join('\n')}

The last answer holds a statusUrl; \`npm run audit\` in another terminal looks at everything. Ctrl-C stops.
`;
}

export function curlLines(url: string, eventId: string): readonly string[] {
  const body = JSON.stringify({
    userId: 'ada',
    seats: [`${eventId}:A-1-1`, `${eventId}:A-1-2`],
    payment: { method: 'card', cardToken: 'tok_ok' },
  });
  return [
    `  curl -s ${url}/events`,
    `  curl -s ${url}/events/${eventId}/seats | head -c 600`,
    `  curl -s -X POST ${url}/events/${eventId}/reservations -H 'content-type: application/json' -H 'idempotency-key: first' -d '${body}'`,
  ];
}
