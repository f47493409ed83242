/**
 * The way of one broker's proposals to the controller (R13): at most one AlterPartition request is in flight; changes
 * of other partitions wait meanwhile and go together in the next; a partition has one change that waits at most, the
 * latest.
 *
 *     submit      waits, in place of an earlier one of its partition
 *     withdraw    waits no longer; if it is in flight already, its answer is dropped
 *     answered    each proposal that was in that request gets its verdict; what got none goes again
 *     failed      all of the request go again, for it may have been applied or not (R15)
 *     retry-due   the pause after a failure, or before a proposal is repeated, is over
 *
 * Answers count for the request they were sent for and no other (F23). Promises an `answer` for every proposal that was
 * neither withdrawn nor replaced, as long as the controller can be reached.
 */
import {
  type apis,
  ErrorCode,
  errorByCode,
  type RequestInput,
  type ResponseOf,
} from '@seatlog/kafka-protocol';
import type { ClusterView } from '../cluster-view.ts';
import { type LogLine, logLine } from '../log-line.ts';
import { type IsrProposal, isSameProposal, type IsrVerdict } from './isr-proposal.ts';

/** Of version 3. */
export type AlterPartitionRequest = RequestInput<typeof apis.alterPartition>;
export type AlterPartitionResponse = ResponseOf<typeof apis.alterPartition>;

export type ChannelEvent =
  | { readonly type: 'submit'; readonly proposal: IsrProposal }
  | { readonly type: 'withdraw'; readonly proposal: IsrProposal }
  | { readonly type: 'answered'; readonly requestId: number; readonly response: AlterPartitionResponse }
  /** Not sent, not answered in time, or the connection was lost. */
  | { readonly type: 'failed'; readonly requestId: number; readonly reason: string }
  | { readonly type: 'retry-due' };

/**
 * - `send`: to the controller, whoever it is; `answered` or `failed` comes back once.
 * - `arm-retry`: give `retry-due` back after the delay.
 * - `answer`: give `isr-answered` to the leader of the proposal's partition.
 */
export type ChannelEffect =
  | { readonly type: 'send'; readonly requestId: number; readonly request: AlterPartitionRequest }
  | { readonly type: 'arm-retry'; readonly delayMs: number }
  | { readonly type: 'answer'; readonly proposal: IsrProposal; readonly verdict: IsrVerdict }
  | LogLine;

export interface ChannelLimits {
  readonly retryBackoffMs: number;
  readonly partitionsPerRequest: number;
}

export const DEFAULT_CHANNEL_LIMITS: ChannelLimits = { retryBackoffMs: 50, partitionsPerRequest: 2000 };

interface RequestInFlight {
  readonly requestId: number;
  readonly proposals: Map<string, IsrProposal>;
}

export class AlterPartitionChannel {
  readonly #brokerId: number;
  readonly #cluster: ClusterView;
  readonly #limits: ChannelLimits;
  /** By partition, in the order of their coming. */
  readonly #waiting = new Map<string, IsrProposal>();
  #inFlight: RequestInFlight | null = null;
  #isPausing = false;
  #nextRequestId = 1;

  constructor(brokerId: number, cluster: ClusterView, limits: ChannelLimits = DEFAULT_CHANNEL_LIMITS) {
    this.#brokerId = brokerId;
    this.#cluster = cluster;
    this.#limits = limits;
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  get isInFlight(): boolean {
    return this.#inFlight !== null;
  }

  step(event: ChannelEvent): readonly ChannelEffect[] {
    const effects: ChannelEffect[] = [];
    switch (event.type) {
      case 'submit':
        this.#waiting.set(keyOf(event.proposal), event.proposal);
        if (event.proposal.attempt > 1) this.#pause(effects);
        break;
      case 'withdraw':
        this.#withdraw(event.proposal);
        break;
      case 'answered':
        this.#takeAnswer(event.requestId, event.response, effects);
        break;
      case 'failed':
        this.#takeFailure(event.requestId, event.reason, effects);
        break;
      case 'retry-due':
        this.#isPausing = false;
        break;
    }
    this.#send(effects);
    return effects;
  }

  #send(effects: ChannelEffect[]): void {
    if (this.#inFlight !== null || this.#isPausing || this.#waiting.size === 0) return;
    const proposals = new Map([...this.#waiting].slice(0, this.#limits.partitionsPerRequest));
    for (const key of proposals.keys()) this.#waiting.delete(key);
    const requestId = this.#nextRequestId++;
    this.#inFlight = { requestId, proposals };
    effects.push({ type: 'send', requestId, request: this.#requestOf([...proposals.values()]) });
  }

  #requestOf(proposals: readonly IsrProposal[]): AlterPartitionRequest {
    const byTopic = Map.groupBy(proposals, (proposal) => proposal.topicId);
    return {
      brokerId: this.#brokerId,
      brokerEpoch: this.#cluster.brokerEpoch,
      topics: Array.from(byTopic, ([topicId, ofTopic]) => ({
        topicId,
        partitions: ofTopic.map((proposal) => ({
          partitionIndex: proposal.partition,
          leaderEpoch: proposal.leaderEpoch,
          newIsrWithEpochs: proposal.isr,
          leaderRecoveryState: proposal.leaderRecoveryState,
          partitionEpoch: proposal.partitionEpoch,
        })),
      })),
    };
  }

  #withdraw(proposal: IsrProposal): void {
    const key = keyOf(proposal);
    for (const proposals of [this.#waiting, this.#inFlight?.proposals]) {
      const held = proposals?.get(key);
      if (held !== undefined && isSameProposal(held, proposal)) proposals?.delete(key);
    }
  }

  #takeAnswer(requestId: number, response: AlterPartitionResponse, effects: ChannelEffect[]): void {
    const inFlight = this.#ended(requestId);
    if (inFlight === null) return;
    if (response.errorCode !== ErrorCode.NONE) {
      this.#putBack(inFlight, errorByCode(response.errorCode).name, effects);
      return;
    }
    for (const { topicId, partitions } of response.topics) {
      for (const partition of partitions) {
        const key = `${topicId}:${partition.partitionIndex}`;
        const proposal = inFlight.proposals.get(key);
        if (proposal === undefined) continue;
        inFlight.proposals.delete(key);
        effects.push({ type: 'answer', proposal, verdict: verdictOf(partition) });
      }
    }
    if (inFlight.proposals.size > 0) this.#putBack(inFlight, 'no answer for the partition', effects);
  }

  #takeFailure(requestId: number, reason: string, effects: ChannelEffect[]): void {
    const inFlight = this.#ended(requestId);
    if (inFlight !== null) this.#putBack(inFlight, reason, effects);
  }

  /** Null for a request that is not the one in flight. */
  #ended(requestId: number): RequestInFlight | null {
    const inFlight = this.#inFlight;
    if (inFlight?.requestId !== requestId) return null;
    this.#inFlight = null;
    return inFlight;
  }

  #putBack({ proposals }: RequestInFlight, reason: string, effects: ChannelEffect[]): void {
    for (const [key, proposal] of proposals) {
      if (!this.#waiting.has(key)) this.#waiting.set(key, proposal);
    }
    effects.push(logLine('warn', `AlterPartition did not succeed (${reason}); it will be sent again`));
    this.#pause(effects);
  }

  #pause(effects: ChannelEffect[]): void {
    if (this.#isPausing) return;
    this.#isPausing = true;
    effects.push({ type: 'arm-retry', delayMs: this.#limits.retryBackoffMs });
  }
}

type AlteredPartition = AlterPartitionResponse['topics'][number]['partitions'][number];

function verdictOf({ errorCode, leaderEpoch, partitionEpoch, isr }: AlteredPartition): IsrVerdict {
  return errorCode === ErrorCode.NONE
    ? { kind: 'accepted', leaderEpoch, partitionEpoch, isr }
    : { kind: 'refused', errorCode };
}

function keyOf({ topicId, partition }: IsrProposal): string {
  return `${topicId}:${partition}`;
}
