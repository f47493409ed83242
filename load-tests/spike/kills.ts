/** Processes to be killed while the crowd is there. What is killed is started again, as a cluster manager would. */
import type { Stack } from '@seatlog/local-stack';
import { CommandError } from '../demo/command-error.ts';

export interface Kill {
  /** As the report names it: broker-1, redis, booking-api, ... */
  readonly process: string;
  /** Of the measurement. */
  readonly atSeconds: number;
}

/** `broker-1@5` */
export function readKill(text: string, seconds: number): Kill {
  const [, process = '', at = ''] = /^([a-z0-9-]+)@(\d+)$/.exec(text) ?? [];
  const atSeconds = Number(at);
  if (process !== '' && atSeconds < seconds) return { process, atSeconds };
  throw new CommandError(
    `--kill ${text}: a process and a second below ${seconds} are wanted, as in broker-1@${Math.floor(seconds / 2)}`,
  );
}

export function checkKills(kills: readonly Kill[], stack: Pick<Stack, 'processes'>): void {
  const unknown = kills.find(({ process }) => !stack.processes.has(process));
  if (unknown === undefined) return;
  const names = [...stack.processes.keys()].join(', ');
  throw new CommandError(`--kill ${unknown.process}: there are ${names}`);
}

/** From now on; gives what calls the rest off. */
export function scheduleKills(kills: readonly Kill[], stack: Pick<Stack, 'processes'>): () => void {
  const timers = kills.map(({ process, atSeconds }) =>
    setTimeout(() => void stack.processes.get(process)?.kill('SIGKILL'), atSeconds * 1000),
  );
  return () => {
    for (const timer of timers) clearTimeout(timer);
  };
}
