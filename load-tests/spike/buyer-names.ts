/** Names of the crowd: user and idempotency key are one, and tell whether its request belongs to the measurement. Pure. */
import type { Progress } from './generator-messages.ts';

export function buyerName(runId: string, section: Progress['section'], number: number): string {
  return `${runId}-${section}-${number}`;
}

export function isMeasured(runId: string, name: string): boolean {
  return name.startsWith(buyerName(runId, 'measurement', 0).slice(0, -1));
}
