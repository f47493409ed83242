import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import { ManualClock } from '@seatlog/runtime/testing';
import { expect, it } from 'vitest';
import { silentLogger } from '../logger.ts';
import type { Peer, PeerChannel, PeerOutcome } from '../peers/peer-channel.ts';
import { ControllerChannel, MAX_CONTROLLER_REQUESTS } from './controller-channel.ts';
import { MemoryQuorum } from './testing/memory-quorum.ts';

interface Attempt {
  readonly peerId: number;
  readonly timeoutMs: number;
  readonly done: (outcome: PeerOutcome<never>) => void;
}

/** Other nodes, which answer when the test says so. */
class Peers implements PeerChannel {
  readonly attempts: Attempt[] = [];
  readonly disconnected: number[] = [];

  send<Response>(
    peer: Peer,
    _api: unknown,
    _version: number,
    _body: unknown,
    { timeoutMs }: { readonly timeoutMs: number },
    done: (outcome: PeerOutcome<Response>) => void,
  ): void {
    this.attempts.push({ peerId: peer.id, timeoutMs, done });
  }

  disconnect(peerId: number): void {
    this.disconnected.push(peerId);
  }

  close(): void {}
}

class Bench {
  readonly clock = new ManualClock();
  readonly quorum = new MemoryQuorum(1);
  readonly peers = new Peers();
  readonly heard: string[] = [];
  readonly channel: ControllerChannel;

  constructor() {
    this.quorum.voters = [101, 102, 103].map((id) => ({ id, host: `controller-${id}`, port: 9093 }));
    this.quorum.lead(101);
    this.channel = new ControllerChannel({
      name: 'test',
      quorum: this.quorum,
      peers: this.peers,
      local: null,
      clock: this.clock,
      timers: this.clock,
      log: silentLogger,
    });
  }

  ask(timeoutMs = 10_000): void {
    this.channel.send(
      apis.allocateProducerIds,
      0,
      { brokerId: 1, brokerEpoch: 5 },
      { timeoutMs },
      (outcome) =>
        this.heard.push(
          outcome.kind === 'failed'
            ? `failed: ${outcome.reason}`
            : `block at ${outcome.response.producerIdStart}`,
        ),
    );
    this.clock.advance(0);
  }

  answer(place: number, errorCode: number, producerIdStart = 0): void {
    this.peers.attempts[place]?.done({
      kind: 'answered',
      response: { throttleTimeMs: 0, errorCode, producerIdStart, producerIdLen: 1000 } as never,
    });
  }

  fail(place: number): void {
    this.peers.attempts[place]?.done({ kind: 'failed', reason: 'the connection broke' });
  }

  get asked(): readonly number[] {
    return this.peers.attempts.map(({ peerId }) => peerId);
  }
}

it('asks the leader of the quorum', () => {
  const bench = new Bench();
  bench.ask();
  bench.answer(0, 0, 4000);
  expect([bench.asked, bench.heard]).toEqual([[101], ['block at 4000']]);
});

it('other errors are the asker’s to judge', () => {
  const bench = new Bench();
  bench.ask();
  bench.answer(0, ErrorCode.STALE_BROKER_EPOCH, -1);
  expect(bench.heard).toEqual(['block at -1']);
});

it('waits while nobody leads, and asks at once when somebody does', () => {
  const bench = new Bench();
  bench.quorum.lead(-1);
  bench.ask();
  bench.clock.advance(3000);
  expect(bench.asked).toEqual([]);
  bench.quorum.lead(102);
  bench.clock.advance(0);
  expect(bench.asked).toEqual([102]);
});

it.each([
  ['a failure', (bench: Bench, place: number) => bench.fail(place)],
  ['NOT_CONTROLLER', (bench: Bench, place: number) => bench.answer(place, ErrorCode.NOT_CONTROLLER)],
])('after %s asks again, with pauses that grow up to a second', (_what, refuse) => {
  const bench = new Bench();
  bench.ask(60_000);
  for (const [place, pause] of [50, 100, 200, 400, 800, 1000, 1000].entries()) {
    refuse(bench, place);
    bench.clock.advance(pause - 1);
    expect(bench.asked).toHaveLength(place + 1);
    bench.clock.advance(1);
    expect(bench.asked).toHaveLength(place + 2);
  }
  bench.answer(7, 0, 9000);
  expect(bench.heard).toEqual(['block at 9000']);
});

it('gives up when the request’s time is over, and says why', () => {
  const bench = new Bench();
  bench.ask(120);
  bench.fail(0);
  bench.clock.advance(50);
  expect(bench.peers.attempts[1]?.timeoutMs).toBe(70);
  bench.fail(1);
  bench.clock.advance(70);
  expect(bench.heard).toEqual(['failed: the connection broke']);
  bench.clock.advance(10_000);
  expect([bench.asked.length, bench.clock.pending]).toEqual([2, 0]);
});

it('F23: sends what another leader has not answered to the one that leads now; a late answer is nobody’s', () => {
  const bench = new Bench();
  bench.ask();
  bench.quorum.lead(102);
  bench.clock.advance(0);
  expect([bench.asked, bench.peers.disconnected]).toEqual([[101, 102], [101]]);
  bench.answer(0, 0, 1);
  expect(bench.heard).toEqual([]);
  bench.answer(1, 0, 2);
  bench.answer(1, 0, 3);
  expect(bench.heard).toEqual(['block at 2']);
});

it('takes no more requests than it may hold, and fails all when it closes', () => {
  const bench = new Bench();
  for (let count = 0; count < MAX_CONTROLLER_REQUESTS; count += 1) bench.ask();
  bench.ask();
  expect(bench.heard).toEqual([`failed: ${MAX_CONTROLLER_REQUESTS} requests wait for the controller`]);
  bench.channel.close();
  expect(bench.heard).toHaveLength(MAX_CONTROLLER_REQUESTS + 1);
  expect(new Set(bench.heard.slice(1))).toEqual(new Set(['failed: this node stops']));
});
