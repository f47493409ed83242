/**
 * What the scripts of writers have in common: their orders, and a line for each record that was acknowledged. A writer
 * sends one record after another to all partitions in turn, and again what was not acknowledged, until SIGTERM.
 */
import { setTimeout as pause } from 'node:timers/promises';

export interface WriterOrders {
  readonly brokers: string;
  readonly topic: string;
  readonly partitions: number;
}

export interface WriterLine {
  readonly kind: 'acknowledged';
  readonly value: string;
}

const BETWEEN_RECORDS_MS = 5;
const BEFORE_ANOTHER_TRY_MS = 100;

export function writerOrders(): WriterOrders {
  process.stdin.on('end', () => process.exit(1)).resume();
  return JSON.parse(process.argv[2] ?? '') as WriterOrders;
}

/** `send` is done when the record is acknowledged by all replicas in sync. */
export async function writeUntilAsked(
  { partitions }: WriterOrders,
  send: (partition: number, value: string) => Promise<unknown>,
): Promise<void> {
  const asked = new AbortController();
  process.once('SIGTERM', () => asked.abort());
  for (let number = 0; !asked.signal.aborted; number += 1) {
    const value = `record-${number}`;
    while (!(await isSent(send(number % partitions, value)))) await pause(BEFORE_ANOTHER_TRY_MS);
    process.stdout.write(`${JSON.stringify({ kind: 'acknowledged', value } satisfies WriterLine)}\n`);
    await pause(BETWEEN_RECORDS_MS);
  }
  process.stdin.destroy();
}

async function isSent(sending: Promise<unknown>): Promise<boolean> {
  try {
    await sending;
    return true;
  } catch (error) {
    process.stderr.write(`${String(error)}\n`);
    return false;
  }
}
