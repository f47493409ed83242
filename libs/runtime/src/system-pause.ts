import { setTimeout as delay } from 'node:timers/promises';
import type { RetryPolicy } from './passing-faults.ts';

/** The pause of a process that lives by the system's clock. */
export const systemPause: RetryPolicy['pause'] = async (ms, signal) => {
  await delay(ms, undefined, { signal });
};
