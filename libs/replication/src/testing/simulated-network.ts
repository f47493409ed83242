/** Requests and responses between processes, each on its way for a while, or lost. */
import type { ManualClock } from '@seatlog/runtime/testing';
import type { SimulatedProcess } from './simulated-process.ts';

/** How long a message is on its way; null: it is lost. */
export type Weather = (from: number, to: number) => number | null;

export interface Call<Answer> {
  readonly from: number;
  readonly to: number;
  readonly timeoutMs: number;
  readonly serve: (respond: (answer: Answer) => void) => void;
  readonly answered: (answer: Answer) => void;
  readonly failed: (reason: string) => void;
}

interface OpenCall {
  readonly to: number;
  readonly fail: (reason: string) => void;
}

export class SimulatedNetwork {
  readonly #clock: ManualClock;
  readonly #processes = new Map<number, SimulatedProcess>();
  readonly #open = new Set<OpenCall>();
  weather: Weather = () => 1;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  join(id: number, process: SimulatedProcess): void {
    this.#processes.set(id, process);
  }

  call<Answer>(call: Call<Answer>): void {
    const caller = this.#process(call.from);
    let isOver = false;
    const over = (then: () => void): (() => void) =>
      caller.bound(() => {
        if (isOver) return;
        isOver = true;
        this.#open.delete(entry);
        cancelTimeout();
        then();
      });
    const fail = (reason: string): void =>
      this.#carry(
        call.to,
        call.from,
        over(() => call.failed(reason)),
      );
    const entry: OpenCall = { to: call.to, fail };
    const cancelTimeout = this.#clock.schedule(
      call.timeoutMs,
      over(() => call.failed('timed out')),
    );
    this.#open.add(entry);
    const target = this.#process(call.to);
    if (target.state === 'dead') {
      fail('connection refused');
      return;
    }
    const respond = (answer: Answer): void =>
      this.#carry(
        call.to,
        call.from,
        over(() => call.answered(answer)),
      );
    this.#carry(
      call.from,
      call.to,
      target.bound(() => call.serve(respond)),
    );
  }

  /** Its peers see their connections end. */
  disconnect(id: number): void {
    for (const call of this.#open) if (call.to === id) call.fail('disconnected');
  }

  #carry(from: number, to: number, deliver: () => void): void {
    const delayMs = this.weather(from, to);
    if (delayMs !== null) this.#clock.schedule(delayMs, deliver);
  }

  #process(id: number): SimulatedProcess {
    const process = this.#processes.get(id);
    if (process === undefined) throw new Error(`there is no process ${id}`);
    return process;
  }
}
