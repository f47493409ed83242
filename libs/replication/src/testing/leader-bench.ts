/** A leader with its log, its cluster and a clock that the test moves; effects on the log are carried out. */
import type { ClusterView, KnownBroker, PartitionMetadata } from '../cluster-view.ts';
import type { FetchLook, FetchVerdict } from '../fetch-verdict.ts';
import type { IsrProposal, IsrVerdict } from '../isr/isr-proposal.ts';
import type { LeaderEffect } from '../leader/leader-effects.ts';
import type { FollowerFetched, LeaderConfig, LeaderEvent } from '../leader/leader-events.ts';
import { PartitionLeader } from '../leader/partition-leader.ts';
import type { Moment } from '../moment.ts';
import { MemoryLog } from './memory-log.ts';
import { TOPIC_ID } from './simulated-settings.ts';

const WALL_TIME = 1_700_000_000_000;
/** Epochs of the first registrations: 11, 12, 13. */
const firstBrokerEpoch = (id: number): number => id + 10;

export interface LeaderBenchOptions {
  readonly log?: MemoryLog;
  readonly metadata?: Partial<PartitionMetadata>;
  readonly config?: Partial<LeaderConfig>;
}

export class LeaderBench {
  readonly log: MemoryLog;
  readonly brokers = new Map<number, KnownBroker>();
  readonly leader: PartitionLeader;
  /** All that the leader asked for, oldest first. */
  readonly effects: LeaderEffect[] = [];
  metadata: PartitionMetadata;
  #config: LeaderConfig;
  #monotonic = 100_000;

  constructor({ log, metadata, config }: LeaderBenchOptions = {}) {
    this.log = log ?? MemoryLog.of('0@0', 0);
    this.#config = { minInsyncReplicas: 1, replicaLagTimeMaxMs: 30_000, ...config };
    this.metadata = {
      leader: 1,
      leaderEpoch: 0,
      partitionEpoch: 0,
      replicas: [1, 2, 3],
      isr: [1, 2, 3],
      leaderRecoveryState: 0,
      ...metadata,
    };
    for (const id of this.metadata.replicas) {
      this.brokers.set(id, { epoch: firstBrokerEpoch(id), fenced: false, inControlledShutdown: false });
    }
    const cluster: ClusterView = { brokerEpoch: firstBrokerEpoch(1), broker: (id) => this.brokers.get(id) };
    this.leader = new PartitionLeader(
      {
        brokerId: 1,
        identity: { topic: 'demo', topicId: TOPIC_ID, partition: 0 },
        log: this.log,
        cluster,
        config: this.#config,
      },
      this.metadata,
      this.moment,
    );
    this.step({ type: 'elected' });
  }

  get moment(): Moment {
    return { now: WALL_TIME + this.#monotonic, monotonic: this.#monotonic };
  }

  get proposals(): readonly IsrProposal[] {
    return this.effects.flatMap((effect) => (effect.type === 'propose-isr' ? [effect.proposal] : []));
  }

  get lines(): readonly string[] {
    return this.effects.flatMap((effect) => (effect.type === 'log' ? [effect.message] : []));
  }

  /** Error codes of the waits that have ended, by token. */
  get ended(): Readonly<Record<number, number>> {
    const ends = this.effects.flatMap((effect) => (effect.type === 'end-wait' ? [effect] : []));
    return Object.fromEntries(ends.map(({ token, errorCode }) => [token, errorCode]));
  }

  advance(milliseconds: number): void {
    this.#monotonic += milliseconds;
  }

  step(event: LeaderEvent): readonly LeaderEffect[] {
    const effects = this.leader.step(event, this.moment);
    for (const effect of effects) {
      if (effect.type === 'assign-leader-epoch') this.log.assignLeaderEpoch(effect.epoch, effect.startOffset);
      if (effect.type === 'update-high-watermark') this.log.updateHighWatermark(effect.highWatermark);
    }
    this.effects.push(...effects);
    return effects;
  }

  append(count: number): readonly LeaderEffect[] {
    this.log.append(
      Array.from({ length: count }, (_, at) => `word-${at}`),
      this.leader.leaderEpoch,
    );
    return this.step({ type: 'log-end-advanced' });
  }

  /** A follower's fetch, accepted, on its first look unless said otherwise. */
  fetch(
    replicaId: number,
    fetchOffset: number,
    more: Partial<FollowerFetched> = {},
  ): readonly LeaderEffect[] {
    return this.step({
      type: 'follower-fetched',
      replicaId,
      brokerEpoch: this.brokers.get(replicaId)?.epoch ?? -1,
      fetchOffset,
      logStartOffset: 0,
      look: 'first',
      ...more,
    });
  }

  fetchAll(fetchOffset: number): void {
    this.fetch(2, fetchOffset);
    this.fetch(3, fetchOffset);
  }

  check(look: Partial<FetchLook>): FetchVerdict {
    return this.leader.checkFetch({
      replicaId: -1,
      brokerEpoch: -1,
      currentLeaderEpoch: -1,
      fetchOffset: 0,
      lastFetchedEpoch: -1,
      logStartOffset: -1,
      isReadCommitted: false,
      mayReadFromFollower: false,
      ...look,
    });
  }

  answer(
    verdict: IsrVerdict,
    proposal: IsrProposal | undefined = this.proposals.at(-1),
  ): readonly LeaderEffect[] {
    if (proposal === undefined) throw new Error('nothing was proposed');
    return this.step({ type: 'isr-answered', proposal, verdict });
  }

  /** The controller takes the last proposal as it is. */
  accept(): readonly LeaderEffect[] {
    const proposal = this.proposals.at(-1);
    if (proposal === undefined) throw new Error('nothing was proposed');
    const isr = proposal.isr.map((member) => member.brokerId);
    const { leaderEpoch } = proposal;
    return this.answer({ kind: 'accepted', leaderEpoch, partitionEpoch: proposal.partitionEpoch + 1, isr });
  }

  refuse(errorCode: number): readonly LeaderEffect[] {
    return this.answer({ kind: 'refused', errorCode });
  }

  /** Metadata of the next partition epoch. */
  learn(change: Partial<PartitionMetadata>): readonly LeaderEffect[] {
    const partitionEpoch = this.leader.partitionEpoch + 1;
    this.metadata = { ...this.metadata, isr: this.leader.isr, partitionEpoch, ...change };
    return this.step({ type: 'metadata', metadata: this.metadata });
  }

  configure(change: Partial<LeaderConfig>): readonly LeaderEffect[] {
    this.#config = { ...this.#config, ...change };
    return this.step({ type: 'configured', config: this.#config });
  }

  setBroker(id: number, change: Partial<KnownBroker>): readonly LeaderEffect[] {
    const before = this.brokers.get(id) ?? {
      epoch: firstBrokerEpoch(id),
      fenced: false,
      inControlledShutdown: false,
    };
    this.brokers.set(id, { ...before, ...change });
    return this.step({ type: 'brokers-changed' });
  }
}
