/**
 * The generator's process. Started by `generator-process.ts` with an IPC channel: a job comes in, messages go out, and it
 * ends when the job is done or the channel is gone.
 */
import { systemClock, systemTimers } from '@seatlog/runtime';
import { Generator } from './generator.ts';
import type { GeneratorJob, GeneratorMessage } from './generator-messages.ts';

const MICROSECONDS = 1e6;

function send(message: GeneratorMessage): void {
  process.send?.(message);
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / MICROSECONDS;
}

async function run(job: GeneratorJob): Promise<void> {
  try {
    const generator = new Generator(job, { clock: systemClock, timers: systemTimers, send, cpuSeconds });
    send({ kind: 'result', result: await generator.run() });
  } catch (error) {
    send({ kind: 'failed', why: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
  process.disconnect();
}

// A Ctrl-C reaches the whole group of processes; whoever started this one decides what it means.
process.on('SIGINT', () => undefined);
process.once('disconnect', () => process.exit());
process.once('message', (job: GeneratorJob) => void run(job));
