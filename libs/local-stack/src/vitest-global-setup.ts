/**
 * Vitest's global setup: one pair of servers for the whole run, started when the first test file calls
 * `testServices()`, stopped after the last. Each project of the root's vitest.config.ts names it:
 *
 *     globalSetup: ['./libs/local-stack/src/vitest-global-setup.ts']
 *
 * Workers find the host by the variable SEATLOG_TEST_SERVICES, which they inherit.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LocalStackError } from './local-stack-error.ts';
import { ServiceHost } from './test-services/service-host.ts';
import { HOST_VARIABLE, type HostAnswer } from './test-services/test-services.ts';

export default async function setup(): Promise<() => Promise<void>> {
  // Each project of a workspace runs the setup in the same process: one host serves them all.
  if (process.env[HOST_VARIABLE] !== undefined) return () => Promise.resolve();
  const host = new ServiceHost((line) => process.stdout.write(`${line}\n`));
  const server = createServer((_, response) => {
    void answer(host).then((body) => {
      response.setHeader('content-type', 'application/json');
      response.setHeader('connection', 'close');
      response.end(JSON.stringify(body));
    });
  });
  process.env[HOST_VARIABLE] = `http://127.0.0.1:${await listen(server)}/`;
  return async () => {
    delete process.env[HOST_VARIABLE];
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await host.stop();
  };
}

async function answer(host: ServiceHost): Promise<HostAnswer> {
  try {
    return { servers: await host.servers() };
  } catch (error) {
    if (error instanceof LocalStackError) return { code: error.code, what: error.what, hint: error.hint };
    return { message: error instanceof Error ? error.message : String(error) };
  }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
