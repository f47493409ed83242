/**
 * One voter's try to be elected: asks the others, counts itself, and says when the matter is decided. With `preVote` it
 * only asks whether they would.
 */
import { voteRequest } from './quorum-requests.ts';
import { endOf } from './log-position.ts';
import type { QuorumContext } from './quorum-context.ts';
import type { LogBatch } from './quorum-log.ts';
import { RequestRound } from './request-round.ts';

export class Election<Batch extends LogBatch> {
  readonly #context: QuorumContext<Batch>;
  readonly #round: RequestRound<Batch>;
  readonly #granted: Set<number>;
  readonly #refused = new Set<number>();
  readonly #deadlineMs: number;

  /** `patience`: how many times the usual time-out it may take. */
  constructor(context: QuorumContext<Batch>, epoch: number, preVote: boolean, patience: number) {
    this.#context = context;
    this.#granted = new Set([context.nodeId]);
    this.#deadlineMs = context.monotonic + patience * context.electionTimeoutMs();
    const position = endOf(context.log);
    const { requestTimeoutMs } = context.settings.timing;
    this.#round = new RequestRound(context, context.otherVoterIds, requestTimeoutMs, (voterId) =>
      voteRequest(context.settings, voterId, epoch, position, preVote),
    );
  }

  get outcome(): 'open' | 'won' | 'lost' {
    const { majority, voterIds, monotonic } = this.#context;
    if (this.#granted.size >= majority) return 'won';
    // While nobody has refused yet the absent ones are waited for: they may be about to start.
    const absent = this.#refused.size > 0 ? this.#round.closedAtLeast(1) : 0;
    const canWin = voterIds.length - this.#refused.size - absent >= majority;
    return canWin && monotonic < this.#deadlineMs ? 'open' : 'lost';
  }

  get grantingVoters(): readonly number[] {
    return [...this.#granted];
  }

  get nextDueAtMs(): number {
    return Math.min(this.#deadlineMs, this.#round.nextDueAtMs);
  }

  run(): void {
    this.#round.run();
  }

  /** The voter that a request of this election has come back from; null if it is none of this election's. */
  take(requestId: number): number | null {
    return this.#round.take(requestId);
  }

  /** No answer; the voter is asked again after a pause. */
  failed(requestId: number, closed: boolean): void {
    this.#round.failed(requestId, closed);
  }

  count(voterId: number, granted: boolean): void {
    this.#round.settle(voterId);
    (granted ? this.#granted : this.#refused).add(voterId);
  }
}
