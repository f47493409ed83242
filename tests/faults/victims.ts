/** Who is killed, how, and what it finds when it comes back. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessExit } from '@seatlog/local-stack';
import type { ProcessName, SaleStack } from './sale-stack.ts';

interface VictimPlan {
  /** For people. */
  readonly called: string;
  /** Of the fault catalogue or of the ticketing rules. */
  readonly rule: string;
  readonly process: ProcessName;
  readonly signal: NodeJS.Signals;
  /** Everything that it kept is gone when it comes back. */
  readonly emptied: boolean;
  /** Some of what the seat lock knew may be gone: a seat may then be promised twice, and the second buyer refused late. */
  readonly locksMayBeLost: boolean;
}

const killed = { signal: 'SIGKILL', emptied: false, locksMayBeLost: false } as const;

const plans = {
  broker: { ...killed, called: 'the broker', rule: 'F63', process: 'broker-1' },
  'reservation-worker': { ...killed, called: 'the worker', rule: 'F65', process: 'reservation-worker' },
  'booking-api': { ...killed, called: 'the booking API', rule: 'F64', process: 'booking-api' },
  'outbox-relay': { ...killed, called: 'the relay', rule: 'F66', process: 'outbox-relay' },
  'refund-notifier': { ...killed, called: 'the refund notifier', rule: 'T6', process: 'refund-notifier' },
  /** With its append-only file, which may lack what it answered while an earlier part was being synced. */
  redis: { ...killed, called: 'Redis', rule: 'F62', process: 'redis', locksMayBeLost: true },
  'redis-emptied': {
    ...killed,
    called: 'Redis with all that it kept',
    rule: 'F60',
    process: 'redis',
    emptied: true,
    locksMayBeLost: true,
  },
  /** Its immediate stop: no checkpoint, every session cut, recovery at the next start. */
  postgres: { ...killed, called: 'PostgreSQL', rule: 'F67', process: 'postgres', signal: 'SIGQUIT' },
} as const satisfies Record<string, VictimPlan>;

export type Victim = keyof typeof plans;
export const victims = Object.keys(plans) as readonly Victim[];

export function planOf(victim: Victim): VictimPlan {
  return plans[victim];
}

export async function kill(stack: SaleStack, victim: Victim): Promise<ProcessExit> {
  const { process: name, signal } = plans[victim];
  const process = stack.process(name);
  process.kill(signal);
  return process.exited;
}

export async function bringBack(stack: SaleStack, victim: Victim): Promise<void> {
  const { process: name, emptied } = plans[victim];
  if (emptied) {
    const folder = join(stack.dataDirectory, name);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
  }
  await stack.process(name).restart();
}
