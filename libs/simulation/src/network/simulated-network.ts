/**
 * Requests and responses between processes. A message takes its time, may be lost, come twice or long after others,
 * and a link may be cut in one direction.
 *
 * A request is answered once to its caller, or fails once (`isOver`), except where the caller wants to see what comes
 * late and twice as well: cores that match answers by request must not mind.
 */
import type { SeededRandom } from '@seatlog/runtime/testing';
import type { SimulatedProcess } from '../process/simulated-process.ts';
import type { EventQueue, ScheduledEvent } from '../schedule/event-queue.ts';

export interface Weather {
  /** Every message takes this long, and up to `jitterMs` longer. */
  readonly latencyMs: number;
  readonly jitterMs: number;
  /** Shares of messages, 0 to 1. */
  readonly loss: number;
  readonly duplication: number;
  readonly slow: number;
  /** How long a slow message is on its way, at most. */
  readonly slowMs: number;
}

export const CALM_WEATHER: Weather = {
  latencyMs: 1,
  jitterMs: 1,
  loss: 0,
  duplication: 0,
  slow: 0,
  slowMs: 0,
};

export interface Call<Answer> {
  readonly label: string;
  readonly from: number;
  readonly to: number;
  readonly timeoutMs: number;
  readonly serve: (respond: (answer: Answer) => void) => void;
  readonly answered: (answer: Answer) => void;
  readonly failed: (reason: string) => void;
  /** The caller sees answers that come late or twice. */
  readonly takesLateAnswers?: boolean;
}

/** Something on its way. */
export interface Message {
  readonly label: string;
  readonly from: number;
  readonly to: number;
  readonly deliver: () => void;
}

interface OpenCall {
  readonly to: number;
  readonly fail: (reason: string) => void;
}

export class SimulatedNetwork {
  weather: Weather = CALM_WEATHER;
  /** Takes a message out of the network, if it says so: it is delivered when whoever has it delivers it. */
  intercept: ((message: Message) => boolean) | null = null;
  readonly #queue: EventQueue;
  readonly #random: SeededRandom;
  readonly #processes = new Map<number, SimulatedProcess>();
  readonly #open = new Set<OpenCall>();
  readonly #cuts = new Set<number>();

  constructor(queue: EventQueue, random: SeededRandom) {
    this.#queue = queue;
    this.#random = random;
  }

  join(process: SimulatedProcess): void {
    this.#processes.set(process.node, process);
  }

  /** Nothing from one gets to the other any more; the way back stays open. */
  cut(from: number, to: number): void {
    this.#cuts.add(from * 1000 + to);
  }

  mend(): void {
    this.#cuts.clear();
  }

  isCut(from: number, to: number): boolean {
    return this.#cuts.has(from * 1000 + to);
  }

  call<Answer>(call: Call<Answer>): void {
    const caller = this.#process(call.from);
    const target = this.#process(call.to);
    // What comes back is for the process that asked, and not for a later one.
    const { incarnation } = caller;
    let isOver = false;
    const end = (): boolean => {
      if (isOver) return false;
      isOver = true;
      this.#open.delete(entry);
      this.#queue.cancel(timeout);
      return true;
    };
    const answerLabel = `${call.label} answered`;
    const fail = (reason: string): void =>
      this.#carry(
        call.to,
        call.from,
        `${call.label} failed`,
        caller.bound(
          `${call.label} failed`,
          () => {
            if (end()) call.failed(reason);
          },
          incarnation,
        ),
      );
    const entry: OpenCall = { to: call.to, fail };
    const timeout: ScheduledEvent = caller.schedule(call.timeoutMs, `${call.label} timed out`, () => {
      if (end()) call.failed('timed out');
    });
    this.#open.add(entry);
    if (target.state === 'dead') {
      fail('connection refused');
      return;
    }
    const bound = (answer: Answer): (() => void) =>
      caller.bound(
        answerLabel,
        () => {
          if (end() || call.takesLateAnswers === true) call.answered(answer);
        },
        incarnation,
      );
    const respond = (answer: Answer): void => this.#carry(call.to, call.from, answerLabel, bound(answer));
    this.#carry(
      call.from,
      call.to,
      call.label,
      target.bound(call.label, () => call.serve(respond)),
    );
  }

  /** Its peers see their connections end. */
  disconnect(node: number): void {
    for (const call of [...this.#open]) if (call.to === node) call.fail('disconnected');
  }

  #carry(from: number, to: number, label: string, deliver: () => void): void {
    const { loss, duplication } = this.weather;
    if (this.intercept?.({ label, from, to, deliver }) === true) return;
    if (this.isCut(from, to) || (loss > 0 && this.#random.fraction() < loss)) return;
    this.#queue.schedule(this.#delay(), label, to, deliver);
    if (duplication > 0 && this.#random.fraction() < duplication) {
      this.#queue.schedule(this.#delay(), label, to, deliver);
    }
  }

  #delay(): number {
    const { latencyMs, jitterMs, slow, slowMs } = this.weather;
    if (slow > 0 && this.#random.fraction() < slow) return this.#random.fraction() * slowMs;
    return latencyMs + this.#random.fraction() * jitterMs;
  }

  #process(node: number): SimulatedProcess {
    const process = this.#processes.get(node);
    if (process === undefined) throw new Error(`there is no node ${node}`);
    return process;
  }
}
