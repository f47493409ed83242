/**
 * What the parts of one replica share in a step: its settings, its log, the moment, chance, and the effects so far.
 */
import type { Random } from '@seatlog/runtime';
import type { PersistState, QuorumEffect, QuorumLogLine } from './quorum-effects.ts';
import type { LogBatch, QuorumLog } from './quorum-log.ts';
import type { RequestToSend } from './quorum-messages.ts';
import type { QuorumMoment } from './quorum-moment.ts';
import type { QuorumSettings } from './quorum-settings.ts';

/** Requests of one run of the process; the ids of another run begin elsewhere, as chance has it. */
const REQUEST_IDS_OF_A_RUN = 2 ** 20;
/** Half of the bound of the pause after the first lost election. */
const ELECTION_PAUSE_MS = 100;

/** What is given to a replica once. */
export interface QuorumSurroundings {
  readonly settings: QuorumSettings;
  readonly log: QuorumLog;
  readonly random: Pick<Random, 'fraction' | 'uint32'>;
}

export class QuorumContext<Batch extends LogBatch> {
  readonly settings: QuorumSettings;
  readonly log: QuorumLog;
  readonly #random: QuorumSurroundings['random'];
  readonly #voterIds: readonly number[];
  #effects: QuorumEffect<Batch>[] = [];
  #moment: QuorumMoment = { now: 0, monotonic: 0 };
  #nextRequestId: number;

  constructor({ settings, log, random }: QuorumSurroundings) {
    this.settings = settings;
    this.log = log;
    this.#random = random;
    this.#voterIds = settings.voters.map(({ id }) => id);
    this.#nextRequestId = random.uint32() * REQUEST_IDS_OF_A_RUN;
  }

  beginStep(moment: QuorumMoment): void {
    this.#moment = moment;
    this.#effects = [];
  }

  get effects(): readonly QuorumEffect<Batch>[] {
    return this.#effects;
  }

  get moment(): QuorumMoment {
    return this.#moment;
  }

  get monotonic(): number {
    return this.#moment.monotonic;
  }

  get nodeId(): number {
    return this.settings.nodeId;
  }

  get voterIds(): readonly number[] {
    return this.#voterIds;
  }

  get otherVoterIds(): readonly number[] {
    return this.#voterIds.filter((id) => id !== this.nodeId);
  }

  get isVoter(): boolean {
    return this.isVoterId(this.nodeId);
  }

  get majority(): number {
    return Math.floor(this.#voterIds.length / 2) + 1;
  }

  isVoterId(id: number): boolean {
    return this.#voterIds.includes(id);
  }

  emit(effect: QuorumEffect<Batch>): void {
    if (effect.type === 'persist-state' && this.#replacesState(effect)) return;
    this.#effects.push(effect);
  }

  /** Gives the id that the answer will bear. */
  send(to: number, timeoutMs: number, request: RequestToSend): number {
    const requestId = this.#nextRequestId;
    this.#nextRequestId += 1;
    this.emit({ type: 'send', requestId, to, timeoutMs, ...request });
    return requestId;
  }

  say(level: QuorumLogLine['level'], message: string, fields: QuorumLogLine['fields']): void {
    this.emit({ type: 'log', line: { level, message, fields } });
  }

  fraction(): number {
    return this.#random.fraction();
  }

  /** From one to two election time-outs, so that voters do not all stand at the same moment. */
  electionTimeoutMs(): number {
    return this.settings.timing.electionTimeoutMs * (1 + this.fraction());
  }

  /**
   * A random pause after lost elections, whose bound doubles with each of them up to `electionBackoffMaxMs`. It may be next
   * to nothing: two voters that have split the votes shall not stand at the same moment again.
   */
  electionPauseMs(lostElections: number): number {
    const { electionBackoffMaxMs } = this.settings.timing;
    const bound = Math.min(ELECTION_PAUSE_MS * 2 ** Math.min(lostElections, 30), electionBackoffMaxMs);
    return bound * this.fraction();
  }

  /**
   * When a voter stands that is in such a place of those who may: the first at once, the others one after another, should
   * it not be elected.
   */
  turnMs(place: number, count: number): number {
    const { electionBackoffMaxMs } = this.settings.timing;
    return (electionBackoffMaxMs * place * (0.5 + 0.5 * this.fraction())) / count;
  }

  /** A random pause, whose bound doubles with every attempt up to `electionBackoffMaxMs`. */
  backoffMs(attempts: number): number {
    const { retryBackoffMs, electionBackoffMaxMs } = this.settings.timing;
    const bound = Math.min(retryBackoffMs * 2 ** Math.min(attempts, 30), electionBackoffMaxMs);
    return bound * (0.5 + 0.5 * this.fraction());
  }

  /** A state that nothing was done on the strength of need not be synced for itself. */
  #replacesState(effect: PersistState): boolean {
    const isIdle = ({ type }: QuorumEffect<Batch>) => type === 'log' || type === 'leader-changed';
    const last = this.#effects.findLastIndex((earlier) => !isIdle(earlier));
    if (this.#effects[last]?.type !== 'persist-state') return false;
    this.#effects[last] = effect;
    return true;
  }
}
