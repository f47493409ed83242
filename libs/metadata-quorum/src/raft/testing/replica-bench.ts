/**
 * One replica on a bench: the test plays the others, sees what the replica asks for, and decides when its writes are
 * synced. Truncations take effect at once.
 */
import { type apis, ErrorCode, type RequestOf, type ResponseOf, ZERO_UUID } from '@seatlog/kafka-protocol';
import { METADATA_TOPIC } from '../../controller/topic-name.ts';
import type { QuorumState } from '../../quorum/quorum-state.ts';
import type { SnapshotId } from '../../quorum/snapshot.ts';
import type { QuorumEffect, Respond, SendRequest } from '../quorum-effects.ts';
import type { QuorumEvent } from '../quorum-events.ts';
import { METADATA_TOPIC_ID } from '../quorum-messages.ts';
import { QuorumReplica } from '../quorum-replica.ts';
import { DEFAULT_QUORUM_LIMITS, DEFAULT_QUORUM_TIMING, type QuorumSettings } from '../quorum-settings.ts';
import { type ContentBatch, contentBatch, MemoryQuorumLog } from './memory-quorum-log.ts';

export const CLUSTER_ID = 'Y2x1c3RlcnVuZGVydGVzdA';
export const DIRECTORY_ID = 'ZGlyZWN0b3J5b2Zub2RlMQ';

export interface BenchOptions {
  readonly nodeId?: number;
  readonly voters?: readonly number[];
  readonly log?: MemoryQuorumLog;
  readonly storedState?: QuorumState | null;
  readonly settings?: Partial<QuorumSettings>;
}

export type Effect = QuorumEffect<ContentBatch>;

export class ReplicaBench {
  readonly log: MemoryQuorumLog;
  readonly replica: QuorumReplica<ContentBatch>;
  readonly settings: QuorumSettings;
  effects: readonly Effect[] = [];
  now = 1000;
  #token = 0;

  constructor(options: BenchOptions = {}) {
    const { nodeId = 1, voters = [1, 2, 3], storedState = null } = options;
    this.log = options.log ?? new MemoryQuorumLog();
    this.settings = {
      nodeId,
      directoryId: DIRECTORY_ID,
      clusterId: CLUSTER_ID,
      voters: voters.map((id) => ({ id, host: `controller-${id}`, port: 9093 })),
      listenerName: 'CONTROLLER',
      timing: DEFAULT_QUORUM_TIMING,
      limits: DEFAULT_QUORUM_LIMITS,
      ...options.settings,
    };
    const random = { fraction: () => 0.5, uint32: () => 7 };
    this.replica = new QuorumReplica({ settings: this.settings, log: this.log, storedState, random });
    this.give({ type: 'started' });
  }

  get role(): string {
    return this.replica.description.role;
  }

  /** One step, whose effects on the log take place; what is appended stays unsynced until `sync`. */
  give(event: QuorumEvent<ContentBatch>): readonly Effect[] {
    this.effects = this.replica.step(event, { now: 1_700_000_000_000 + this.now, monotonic: this.now });
    const effects = this.effects;
    for (const effect of effects) this.#carryOut(effect);
    if (effects.some(({ type }) => type === 'truncate')) {
      this.give({ type: 'log-changed' });
      this.effects = [...effects, ...this.effects];
    }
    return this.effects;
  }

  /** What is appended, up to the offset. */
  sync(end?: number): readonly Effect[] {
    this.log.sync(end);
    return this.give({ type: 'log-changed' });
  }

  /** Moves the clock on and ticks, if that is due by then. */
  pass(ms: number): readonly Effect[] {
    this.now += ms;
    return this.give({ type: 'tick' });
  }

  /** Ticks at every moment that the replica names, until it asks for something of that type, or the time is over. */
  passUntil(type: Effect['type'], atMostMs = 10_000): readonly Effect[] {
    const end = this.now + atMostMs;
    while (this.replica.nextDueAtMs <= end) {
      this.now = Math.max(this.now, this.replica.nextDueAtMs);
      if (this.give({ type: 'tick' }).some((effect) => effect.type === type)) return this.effects;
    }
    throw new Error(`no ${type} within ${atMostMs} ms`);
  }

  ofType<Type extends Effect['type']>(type: Type): Extract<Effect, { type: Type }>[] {
    return this.effects.filter((effect): effect is Extract<Effect, { type: Type }> => effect.type === type);
  }

  sent<Api extends SendRequest['api']>(api: Api): Extract<SendRequest, { api: Api }>[] {
    return this.ofType('send').filter((send): send is Extract<SendRequest, { api: Api }> => send.api === api);
  }

  /** The answers of the last step, by their token. */
  answers<Api extends Respond['api']>(api: Api): Extract<Respond, { api: Api }>[] {
    return this.ofType('respond').filter(
      (answer): answer is Extract<Respond, { api: Api }> => answer.api === api,
    );
  }

  vote(from: number, epoch: number, end: { epoch: number; offset: number }, preVote = false) {
    this.#token += 1;
    const partition: RequestOf<typeof apis.vote>['topics'][number]['partitions'][number] = {
      partitionIndex: 0,
      replicaEpoch: epoch,
      replicaId: from,
      replicaDirectoryId: ZERO_UUID,
      voterDirectoryId: ZERO_UUID,
      lastOffsetEpoch: end.epoch,
      lastOffset: end.offset,
      preVote,
    };
    const topics = [{ topicName: METADATA_TOPIC, partitions: [partition] }];
    const body = { clusterId: CLUSTER_ID, voterId: this.settings.nodeId, topics };
    this.give({ type: 'request', token: this.#token, api: 'vote', body });
    const answer = this.answers('vote')[0]?.body.topics[0]?.partitions[0];
    return { errorCode: answer?.errorCode, granted: answer?.voteGranted, leaderId: answer?.leaderId };
  }

  beginEpoch(leaderId: number, epoch: number) {
    this.#token += 1;
    const partition = { partitionIndex: 0, voterDirectoryId: ZERO_UUID, leaderId, leaderEpoch: epoch };
    const topics = [{ topicName: METADATA_TOPIC, partitions: [partition] }];
    const body = { clusterId: CLUSTER_ID, voterId: -1, topics, leaderEndpoints: [] };
    this.give({ type: 'request', token: this.#token, api: 'beginQuorumEpoch', body });
    return this.answers('beginQuorumEpoch')[0]?.body.topics[0]?.partitions[0];
  }

  endEpoch(leaderId: number, epoch: number, candidates: readonly number[] = []) {
    this.#token += 1;
    const preferredCandidates = candidates.map((candidateId) => ({
      candidateId,
      candidateDirectoryId: ZERO_UUID,
    }));
    const partition = {
      partitionIndex: 0,
      leaderId,
      leaderEpoch: epoch,
      preferredSuccessors: [],
      preferredCandidates,
    };
    const topics = [{ topicName: METADATA_TOPIC, partitions: [partition] }];
    const body = { clusterId: CLUSTER_ID, topics, leaderEndpoints: [] };
    this.give({ type: 'request', token: this.#token, api: 'endQuorumEpoch', body });
    return this.answers('endQuorumEpoch')[0]?.body.topics[0]?.partitions[0];
  }

  /** Gives the token, by which a fetch that waits is recognised later. */
  fetch(
    from: number,
    at: { epoch: number; offset: number },
    options: { leaderEpoch?: number; maxWaitMs?: number; clusterId?: string } = {},
  ): number {
    this.#token += 1;
    const {
      leaderEpoch = this.replica.leaderAndEpoch.epoch,
      maxWaitMs = 500,
      clusterId = CLUSTER_ID,
    } = options;
    const partition = {
      partition: 0,
      currentLeaderEpoch: leaderEpoch,
      fetchOffset: at.offset,
      lastFetchedEpoch: at.epoch,
      logStartOffset: 0,
      partitionMaxBytes: 1_000_000,
      replicaDirectoryId: ZERO_UUID,
    };
    const body = {
      clusterId,
      replicaId: -1,
      replicaState: { replicaId: from, replicaEpoch: -1 },
      maxWaitMs,
      minBytes: 1,
      maxBytes: 1_000_000,
      isolationLevel: 0,
      sessionId: 0,
      sessionEpoch: -1,
      topics: [{ topic: '', topicId: METADATA_TOPIC_ID, partitions: [partition] }],
      forgottenTopicsData: [],
      rackId: '',
    };
    this.give({ type: 'request', token: this.#token, api: 'fetch', body });
    return this.#token;
  }

  fetchSnapshot(from: number, snapshotId: SnapshotId, position: number, maxBytes = 1_000_000): void {
    this.#token += 1;
    const currentLeaderEpoch = this.replica.leaderAndEpoch.epoch;
    const partition = {
      partition: 0,
      currentLeaderEpoch,
      snapshotId,
      position,
      replicaDirectoryId: ZERO_UUID,
    };
    const topics = [{ name: METADATA_TOPIC, partitions: [partition] }];
    const body = { clusterId: CLUSTER_ID, replicaId: from, maxBytes, topics };
    this.give({ type: 'request', token: this.#token, api: 'fetchSnapshot', body });
  }

  answerVote(requestId: number, epoch: number, granted: boolean, leaderId = -1): void {
    const partition = { partitionIndex: 0, errorCode: 0, leaderId, leaderEpoch: epoch, voteGranted: granted };
    const topics = [{ topicName: METADATA_TOPIC, partitions: [partition] }];
    const body = { errorCode: 0, topics, nodeEndpoints: [] };
    this.give({ type: 'response', requestId, api: 'vote', body, batches: [] });
  }

  answerFetch(requestId: number, answer: FetchAnswerFields, batches: readonly ContentBatch[] = []): void {
    const body = fetchResponse(answer);
    this.give({ type: 'response', requestId, api: 'fetch', body, batches });
  }

  answerSnapshot(
    requestId: number,
    chunk: { id: SnapshotId; size: number; position: number; bytes: Uint8Array; errorCode?: number },
  ): void {
    const { leaderId, epoch: leaderEpoch } = this.replica.leaderAndEpoch;
    const partition = {
      index: 0,
      errorCode: chunk.errorCode ?? ErrorCode.NONE,
      snapshotId: chunk.id,
      currentLeader: { leaderId, leaderEpoch },
      size: chunk.size,
      position: chunk.position,
      unalignedRecords: chunk.bytes,
    };
    const topics = [{ name: METADATA_TOPIC, partitions: [partition] }];
    const body = { throttleTimeMs: 0, errorCode: 0, topics, nodeEndpoints: [] };
    this.give({ type: 'response', requestId, api: 'fetchSnapshot', body, batches: [] });
  }

  /** Voter 1 of three, elected in the epoch after its log's, with the LeaderChange synced and not yet committed. */
  static leader(options: BenchOptions = {}): ReplicaBench {
    const bench = new ReplicaBench(options);
    bench.stand();
    bench.win();
    bench.sync();
    return bench;
  }

  /** Ticks until the voter asks for pre-votes. */
  stand(): void {
    this.passUntil('send');
  }

  /** Grants, as voter 2, the pre-vote and the vote that it asks for. */
  win(): void {
    const preVote = this.sent('vote').find(({ to }) => to === 2);
    this.answerVote(preVote?.requestId ?? -1, this.replica.leaderAndEpoch.epoch, true);
    const vote = this.sent('vote').find(({ to }) => to === 2);
    this.answerVote(vote?.requestId ?? -1, this.replica.leaderAndEpoch.epoch, true);
  }

  #carryOut(effect: Effect): void {
    switch (effect.type) {
      case 'append':
        for (const batch of effect.batches) this.log.append(batch);
        return;
      case 'append-leader-change':
        this.log.assignEpoch(effect.epoch, effect.baseOffset);
        this.log.append(contentBatch(effect.baseOffset, effect.epoch, `leader ${effect.record.leaderId}`));
        return;
      case 'truncate':
        this.log.truncate(effect.endOffset);
        return;
      default:
    }
  }
}

export interface FetchAnswerFields {
  readonly errorCode?: number;
  readonly leaderId?: number;
  readonly epoch: number;
  readonly highWatermark?: number;
  readonly diverging?: { readonly epoch: number; readonly endOffset: number };
  readonly snapshotId?: SnapshotId;
}

export function fetchResponse(answer: FetchAnswerFields): ResponseOf<typeof apis.fetch> {
  const none = { epoch: -1, endOffset: -1 };
  const partition = {
    partitionIndex: 0,
    errorCode: answer.errorCode ?? ErrorCode.NONE,
    highWatermark: answer.highWatermark ?? -1,
    lastStableOffset: -1,
    logStartOffset: 0,
    divergingEpoch: answer.diverging ?? none,
    currentLeader: { leaderId: answer.leaderId ?? -1, leaderEpoch: answer.epoch },
    snapshotId: answer.snapshotId ?? none,
    abortedTransactions: null,
    preferredReadReplica: -1,
    records: null,
  };
  const responses = [{ topic: '', topicId: METADATA_TOPIC_ID, partitions: [partition] }];
  return { throttleTimeMs: 0, errorCode: 0, sessionId: 0, responses, nodeEndpoints: [] };
}
