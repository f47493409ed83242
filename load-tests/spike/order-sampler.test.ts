import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MOST_FOLLOWED, OrderSampler } from './order-sampler.ts';

/** Answers with these statuses in turn, the last one for ever. */
async function samplerOf(statuses: readonly string[]) {
  let asked = 0;
  const server = createServer((_, response) => {
    const status = statuses[Math.min(asked, statuses.length - 1)];
    asked += 1;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ status }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const sampler = new OrderSampler(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'gala');
  const follow = (orderId: string): void => {
    const statusUrl = `/reservations/${orderId}`;
    sampler.follow({ orderId, statusUrl, userId: 'u', idempotencyKey: 'k', acceptedAt: Date.now() });
  };
  return { sampler, follow };
}

describe('sampled orders', () => {
  it('are followed until they have ended, and kept for the audit', async () => {
    const { sampler, follow } = await samplerOf(['PENDING', 'PENDING', 'CONFIRMED']);
    follow('a');
    await sampler.close();
    expect(sampler.entries).toMatchObject([{ request: 'status', orderId: 'a', status: 'CONFIRMED' }]);
    expect(sampler.confirmMs.figures().count).toBe(1);
  });

  it('that were not confirmed say nothing about how long it takes', async () => {
    const { sampler, follow } = await samplerOf(['REJECTED']);
    follow('a');
    await sampler.close();
    expect(sampler.entries).toMatchObject([{ status: 'REJECTED' }]);
    expect(sampler.confirmMs.figures().count).toBe(0);
  });

  it('are so many at one time and no more', async () => {
    const { sampler, follow } = await samplerOf(['CONFIRMED']);
    for (let order = 0; order < MOST_FOLLOWED + 3; order += 1) follow(String(order));
    await sampler.close();
    expect(sampler.entries).toHaveLength(MOST_FOLLOWED);
    expect(sampler.skipped).toBe(3);
  });
});
