/** The voters and observers of a leader's epoch: how far each has come, what that commits, and whether they are there. */
import type { QuorumMember } from './quorum-description.ts';
import type { QuorumContext } from './quorum-context.ts';
import type { LogBatch } from './quorum-log.ts';
import { ReplicaProgress } from './replica-progress.ts';

/** An observer that is silent for longer is forgotten. */
const OBSERVER_SESSION_MS = 300_000;

/** Kafka's CHECK_QUORUM_TIMEOUT_FACTOR: followers give a leader up before it gives itself up. */
const CHECK_QUORUM_FACTOR = 1.5;

export class QuorumMembers<Batch extends LogBatch> {
  readonly #context: QuorumContext<Batch>;
  readonly #voters = new Map<number, ReplicaProgress>();
  readonly #observers = new Map<number, ReplicaProgress>();

  constructor(context: QuorumContext<Batch>) {
    this.#context = context;
    for (const id of context.otherVoterIds) this.#voters.set(id, new ReplicaProgress(id, context.moment));
  }

  /** The progress of a replica that is heard from, and an observer that had to give way to it. */
  heard(
    id: number,
    directoryId: string,
  ): { readonly progress: ReplicaProgress; readonly gaveWay: number | null } {
    const known = this.#voters.get(id) ?? this.#observers.get(id);
    const gaveWay = known === undefined ? this.#makeRoom() : null;
    const progress = known ?? new ReplicaProgress(id, this.#context.moment);
    if (known === undefined) this.#observers.set(id, progress);
    progress.heard(directoryId, this.#context.moment);
    return { progress, gaveWay };
  }

  progressOf(id: number): ReplicaProgress | null {
    return this.#voters.get(id) ?? this.#observers.get(id) ?? null;
  }

  /** The offset up to which a majority of voters, this one among them, holds the log synced. */
  get majorityEnd(): number {
    const ends = [...this.#voters.values()].map(({ logEndOffset }) => logEndOffset);
    const descending = [this.#context.log.logEndOffset, ...ends].sort((one, other) => other - one);
    return descending[this.#context.majority - 1] ?? -1;
  }

  /** When too few have fetched for too long, in so many times the usual time; Infinity where no other voter is needed. */
  abandonedAtMs(patience: number): number {
    const needed = this.#context.majority - 1;
    if (needed === 0) return Infinity;
    const heard = [...this.#voters.values()].map(({ lastHeardMs }) => lastHeardMs);
    const latest = heard.sort((one, other) => other - one)[needed - 1] ?? -Infinity;
    return latest + patience * CHECK_QUORUM_FACTOR * this.#context.settings.timing.fetchTimeoutMs;
  }

  /** The other voters, whose log is furthest first: who should lead next. */
  get successors(): readonly ReplicaProgress[] {
    return [...this.#voters.values()].sort((one, other) => other.logEndOffset - one.logEndOffset);
  }

  get voters(): readonly QuorumMember[] {
    const { settings, log, moment } = this.#context;
    const own: QuorumMember = {
      id: settings.nodeId,
      directoryId: settings.directoryId,
      logEndOffset: log.logEndOffset,
      lastFetchTimestamp: moment.now,
      lastCaughtUpTimestamp: moment.now,
    };
    const others = [...this.#voters.values()].map(({ member }) => member);
    return [own, ...others].sort((one, other) => one.id - other.id);
  }

  get observers(): readonly QuorumMember[] {
    const since = this.#context.monotonic - OBSERVER_SESSION_MS;
    const present = [...this.#observers.values()].filter(({ lastHeardMs }) => lastHeardMs >= since);
    return present.map(({ member }) => member).sort((one, other) => one.id - other.id);
  }

  #makeRoom(): number | null {
    if (this.#observers.size < this.#context.settings.limits.maxObservers) return null;
    const [silent] = [...this.#observers.values()].sort((one, other) => one.lastHeardMs - other.lastHeardMs);
    if (silent === undefined) return null;
    this.#observers.delete(silent.id);
    return silent.id;
  }
}
