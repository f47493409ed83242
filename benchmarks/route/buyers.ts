/** Buyers who want a seat each, a fixed number of them at a time. */
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import type { ServerUnderTest } from './shop.ts';

const ACCEPTED = 202;
const AT_A_TIME = 16;
const SALE_DEADLINE_MS = 30_000;
const ASK_AGAIN_MS = 100;

export class Buyers {
  readonly #server: ServerUnderTest;
  readonly #pool: Pool;
  #next = 0;

  constructor(server: ServerUnderTest) {
    this.#server = server;
    this.#pool = new Pool(server.url, { connections: AT_A_TIME });
  }

  /** Waits until a seat can be had: the API first has to read the hall. */
  async untilOnSale(): Promise<void> {
    const end = performance.now() + SALE_DEADLINE_MS;
    for (;;) {
      const status = await this.#buyOne();
      if (status === ACCEPTED) return;
      if (performance.now() > end) throw new Error(`${this.#server.name} sells nothing: ${status}`);
      await pause(ASK_AGAIN_MS);
    }
  }

  async buy(count: number): Promise<void> {
    const end = this.#next + count;
    const lane = async (): Promise<void> => {
      while (this.#next < end) {
        const status = await this.#buyOne();
        if (status !== ACCEPTED) throw new Error(`${this.#server.name} refused a seat: ${status}`);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, lane));
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #buyOne(): Promise<number> {
    const { eventId, seatIds } = this.#server;
    const index = this.#next++;
    const { statusCode, body } = await this.#pool.request({
      method: 'POST',
      path: `/events/${eventId}/reservations`,
      headers: { 'content-type': 'application/json', 'idempotency-key': `order-${index}` },
      body: JSON.stringify({
        userId: `buyer-${index}`,
        seats: [seatIds[index]],
        payment: { method: 'card', cardToken: 'tok_ok' },
      }),
    });
    await body.dump();
    return statusCode;
  }
}
