import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { EVENT, until, withApi, type ApiFixture } from '../testing/api-fixture.ts';
import { LISTENING_SOCKETS, WideListener } from './wide-listener.ts';

const HOST = '127.0.0.1';
const CROWD = 8 * LISTENING_SOCKETS;

describe.skipIf(process.platform !== 'linux')('a wide listener', () => {
  const sockets: Socket[] = [];

  const arrive = (port: number): Socket => {
    const socket = connect(port, HOST);
    socket.on('error', () => undefined);
    sockets.push(socket);
    return socket;
  };

  async function withListener(
    work: (listener: WideListener, fixture: ApiFixture) => Promise<void>,
  ): Promise<void> {
    await withApi({}, async (fixture) => {
      const listener = await WideListener.listen(fixture.app, { port: 0, host: HOST });
      try {
        await work(listener, fixture);
      } finally {
        for (const socket of sockets.splice(0)) socket.destroy();
        await listener.close();
      }
    });
  }

  async function statusOver(socket: Socket): Promise<string> {
    socket.write(`GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n`);
    const [bytes] = await once(socket, 'data');
    return String(bytes).slice(0, 12);
  }

  it('F70: lets in many of a crowd in one turn, and serves each of them', async () => {
    await withListener(async (listener, fixture) => {
      const turns = await turnsToLetIn(fixture, CROWD, () => arrive(listener.port));
      // One socket lets in one a turn.
      expect(turns).toBeLessThan(CROWD / 2);
      const answers = await Promise.all(sockets.map(statusOver));
      expect(new Set(answers)).toEqual(new Set(['HTTP/1.1 200']));
    });
  });

  it('F71: closes when all who are in have been served, and lets nobody else in', async () => {
    await withListener(async (listener, fixture) => {
      const { port } = listener;
      let proceed = () => {};
      fixture.publisher.hold = new Promise((resolve) => (proceed = resolve));
      const crowd = Array.from({ length: CROWD }, () => arrive(port));
      const underWay = crowd.slice(0, 10).map(async (socket, index) => {
        socket.write(reservation(index));
        const [bytes] = await once(socket, 'data');
        return String(bytes).toLowerCase();
      });
      await until(() => fixture.publisher.calls === 10);
      fixture.health.startDraining();
      let isClosed = false;
      const closing = listener.close().then(() => (isClosed = true));
      await until(() => !fixture.app.getHttpServer().listening);
      const late = arrive(port);
      // Not by `once`, which would reject for the refusal that is awaited.
      await new Promise((resolve) => late.once('close', resolve));
      expect(isClosed).toBe(false);
      proceed();
      for (const answer of await Promise.all(underWay)) {
        expect(answer).toMatch(/^http\/1\.1 202[^]*\nconnection: close/);
      }
      for (const socket of crowd) socket.end();
      await closing;
    });
  });

  it('refuses a port that someone listens on, also one who would share it', async () => {
    await withListener(async ({ port }) => {
      await withApi({}, async (second) => {
        const again = WideListener.listen(second.app, { port, host: HOST });
        await expect(again).rejects.toMatchObject({ code: 'EADDRINUSE' });
      });
    });
  });
});

function reservation(index: number): string {
  const body = JSON.stringify({
    userId: `user-${index}`,
    seats: [`${EVENT}:A-1-${index + 1}`],
    payment: { method: 'card', cardToken: 'tok_ok' },
  });
  const head = `POST /events/${EVENT}/reservations HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nidempotency-key: k\r\n`;
  return `${head}content-length: ${body.length}\r\n\r\n${body}`;
}

/** How many turns of the loop saw at least one of them come in. */
async function turnsToLetIn(fixture: ApiFixture, count: number, arrive: () => void): Promise<number> {
  const inside: Socket[] = [];
  let [turns, seen] = [0, 0];
  fixture.app.getHttpServer().on('connection', (socket: Socket) => inside.push(socket));
  for (let index = 0; index < count; index += 1) arrive();
  while (inside.length < count) {
    await nextTurn();
    if (inside.length > seen) turns += 1;
    seen = inside.length;
  }
  return turns;
}
