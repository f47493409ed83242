/**
 * One question put to several voters, each asked again until it has answered for good: at most one request to a voter
 * is under way; one that is not answered in time is given up, and its answer not taken any more.
 */
import type { QuorumContext } from './quorum-context.ts';
import type { LogBatch } from './quorum-log.ts';
import type { RequestToSend } from './quorum-messages.ts';

/** So many requests in a row whose connection is refused or closed tell that nobody is there. */
export const CLOSED_BY_THE_ABSENT = 3;

interface Turn {
  requestId: number | null;
  /** When to give the request up that is under way; without one, when to ask. */
  dueAtMs: number;
  /** Requests in a row that ended with the connection closed from over there. */
  closedInARow: number;
}

export class RequestRound<Batch extends LogBatch> {
  readonly #context: QuorumContext<Batch>;
  readonly #timeoutMs: number;
  readonly #question: (voterId: number) => RequestToSend;
  readonly #turns = new Map<number, Turn>();

  constructor(
    context: QuorumContext<Batch>,
    voterIds: readonly number[],
    timeoutMs: number,
    question: (voterId: number) => RequestToSend,
  ) {
    this.#context = context;
    this.#timeoutMs = timeoutMs;
    this.#question = question;
    for (const id of voterIds)
      this.#turns.set(id, { requestId: null, dueAtMs: context.monotonic, closedInARow: 0 });
  }

  get isOver(): boolean {
    return this.#turns.size === 0;
  }

  get nextDueAtMs(): number {
    return Math.min(...[...this.#turns.values()].map(({ dueAtMs }) => dueAtMs));
  }

  /** Asks whoever is to be asked by now. */
  run(): void {
    const { monotonic } = this.#context;
    for (const [voterId, turn] of this.#turns) {
      if (monotonic < turn.dueAtMs) continue;
      turn.requestId = this.#context.send(voterId, this.#timeoutMs, this.#question(voterId));
      turn.dueAtMs = monotonic + this.#timeoutMs;
    }
  }

  /**
   * The voter whose request has come back, answered or not; null if it is none that is under way. The voter is asked
   * again after a pause, unless `settle` or `askAgain` is called.
   */
  take(requestId: number): number | null {
    const { retryBackoffMs } = this.#context.settings.timing;
    for (const [voterId, turn] of this.#turns) {
      if (turn.requestId !== requestId) continue;
      turn.requestId = null;
      turn.dueAtMs = this.#context.monotonic + retryBackoffMs;
      turn.closedInARow = 0;
      return voterId;
    }
    return null;
  }

  /** As `take`, for a request that has no answer. */
  failed(requestId: number, closed: boolean): number | null {
    const turns = [...this.#turns.values()];
    const before = turns.find((turn) => turn.requestId === requestId)?.closedInARow ?? 0;
    const voterId = this.take(requestId);
    const turn = voterId === null ? undefined : this.#turns.get(voterId);
    if (turn !== undefined) turn.closedInARow = closed ? before + 1 : 0;
    return voterId;
  }

  /** How many of those who have not answered for good refused or closed the connection so often in a row. */
  closedAtLeast(times: number): number {
    return [...this.#turns.values()].filter(({ closedInARow }) => closedInARow >= times).length;
  }

  /** The voter need not be asked again. */
  settle(voterId: number): void {
    this.#turns.delete(voterId);
  }

  /** The voter is to be asked again: at once, or after a pause. */
  askAgain(voterId: number, pauseMs = 0): void {
    this.#turns.set(voterId, {
      requestId: null,
      dueAtMs: this.#context.monotonic + pauseMs,
      closedInARow: 0,
    });
  }
}
