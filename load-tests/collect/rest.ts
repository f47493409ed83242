/**
 * Waiting until a system has come to rest: nothing to read, nothing to publish, no order open, every refund noted. It
 * gives up after a deadline without a word: the audit that follows names what was not finished.
 */
import { isLive } from '@seatlog/booking';
import { createClient } from '@seatlog/kafka-client';
import type { ServiceEndpoints } from '@seatlog/local-stack';
import { collectDatabase } from './database-facts.ts';
import { collectLags } from './lag-facts.ts';

export const REST_DEADLINE_MS = 120_000;
const LOOK_AGAIN_MS = 250;

/** Whether it came to rest in time. */
export async function untilAtRest(
  endpoints: ServiceEndpoints,
  withinMs = REST_DEADLINE_MS,
): Promise<boolean> {
  const client = createClient({
    brokers: endpoints.brokers,
    clientId: 'seatlog-audit',
    allowAutoTopicCreation: false,
  });
  const end = performance.now() + withinMs;
  try {
    for (;;) {
      const lags = await collectLags(client);
      if (lags.every(({ lag }) => lag === 0) && (await isSettled(endpoints.databaseUrl))) return true;
      if (performance.now() > end) return false;
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  } finally {
    await client.close();
  }
}

async function isSettled(databaseUrl: string): Promise<boolean> {
  const { outbox, orders, reservations, refunds } = await collectDatabase(databaseUrl);
  const ended = reservations.filter((row) => !isLive(row)).length;
  return (
    outbox.length === 0 && orders.every((order) => order.status !== 'PENDING') && refunds.length >= ended
  );
}
