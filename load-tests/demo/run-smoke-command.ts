/** The smoke sale as a command: on data of its own, which a running demo does not share. */
import { layoutDirectory, type Stack } from '@seatlog/local-stack';
import { demoEvent } from '@seatlog/ticketing-setup';
import { killLeader } from '../smoke/leader-kill.ts';
import { runSmoke, type SmokeSummary } from '../smoke/run-smoke.ts';
import { startTicketing } from '../ticketing-stack.ts';
import { externalServices } from './external-services.ts';
import type { Leaving } from './leaving.ts';
import { progressLine } from './progress.ts';

export interface SmokeCommandOptions {
  readonly brokers: number;
  readonly workers: number;
  readonly seed?: number | undefined;
  readonly data?: string | undefined;
}

export async function runSmokeCommand(
  options: SmokeCommandOptions,
  leaving: Leaving,
  say: (line: string) => void,
): Promise<number> {
  const external = externalServices();
  const stack = await startTicketing({
    dataDirectory: options.data ?? layoutDirectory('smoke'),
    fresh: true,
    brokers: options.brokers,
    workers: options.workers,
    external,
    signal: leaving.signal,
    onProgress: (progress) => {
      const line = progressLine(progress);
      if (line !== null) say(line);
    },
  });
  // Where brokers of our own can stand the loss of one, they are put to it.
  const isKilled = external.brokers === undefined && options.brokers > 1;
  let summary: SmokeSummary | null;
  try {
    summary = await unlessLeaving(sell(stack, options, isKilled, say), leaving);
  } finally {
    await stack.stop();
  }
  if (summary === null) return 1;
  for (const complaint of summary.complaints) say(`  ✗ ${complaint}`);
  for (const { rule, message } of summary.violations) say(`  ✗ ${rule}: ${message}`);
  say(JSON.stringify(summary));
  return summary.ok ? 0 : 1;
}

function sell(
  stack: Stack,
  options: SmokeCommandOptions,
  isKilled: boolean,
  say: (line: string) => void,
): Promise<SmokeSummary> {
  return runSmoke({
    endpoints: stack.endpoints,
    eventId: demoEvent.eventId,
    directory: stack.dataDirectory,
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    ...(isKilled ? { disturbance: () => killLeader(stack, say) } : {}),
    say,
  });
}

async function unlessLeaving<T>(promise: Promise<T>, leaving: Leaving): Promise<T | null> {
  return Promise.race([promise, leaving.requested.then(() => null)]);
}
