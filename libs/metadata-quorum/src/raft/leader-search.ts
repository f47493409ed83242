/**
 * How an observer that knows no leader finds one: it asks one voter after another with a fetch that waits for nothing,
 * since the answer to a fetch says who leads.
 */
import { endOf } from './log-position.ts';
import type { QuorumContext } from './quorum-context.ts';
import type { LogBatch } from './quorum-log.ts';
import { fetchRequest } from './quorum-requests.ts';
import { RequestRound } from './request-round.ts';

export class LeaderSearch<Batch extends LogBatch> {
  readonly #context: QuorumContext<Batch>;
  readonly #epoch: number;
  #attempts = 0;
  #next: number;
  #round: RequestRound<Batch>;

  constructor(context: QuorumContext<Batch>, epoch: number) {
    this.#context = context;
    this.#epoch = epoch;
    this.#next = Math.floor(context.fraction() * context.voterIds.length);
    this.#round = this.#askNext(0);
  }

  get nextDueAtMs(): number {
    return this.#round.nextDueAtMs;
  }

  run(): void {
    this.#round.run();
  }

  /** Whether the request was this search's; the next voter is asked after a pause. */
  take(requestId: number): boolean {
    if (this.#round.take(requestId) === null) return false;
    this.#attempts += 1;
    this.#round = this.#askNext(this.#context.backoffMs(this.#attempts));
    return true;
  }

  #askNext(pauseMs: number): RequestRound<Batch> {
    const { voterIds, settings, log } = this.#context;
    const voterId = voterIds[this.#next % voterIds.length];
    this.#next += 1;
    const round = new RequestRound(
      this.#context,
      voterId === undefined ? [] : [voterId],
      settings.timing.requestTimeoutMs,
      () => fetchRequest(settings, this.#epoch, log, endOf(log), 0),
    );
    if (voterId !== undefined) round.askAgain(voterId, pauseMs);
    return round;
  }
}
