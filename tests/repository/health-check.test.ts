// infra/docker/health-check.mjs as Docker runs it: its exit code is the health of the container.
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { repository } from './compose-file.ts';

interface Outcome {
  readonly code: number;
  readonly output: string;
}

const checked = (url: string): Promise<Outcome> =>
  new Promise((resolve) => {
    const script = path.join(repository, 'infra/docker/health-check.mjs');
    const child = execFile(process.execPath, [script, url], (_error, output) =>
      resolve({ code: child.exitCode ?? -1, output }),
    );
  });

async function serverThatAnswers(status: number, text: string): Promise<string> {
  const server = createServer((_request, response) => void response.writeHead(status).end(text));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/health/ready`;
}

it('is well where it is answered with 200, and says nothing', async () => {
  expect(await checked(await serverThatAnswers(200, 'fine'))).toEqual({ code: 0, output: '' });
});

it('is ill where it is answered with 503, and says what was answered', async () => {
  const { code, output } = await checked(await serverThatAnswers(503, '{"database":"down"}'));
  expect([code, output]).toEqual([1, expect.stringContaining('503 {"database":"down"}')]);
});

it('is ill where nobody listens, or no address was given', async () => {
  const { code, output } = await checked('http://127.0.0.1:9/');
  expect([code, output]).toEqual([1, expect.stringContaining('http://127.0.0.1:9/')]);
  expect(await checked('')).toMatchObject({ code: 1 });
});
