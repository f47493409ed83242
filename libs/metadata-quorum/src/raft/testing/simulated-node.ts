/**
 * A simulated node of the quorum: a disk that outlives its processes, and the replica in the process that runs now. It
 * carries effects out as the contract asks, and may be killed between any two of them.
 */
import type { SeededRandom } from '@seatlog/runtime/testing';
import type { QuorumState } from '../../quorum/quorum-state.ts';
import type { SnapshotId } from '../../quorum/snapshot.ts';
import type { QuorumEffect, Respond, SendRequest } from '../quorum-effects.ts';
import type { QuorumEvent } from '../quorum-events.ts';
import { QuorumReplica } from '../quorum-replica.ts';
import type { QuorumSettings } from '../quorum-settings.ts';
import { type ContentBatch, contentBatch, MemoryQuorumLog } from './memory-quorum-log.ts';
import type { SimulatedQuorum } from './simulated-quorum.ts';

type Event = QuorumEvent<ContentBatch>;
type Effect = QuorumEffect<ContentBatch>;

const MAX_SYNC_MS = 15;

export class SimulatedNode {
  readonly id: number;
  readonly isVoter: boolean;
  readonly log = new MemoryQuorumLog();
  readonly #quorum: SimulatedQuorum;
  readonly #settings: QuorumSettings;
  readonly #random: SeededRandom;
  #storedState: QuorumState | null = null;
  #replica: QuorumReplica<ContentBatch> | null = null;
  #run = 0;
  #highWatermark = 0;
  #termEpoch = -1;
  #cancelTick: () => void = () => {};
  /** Effects until this process is killed in the middle of a step. */
  #effectsToLive = Infinity;
  #answered = new Set<number>();
  /** The snapshot that is being fetched: its size, and how much is here. */
  #incoming: { readonly id: SnapshotId; readonly size: number; bytes: number } | null = null;

  constructor(quorum: SimulatedQuorum, settings: QuorumSettings, random: SeededRandom) {
    this.#quorum = quorum;
    this.#settings = settings;
    this.#random = random;
    this.id = settings.nodeId;
    this.isVoter = settings.voters.some(({ id }) => id === this.id);
  }

  get isUp(): boolean {
    return this.#replica !== null;
  }

  get run(): number {
    return this.#run;
  }

  get replica(): QuorumReplica<ContentBatch> | null {
    return this.#replica;
  }

  start(): void {
    if (this.#replica !== null) return;
    this.#run += 1;
    this.#effectsToLive = Infinity;
    this.#answered = new Set();
    this.#incoming = null;
    this.#termEpoch = -1;
    const { log } = this;
    this.#highWatermark = Math.max(log.latestSnapshot?.id.endOffset ?? 0, log.logStartOffset);
    this.#replica = new QuorumReplica({
      settings: this.#settings,
      log,
      storedState: this.#storedState,
      random: this.#random,
    });
    this.give({ type: 'started' });
  }

  /** Loses what is not synced. */
  kill(): void {
    this.#replica = null;
    this.#cancelTick();
    this.log.crash();
  }

  /** Kills it after so many effects more, in the middle of a step. */
  killAfterEffects(count: number): void {
    this.#effectsToLive = count;
  }

  /** The active controller's work, where there is one here. Gives whether it was taken. */
  append(content: string, records: number): boolean {
    if (this.#termEpoch < 0) return false;
    const batch = contentBatch(this.log.nextAppendOffset, this.#termEpoch, content, records);
    this.give({ type: 'append', batch });
    return true;
  }

  /** Of all that is committed here; the log before it goes. */
  takeSnapshot(cut: boolean): void {
    const end = this.#highWatermark;
    const isEndOfBatch = this.log.batches.some(({ lastOffset }) => lastOffset + 1 === end);
    if (this.isUp && isEndOfBatch) this.log.takeSnapshot(end, 10 + (end % 90), cut);
  }

  give(event: Event): void {
    const { clock } = this.#quorum;
    if (this.#replica === null) return;
    const effects = this.#replica.step(event, { now: clock.now(), monotonic: clock.monotonic() });
    for (const effect of effects) {
      if (this.#effectsToLive <= 0) return this.kill();
      this.#effectsToLive -= 1;
      this.#carryOut(effect);
    }
    if (this.#replica.isLeader) {
      this.#quorum.witness.leads(this, this.#run, this.#replica.leaderAndEpoch.epoch);
    }
    this.#scheduleTick();
  }

  #carryOut(effect: Effect): void {
    switch (effect.type) {
      case 'persist-state':
        this.#persist(effect.state);
        return;
      case 'send':
        this.#send(effect);
        return;
      case 'respond':
        this.#respond(effect);
        return;
      case 'append':
        for (const batch of effect.batches) this.log.append(batch);
        this.#syncLater();
        return;
      case 'append-leader-change':
        this.log.assignEpoch(effect.epoch, effect.baseOffset);
        this.log.append(contentBatch(effect.baseOffset, effect.epoch, `leader ${effect.record.leaderId}`));
        this.#syncLater();
        return;
      case 'truncate':
        this.#later(() => {
          this.log.truncate(effect.endOffset);
          this.give({ type: 'log-changed' });
        });
        return;
      case 'begin-snapshot':
        this.#incoming = { id: effect.id, size: effect.sizeInBytes, bytes: 0 };
        return;
      case 'write-snapshot':
        this.#write(effect.position, effect.bytes);
        return;
      case 'install-snapshot':
        this.#later(() => this.#install(effect.id));
        return;
      case 'high-watermark':
        this.#commit(effect.offset);
        return;
      case 'term-began':
        this.#termEpoch = effect.epoch;
        return;
      case 'term-ended':
        this.#termEpoch = -1;
        return;
      default:
    }
  }

  #persist(state: QuorumState): void {
    const known = this.#storedState;
    if (known !== null && state.leaderEpoch < known.leaderEpoch) throw new Error(`${this.id}: epoch falls`);
    this.#storedState = state;
    if (state.votedId >= 0) this.#quorum.witness.votes(this.id, state.leaderEpoch, state.votedId);
  }

  /** What is said to others must be on disk. */
  #checkEpoch(epoch: number, what: string): void {
    if (epoch > (this.#storedState?.leaderEpoch ?? 0)) {
      throw new Error(`${this.id} says ${what} in epoch ${epoch}, which is not persisted`);
    }
  }

  #send(send: SendRequest): void {
    if (send.api === 'fetch') {
      const partition = send.body.topics?.[0]?.partitions?.[0];
      this.#checkEpoch(partition?.currentLeaderEpoch ?? 0, 'fetch');
      if ((partition?.fetchOffset ?? 0) > this.log.logEndOffset)
        throw new Error(`${this.id} fetches too far`);
    }
    if (send.api === 'vote') {
      const partition = send.body.topics?.[0]?.partitions?.[0];
      this.#checkEpoch(partition?.replicaEpoch ?? 0, 'vote');
      if (partition?.preVote === false && this.#storedState?.votedId !== this.id) {
        throw new Error(`${this.id} asks for votes and has not given itself its own`);
      }
    }
    this.#quorum.request(this, send);
  }

  #respond(respond: Respond): void {
    if (this.#answered.has(respond.token)) throw new Error(`${this.id} answers ${respond.token} twice`);
    this.#answered.add(respond.token);
    this.#checkEpoch(answeredEpoch(respond), respond.api);
    this.#quorum.respond(this, respond);
  }

  /** What is appended by now; what comes later is not synced with it. */
  #syncLater(): void {
    const end = this.log.nextAppendOffset;
    this.#later(() => {
      if (this.log.logEndOffset >= end || end > this.log.nextAppendOffset) return;
      this.log.sync(end);
      this.give({ type: 'log-changed' });
    });
  }

  #write(position: number, bytes: Uint8Array): void {
    if (this.#incoming?.bytes !== position)
      throw new Error(`${this.id}: a gap in the snapshot at ${position}`);
    this.#incoming.bytes += bytes.length;
  }

  #install(id: SnapshotId): void {
    const incoming = this.#incoming;
    if (incoming?.id !== id || incoming.bytes !== incoming.size) throw new Error('the snapshot is not whole');
    this.log.installSnapshot(id, incoming.size);
    this.give({ type: 'snapshot-installed', id });
  }

  #commit(highWatermark: number): void {
    const isLeader = this.#replica?.isLeader === true;
    this.#quorum.witness.commits(this, highWatermark, this.#highWatermark, isLeader);
    this.#highWatermark = highWatermark;
  }

  #later(action: () => void): void {
    const run = this.#run;
    this.#quorum.clock.schedule(this.#random.below(MAX_SYNC_MS), () => {
      if (this.#run === run && this.isUp) action();
    });
  }

  #scheduleTick(): void {
    this.#cancelTick();
    const { clock } = this.#quorum;
    const dueAtMs = this.#replica?.nextDueAtMs ?? Infinity;
    if (dueAtMs === Infinity) return;
    this.#cancelTick = clock.schedule(Math.max(0, dueAtMs - clock.monotonic()), () =>
      this.give({ type: 'tick' }),
    );
  }
}

/** The epoch that an answer speaks of; 0 where it is refused before it was looked at. */
function answeredEpoch(respond: Respond): number {
  switch (respond.api) {
    case 'fetch':
      return respond.body.responses?.[0]?.partitions?.[0]?.currentLeader?.leaderEpoch ?? 0;
    case 'fetchSnapshot':
      return respond.body.topics?.[0]?.partitions?.[0]?.currentLeader?.leaderEpoch ?? 0;
    default:
      return respond.body.topics?.[0]?.partitions?.[0]?.leaderEpoch ?? 0;
  }
}
