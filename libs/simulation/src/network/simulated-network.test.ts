import { SeededRandom } from '@seatlog/runtime/testing';
import { describe, expect, it } from 'vitest';
import { SimulatedProcess } from '../process/simulated-process.ts';
import { EventQueue } from '../schedule/event-queue.ts';
import { Trace } from '../schedule/trace.ts';
import { CALM_WEATHER, SimulatedNetwork } from './simulated-network.ts';

class Bench {
  readonly queue = new EventQueue(new Trace());
  readonly network = new SimulatedNetwork(this.queue, new SeededRandom(1));
  readonly caller = new SimulatedProcess(1, this.queue);
  readonly server = new SimulatedProcess(2, this.queue);
  readonly outcomes: string[] = [];
  served = 0;

  constructor() {
    for (const process of [this.caller, this.server]) {
      process.start();
      this.network.join(process);
    }
  }

  call(takesLateAnswers = false): void {
    this.network.call<number>({
      label: 'ask',
      from: 1,
      to: 2,
      timeoutMs: 100,
      serve: (respond) => respond(++this.served),
      answered: (answer) => this.outcomes.push(`answered ${answer}`),
      failed: (reason) => this.outcomes.push(reason),
      takesLateAnswers,
    });
  }
}

describe('a simulated network', () => {
  it('answers a request once, or lets it time out where the way there or back is cut', () => {
    for (const [from, to] of [
      [1, 2],
      [2, 1],
    ] as const) {
      const bench = new Bench();
      bench.call();
      bench.queue.advance(50);
      bench.network.cut(from, to);
      bench.call();
      bench.queue.advance(500);
      expect(bench.outcomes).toEqual(['answered 1', 'timed out']);
      expect(bench.served).toBe(from === 1 ? 1 : 2);
    }
  });

  it('F23: doubles requests and answers; the caller sees one, or all if it wants to', () => {
    const bench = new Bench();
    bench.network.weather = { ...CALM_WEATHER, duplication: 1 };
    bench.call();
    bench.queue.advance(500);
    expect([bench.served, bench.outcomes.length]).toEqual([2, 1]);
    bench.call(true);
    bench.queue.advance(500);
    expect([bench.served, bench.outcomes.length]).toEqual([4, 5]);
  });

  it('brings an answer to the process that asked, and not to the next one', () => {
    const bench = new Bench();
    bench.call();
    bench.caller.kill();
    bench.caller.start();
    bench.queue.advance(500);
    expect([bench.served, bench.outcomes]).toEqual([1, []]);
  });

  it('tells who waits for a process that dies, and refuses connections to a dead one', () => {
    const bench = new Bench();
    bench.server.stop();
    bench.call();
    bench.queue.advance(10);
    bench.server.kill();
    bench.network.disconnect(2);
    bench.queue.advance(10);
    bench.call();
    bench.queue.advance(10);
    expect(bench.outcomes).toEqual(['disconnected', 'connection refused']);
  });

  it('keeps for a stopped process what comes to it', () => {
    const bench = new Bench();
    bench.server.stop();
    bench.call();
    bench.queue.advance(20);
    expect(bench.served).toBe(0);
    bench.server.continue();
    bench.queue.advance(20);
    expect(bench.outcomes).toEqual(['answered 1']);
  });
});
