import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@seatlog/runtime/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readJournal } from '../audit/journal.ts';
import { Generator } from './generator.ts';
import type { GeneratorMessage } from './generator-messages.ts';
import { LatencyHistogram } from './latency-histogram.ts';
import { defaultMix } from './mix.ts';
import type { SpikeSettings } from './spike-options.ts';

type Reply =
  | 'accept'
  | 'accept later'
  | 'hang up'
  | 'never'
  | { readonly status: number; readonly code: string };

interface Seen {
  readonly key: string;
  readonly seats: readonly string[];
}

/** A booking API that replies by the number of the request; the last reply is for all that follow. */
async function scriptedApi(replies: readonly Reply[]) {
  const seen: Seen[] = [];
  const held: (() => void)[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    void bodyOf(request).then(({ seats }) => {
      const reply = replies[Math.min(seen.length, replies.length - 1)] ?? 'hang up';
      const key = String(request.headers['idempotency-key']);
      seen.push({ key, seats });
      if (reply === 'hang up') return void request.socket.destroy();
      const accepted = {
        reservationId: `order-${key}`,
        token: key,
        statusUrl: `/reservations/${key}`,
        seats: seats.map((seatId) => ({ seatId, reservationId: `${key}-${seatId}` })),
      };
      const isRefusal = typeof reply === 'object';
      const answer = (): void => {
        response.writeHead(isRefusal ? reply.status : 202, { 'content-type': 'application/json' });
        response.end(JSON.stringify(isRefusal ? { code: reply.code } : accepted));
      };
      if (reply === 'accept later') held.push(answer);
      else answer();
    });
  });
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    held,
    connections: () => connections,
  };
}

async function bodyOf(request: IncomingMessage): Promise<{ readonly seats: readonly string[] }> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return JSON.parse(text) as { readonly seats: readonly string[] };
}

const settings: SpikeSettings = {
  rate: 10,
  seconds: 1,
  profile: 'constant',
  partitions: 6,
  acks: 'all',
  brokers: 1,
  workers: 1,
  seats: 100,
  mix: defaultMix,
  connections: 32,
  keepAlive: true,
  warmUpSeconds: 0,
  seed: 7,
  fsync: false,
  kills: [],
};

function generatorFor(bookingApiUrl: string, change: Partial<SpikeSettings> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'seatlog-generator-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const journalFile = join(folder, 'journal.jsonl');
  const clock = new ManualClock();
  const messages: GeneratorMessage[] = [];
  const job = {
    settings: { ...settings, ...change },
    bookingApiUrl,
    eventId: 'gala',
    journalFile,
    runId: 'run',
  };
  const generator = new Generator(job, {
    clock,
    timers: clock,
    send: (message) => messages.push(message),
    cpuSeconds: () => 0,
  });
  return { clock, messages, run: generator.run(), journalFile };
}

describe('the generator', () => {
  it('counts each kind of answer, and keeps all of them', async () => {
    const taken = { status: 409, code: 'SEAT_TAKEN' };
    const { url, seen } = await scriptedApi(['accept', taken, 'hang up', taken, 'accept']);
    const { clock, run, journalFile } = generatorFor(url, { connections: 1 });
    // One at a time, so that the replies come in the order of the arrivals.
    for (let arrival = 1; arrival <= 10; arrival += 1) {
      await expect.poll(() => seen.length).toBe(arrival);
      clock.advance(100);
    }
    const { tally } = await run;
    expect(tally).toMatchObject({ offered: 10, started: 10, accepted: 7, dropped: 0 });
    expect(tally.refused).toEqual({ SEAT_TAKEN: 2 });
    expect(Object.values(tally.unanswered)).toEqual([1]);
    const outcomes = readJournal(journalFile).map((entry) =>
      entry.request === 'reserve' ? entry.outcome.kind : entry.request,
    );
    expect(outcomes.toSorted()).toEqual([...Array(7).fill('accepted'), 'refused', 'refused', 'unknown']);
  });

  it('asks for the same seats under the same keys when the seed is the same', async () => {
    const first = await scriptedApi(['accept']);
    const second = await scriptedApi(['accept']);
    for (const { url } of [first, second]) {
      const { clock, run } = generatorFor(url);
      clock.advance(1000);
      await run;
    }
    const byKey = (seen: readonly Seen[]) => seen.toSorted((a, b) => a.key.localeCompare(b.key));
    expect(byKey(second.seen)).toEqual(byKey(first.seen));
    expect(new Set(first.seen.map(({ key }) => key)).size).toBe(10);
  });

  it('counts latencies from the scheduled moment, the wait for a connection among them', async () => {
    const { url, held } = await scriptedApi(['accept later', 'accept']);
    const { clock, run } = generatorFor(url, { rate: 2, connections: 1 });
    await expect.poll(() => held.length).toBe(1);
    // The second one comes at 500 and finds the only connection taken; at 900 both are served in no time.
    clock.advance(900);
    held[0]?.();
    const { accept, startDelay, lateness } = await run;
    const figuresOf = (text: string) => LatencyHistogram.decoded(text).figures();
    expect(figuresOf(accept).p50).toBeCloseTo(400, -1);
    expect(figuresOf(accept).max).toBeCloseTo(900, -1);
    expect(figuresOf(startDelay).max).toBeCloseTo(400, -1);
    expect(figuresOf(lateness).max).toBe(0);
  });

  it('drops what waits for a connection for more than a second, and says so', async () => {
    const { url, held } = await scriptedApi(['accept later']);
    const { clock, messages, run } = generatorFor(url, { connections: 2 });
    await expect.poll(() => held.length).toBe(1);
    clock.advance(3000);
    const last = messages.findLast((message) => message.kind === 'progress');
    expect(last?.progress.tally).toMatchObject({
      offered: 10,
      started: 2,
      dropped: 8,
      underWay: 2,
      waiting: 0,
    });
    await expect.poll(() => held.length).toBe(2);
    for (const answer of held) answer();
    expect((await run).tally).toMatchObject({ accepted: 2, dropped: 8 });
  });

  it('warms up with arrivals that are not measured, but kept', async () => {
    const { url } = await scriptedApi(['accept']);
    const { clock, messages, run, journalFile } = generatorFor(url, { warmUpSeconds: 1 });
    clock.advance(1000);
    await expect.poll(() => messages.some(({ kind }) => kind === 'measuring')).toBe(true);
    clock.advance(1000);
    expect((await run).tally).toMatchObject({ offered: 10, accepted: 10 });
    expect(readJournal(journalFile)).toHaveLength(12);
  });

  it('comes on one connection or on many, as asked', async () => {
    for (const keepAlive of [true, false]) {
      const { url, seen, connections } = await scriptedApi(['accept']);
      const { clock, run } = generatorFor(url, { keepAlive, connections: 1 });
      for (let arrival = 1; arrival <= 10; arrival += 1) {
        await expect.poll(() => seen.length).toBe(arrival);
        clock.advance(100);
      }
      expect((await run).tally.accepted).toBe(10);
      expect(connections()).toBe(keepAlive ? 1 : 10);
    }
  });

  it('samples few of the accepted orders', async () => {
    const { url } = await scriptedApi(['accept']);
    const { clock, messages, run } = generatorFor(url, { rate: 50 });
    clock.advance(1000);
    await run;
    const samples = messages.filter(({ kind }) => kind === 'sample');
    expect(samples.length).toBeGreaterThan(0);
    expect(samples.length).toBeLessThanOrEqual(6);
  });
});
