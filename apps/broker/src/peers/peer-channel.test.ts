import { apis, encodeResponse, decodeRequestHeader, FrameSplitter } from '@seatlog/kafka-protocol';
import type { ByteStream, StreamListener } from '@seatlog/runtime';
import { ManualClock, ManualTurns, MemoryNetwork } from '@seatlog/runtime/testing';
import { expect, it } from 'vitest';
import { silentLogger } from '../logger.ts';
import type { PeerChannel, PeerChannelLimits, PeerOutcome } from './peer-channel.ts';
import { peerChannel } from './peer-connections.ts';

const PORT = 9092;
const PEER = { id: 2, host: 'two', port: PORT };
const ENTRY = { name: 'topic' };

interface Asked {
  readonly correlationId: number;
  readonly stream: ByteStream;
}

/** A node that keeps what it is asked, and the channel that asks it. */
class Bench {
  readonly clock = new ManualClock();
  readonly turns = new ManualTurns();
  readonly network = new MemoryNetwork(this.turns);
  readonly asked: Asked[] = [];
  readonly outcomes: PeerOutcome<{ throttleTimeMs: number }>[] = [];
  accepted = 0;
  readonly channel: PeerChannel;

  constructor(limits: Partial<PeerChannelLimits> = {}) {
    this.channel = peerChannel({
      name: 'tests',
      clientId: 'node-1',
      network: this.network,
      clock: this.clock,
      timers: this.clock,
      log: silentLogger,
      limits,
    });
  }

  listen(port = PORT): Promise<StreamListener> {
    return this.network.listen(
      { host: '', port, backlog: 1 },
      {
        accepted: (incoming) => {
          this.accepted += 1;
          const splitter = new FrameSplitter();
          const memory = new Uint8Array(16);
          const stream = incoming.open({
            memory: () => memory,
            received: (_memory, length) =>
              splitter.push(memory.slice(0, length), (frame) =>
                this.asked.push({ correlationId: decodeRequestHeader(frame).correlationId, stream }),
              ),
            ended: () => {},
          });
          stream.resume();
        },
        failed: () => {},
      },
    );
  }

  ask(timeoutMs = 1000, port = PORT): void {
    this.channel.send({ ...PEER, port }, apis.metadata, 9, { topics: [ENTRY] }, { timeoutMs }, (outcome) =>
      this.outcomes.push(outcome),
    );
  }

  answer(place: number, throttleTimeMs: number): void {
    const { correlationId, stream } = this.asked[place] as Asked;
    const frame = encodeResponse(apis.metadata, 9, correlationId, {
      throttleTimeMs,
      brokers: [],
      topics: [],
    });
    stream.write([Buffer.concat(frame)], 0, () => {});
    this.turns.endAll();
  }

  /** Each outcome as the throttle time that was answered, or why there is no answer. */
  get heard(): (number | string)[] {
    return this.outcomes.map((outcome) =>
      outcome.kind === 'answered' ? outcome.response.throttleTimeMs : outcome.reason,
    );
  }
}

it('connects when it has something to send, once, and gives each request its answer', async () => {
  const bench = new Bench();
  await bench.listen();
  bench.ask();
  bench.ask();
  bench.turns.endAll();
  expect([bench.accepted, bench.asked.length, bench.heard]).toEqual([1, 2, []]);
  bench.answer(0, 7);
  bench.answer(1, 8);
  expect(bench.heard).toEqual([7, 8]);
});

it('a request out of time fails what is in flight with it, and its late answer goes to nobody', async () => {
  const bench = new Bench();
  await bench.listen();
  bench.ask(500);
  bench.ask(900);
  bench.turns.endAll();
  bench.clock.advance(500);
  expect(bench.heard).toEqual(Array(2).fill('no answer to Metadata within 500 ms'));
  bench.ask();
  bench.answer(0, 7);
  bench.turns.endAll();
  expect([bench.accepted, bench.heard.length]).toEqual([2, 2]);
  bench.answer(2, 9);
  expect(bench.heard.at(-1)).toBe(9);
});

it('an answer to another request breaks the connection', async () => {
  const bench = new Bench();
  await bench.listen();
  bench.ask();
  bench.ask();
  bench.turns.endAll();
  bench.answer(1, 8);
  expect(bench.heard).toEqual(Array(2).fill(expect.stringContaining('what came is no answer')));
  expect(bench.network.connections).toBe(0);
});

it('a peer that closes the connection fails what is in flight; the next request connects anew', async () => {
  const bench = new Bench();
  await bench.listen();
  bench.ask();
  bench.turns.endAll();
  bench.asked[0]?.stream.destroy();
  bench.turns.endAll();
  expect(bench.outcomes).toEqual([
    { kind: 'failed', reason: 'the peer closed the connection', closed: true },
  ]);
  bench.ask();
  bench.turns.endAll();
  bench.answer(1, 5);
  expect(bench.heard.at(-1)).toBe(5);
});

it('pauses longer after each refusal; a request in a pause waits for the next attempt or its own time', async () => {
  const bench = new Bench({ reconnectBackoffMs: 50, reconnectBackoffMaxMs: 100 });
  bench.ask();
  bench.turns.endAll();
  expect(bench.heard).toEqual([expect.stringContaining('ECONNREFUSED')]);
  expect(bench.outcomes[0]).toMatchObject({ kind: 'failed', closed: true });
  bench.ask(20);
  bench.ask();
  bench.clock.advance(20);
  expect(bench.outcomes.at(-1)).toEqual({ kind: 'failed', reason: 'no answer to Metadata within 20 ms' });
  bench.clock.advance(30);
  bench.turns.endAll();
  expect([bench.heard.length, bench.heard.at(-1)]).toEqual([3, expect.stringContaining('ECONNREFUSED')]);
  await bench.listen();
  bench.ask();
  bench.clock.advance(99);
  bench.turns.endAll();
  expect(bench.asked).toEqual([]);
  bench.clock.advance(1);
  bench.turns.endAll();
  bench.answer(0, 3);
  expect(bench.heard.at(-1)).toBe(3);
});

it('a peer that moved is looked for at its address now', async () => {
  const bench = new Bench();
  await bench.listen();
  await bench.listen(PORT + 1);
  bench.ask();
  bench.turns.endAll();
  bench.ask(1000, PORT + 1);
  bench.turns.endAll();
  expect(bench.heard).toEqual(['the peer has another address now']);
  bench.answer(1, 4);
  expect([bench.heard.at(-1), bench.network.connections]).toEqual([4, 1]);
});

it('what is beyond the bound on requests in flight fails, but not before send has returned', async () => {
  const bench = new Bench({ maxInFlight: 1 });
  await bench.listen();
  bench.ask();
  bench.ask();
  expect(bench.heard).toEqual([]);
  bench.clock.advance(0);
  expect(bench.heard).toEqual(['1 requests to node 2 are in flight already']);
});

it('fails what is in flight when it is closed, and takes no more', async () => {
  const bench = new Bench();
  await bench.listen();
  bench.ask();
  bench.turns.endAll();
  bench.channel.close();
  bench.ask();
  bench.clock.advance(0);
  bench.turns.endAll();
  expect([bench.heard, bench.network.connections]).toEqual([Array(2).fill('this node stops'), 0]);
});

it('a channel that lends its answers has them in the same memory, each whole while its callback runs', async () => {
  const bench = new Bench();
  await bench.listen();
  const lending = peerChannel({
    name: 'tests',
    clientId: 'node-1',
    network: bench.network,
    clock: bench.clock,
    timers: bench.clock,
    log: silentLogger,
    lendsAnswers: true,
  });
  const seen: number[][] = [];
  const lent: Uint8Array[] = [];
  const fills = [1, 2, 3];
  // Larger than one read, so that they are put together.
  const sizes = [200_000, 100_000, 300_000];
  for (const place of fills.keys()) {
    lending.send(
      PEER,
      apis.fetch,
      11,
      { maxWaitMs: 0, minBytes: 1, topics: [] },
      { timeoutMs: 1000 },
      (outcome) => {
        const records =
          outcome.kind === 'answered' ? outcome.response.responses[0]?.partitions[0]?.records : undefined;
        if (!records) return;
        lent.push(records);
        seen.push([records.length, ...new Set(records)]);
      },
    );
    bench.turns.endAll();
    const { correlationId, stream } = bench.asked[place] as Asked;
    const partition = {
      partitionIndex: 0,
      errorCode: 0,
      highWatermark: 0,
      records: Buffer.alloc(sizes[place] ?? 0, fills[place] ?? 0),
    };
    const responses = [{ topic: 't', partitions: [partition] }];
    stream.write([Buffer.concat(encodeResponse(apis.fetch, 11, correlationId, { responses }))], 0, () => {});
    bench.turns.endAll();
  }
  expect(seen).toEqual(fills.map((fill, place) => [sizes[place], fill]));
  expect(lent[1]?.buffer).toBe(lent[0]?.buffer);
  lending.close();
});
