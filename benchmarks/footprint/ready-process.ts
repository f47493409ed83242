/**
 * Processes that answer `GET /healthz`, and how long each took from being spawned to its first 200: the broker, and beside
 * it the least that Node.js can be and still answer.
 */
import { existsSync } from 'node:fs';
import { startBrokerProcess } from '../broker/broker-process.ts';
import { type Child, startChild } from '../broker/child.ts';
import { cpuNanoseconds } from '../broker/process-cpu.ts';

export interface ReadyProcess extends Child {
  readonly readyMs: number;
  /** Processor time until then; NaN where the platform does not tell of other processes. */
  readonly cpuMs: number;
}

const BARE = `
  const server = require('node:http').createServer((request, response) => response.end('ready'));
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    console.log(JSON.stringify({ port, http: '127.0.0.1:' + port }));
  });
`;

export function startBareNode(): Promise<ReadyProcess> {
  return timeToReady(() => startChild(['-e', BARE], ({ port }) => (typeof port === 'number' ? port : null)));
}

/** `state` is what the log directory must be found in: a start that recovers is not measured as one that need not. */
export async function startBrokerUntilReady(
  directory: string,
  state: 'empty' | 'stopped' | 'killed',
): Promise<ReadyProcess> {
  const broker = await timeToReady(() =>
    startBrokerProcess(directory, { 'seatlog.http.listener': '127.0.0.1:0' }),
  );
  const isClean = broker.announcement['cleanStart'] === true;
  if (state !== 'empty' && isClean !== (state === 'stopped')) {
    await broker.stop();
    throw new Error(`the broker found its directory ${isClean ? '' : 'un'}clean, where it had been ${state}`);
  }
  return broker;
}

async function timeToReady(start: () => Promise<Child>): Promise<ReadyProcess> {
  const begun = performance.now();
  const child = await start();
  try {
    const { status } = await fetch(`http://${String(child.announcement['http'])}/healthz`);
    const readyMs = performance.now() - begun;
    if (status !== 200)
      throw new Error(`a process that had said it listens answered /healthz with ${status}`);
    return { ...child, readyMs, cpuMs: processorMilliseconds(child.processId) };
  } catch (error) {
    await child.stop();
    throw error;
  }
}

function processorMilliseconds(processId: number): number {
  return existsSync(`/proc/${processId}`) ? cpuNanoseconds(processId) / 1e6 : Number.NaN;
}
