/**
 * The in-sync replicas of one partition, as its leader has them. All changes are made here:
 *
 *     committed ──expand───────────────────────▶ pending-expand
 *     committed ──shrink───────────────────────▶ pending-shrink
 *     committed ──confirmRecovery──────────────▶ pending-recovery
 *     pending   ──settle: accepted─────────────▶ committed, as the controller says
 *     pending   ──settle: surely not applied───▶ committed, as before the proposal
 *     pending   ──settle: overtaken────────────▶ pending, until newer metadata comes
 *     pending   ──settle: anything else────────▶ pending, proposed once more
 *     any       ──replace, by newer metadata───▶ committed, as the metadata says
 *
 * The maximal ISR is every set that may be in force: with the replica that is to join, and still with those that are to
 * leave. What is acknowledged goes by it, so no answer that is late, lost or doubled makes anything less safe.
 *
 * A leader from outside of the ISR is alone in it and recovering. Till the controller has heard that it is recovered,
 * nobody joins or leaves (R20).
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { PartitionMetadata } from '../cluster-view.ts';
import { type IsrMember, type IsrProposal, isSameProposal, type IsrVerdict } from './isr-proposal.ts';

export interface CommittedIsr {
  readonly kind: 'committed';
  readonly isr: readonly number[];
  readonly partitionEpoch: number;
  readonly isRecovering: boolean;
}

export interface PendingExpandIsr {
  readonly kind: 'pending-expand';
  readonly lastCommitted: CommittedIsr;
  readonly joining: number;
  readonly proposal: IsrProposal;
}

export interface PendingShrinkIsr {
  readonly kind: 'pending-shrink';
  readonly lastCommitted: CommittedIsr;
  readonly leaving: readonly number[];
  readonly proposal: IsrProposal;
}

/** The members stay as they are. */
export interface PendingRecoveryIsr {
  readonly kind: 'pending-recovery';
  readonly lastCommitted: CommittedIsr;
  readonly proposal: IsrProposal;
}

export type PendingIsr = PendingExpandIsr | PendingShrinkIsr | PendingRecoveryIsr;
export type IsrState = CommittedIsr | PendingIsr;

/** What newer metadata says of an ISR. */
export type IsrMetadata = Pick<PartitionMetadata, 'isr' | 'partitionEpoch' | 'leaderRecoveryState'>;

/** What an answer to a proposal did. */
export type Settlement =
  | { readonly kind: 'ignored' }
  | { readonly kind: 'committed'; readonly was: PendingIsr['kind'] }
  | { readonly kind: 'taken-back'; readonly errorCode: number }
  | { readonly kind: 'left-pending'; readonly errorCode: number }
  | { readonly kind: 'proposed-again'; readonly errorCode: number; readonly proposal: IsrProposal };

/** A leader proposes nothing before its log is open and its epoch has begun: by then there is nothing left to recover. */
const RECOVERED = 0;

export class InSyncReplicas {
  readonly #topicId: string;
  readonly #partition: number;
  #state: IsrState;
  #nextProposalId = 1;

  constructor(topicId: string, partition: number, metadata: IsrMetadata) {
    this.#topicId = topicId;
    this.#partition = partition;
    this.#state = committedBy(metadata);
  }

  get state(): IsrState {
    return this.#state;
  }

  /** What the controller last confirmed. */
  get committed(): readonly number[] {
    return lastCommitted(this.#state).isr;
  }

  get partitionEpoch(): number {
    return lastCommitted(this.#state).partitionEpoch;
  }

  get maximal(): readonly number[] {
    const state = this.#state;
    return state.kind === 'pending-expand' ? [...state.lastCommitted.isr, state.joining] : this.committed;
  }

  /** Null while nothing is proposed. */
  get pendingProposal(): IsrProposal | null {
    return this.#state.kind === 'committed' ? null : this.#state.proposal;
  }

  /** The controller has not confirmed yet that the leader is recovered. */
  get isRecovering(): boolean {
    return lastCommitted(this.#state).isRecovering;
  }

  /** Proposes to have recovered; null if that is known, or another proposal is pending. */
  confirmRecovery(leaderEpoch: number, epochOf: (brokerId: number) => number): IsrProposal | null {
    const state = this.#state;
    if (state.kind !== 'committed' || !state.isRecovering) return null;
    const proposal = this.#propose(state, state.isr, leaderEpoch, epochOf);
    this.#state = { kind: 'pending-recovery', lastCommitted: state, proposal };
    return proposal;
  }

  /** Proposes one more member; null while another proposal is pending, or the leader is recovering. */
  expand(joining: number, leaderEpoch: number, epochOf: (brokerId: number) => number): IsrProposal | null {
    const state = this.#state;
    if (state.kind !== 'committed' || state.isRecovering) return null;
    const proposal = this.#propose(state, [...state.isr, joining], leaderEpoch, epochOf);
    this.#state = { kind: 'pending-expand', lastCommitted: state, joining, proposal };
    return proposal;
  }

  /** Proposes to drop members; null while another proposal is pending, or the leader is recovering. */
  shrink(
    leaving: readonly number[],
    leaderEpoch: number,
    epochOf: (brokerId: number) => number,
  ): IsrProposal | null {
    const state = this.#state;
    if (state.kind !== 'committed' || state.isRecovering) return null;
    const staying = state.isr.filter((id) => !leaving.includes(id));
    const proposal = this.#propose(state, staying, leaderEpoch, epochOf);
    this.#state = { kind: 'pending-shrink', lastCommitted: state, leaving, proposal };
    return proposal;
  }

  settle(proposal: IsrProposal, verdict: IsrVerdict): Settlement {
    const state = this.#state;
    if (state.kind === 'committed' || !isSameProposal(state.proposal, proposal)) return { kind: 'ignored' };
    if (verdict.kind === 'accepted') {
      const { isr, partitionEpoch, leaderEpoch } = verdict;
      if (leaderEpoch !== proposal.leaderEpoch || partitionEpoch < state.lastCommitted.partitionEpoch) {
        return { kind: 'ignored' };
      }
      this.#state = { kind: 'committed', isr, partitionEpoch, isRecovering: false };
      return { kind: 'committed', was: state.kind };
    }
    const { errorCode } = verdict;
    switch (consequence(errorCode)) {
      case 'not-applied':
        this.#state = state.lastCommitted;
        return { kind: 'taken-back', errorCode };
      case 'overtaken':
        return { kind: 'left-pending', errorCode };
      case 'unknown': {
        const again = { ...state.proposal, attempt: state.proposal.attempt + 1 };
        this.#state = { ...state, proposal: again };
        return { kind: 'proposed-again', errorCode, proposal: again };
      }
    }
  }

  /** Takes newer metadata; gives the proposal that it made pointless, if one was pending. */
  replace(metadata: IsrMetadata): IsrState {
    const before = this.#state;
    this.#state = committedBy(metadata);
    return before;
  }

  #propose(
    state: CommittedIsr,
    isr: readonly number[],
    leaderEpoch: number,
    epochOf: (brokerId: number) => number,
  ): IsrProposal {
    return {
      topicId: this.#topicId,
      partition: this.#partition,
      leaderEpoch,
      partitionEpoch: state.partitionEpoch,
      proposalId: this.#nextProposalId++,
      isr: isr.map((brokerId): IsrMember => ({ brokerId, brokerEpoch: epochOf(brokerId) })),
      leaderRecoveryState: RECOVERED,
      attempt: 1,
    };
  }
}

function committedBy({ isr, partitionEpoch, leaderRecoveryState }: IsrMetadata): CommittedIsr {
  return { kind: 'committed', isr, partitionEpoch, isRecovering: leaderRecoveryState !== RECOVERED };
}

function lastCommitted(state: IsrState): CommittedIsr {
  return state.kind === 'committed' ? state : state.lastCommitted;
}

/** R15: what a refusal says about the proposal's fate. */
function consequence(errorCode: number): 'not-applied' | 'overtaken' | 'unknown' {
  switch (errorCode) {
    // The controller knows the very state that the proposal was made on, and did not change it.
    case ErrorCode.INELIGIBLE_REPLICA:
    case ErrorCode.OPERATION_NOT_ATTEMPTED:
      return 'not-applied';
    // Something happened that this leader has not heard of yet.
    case ErrorCode.FENCED_LEADER_EPOCH:
    case ErrorCode.INVALID_UPDATE_VERSION:
    case ErrorCode.INVALID_REQUEST:
    case ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
    case ErrorCode.UNKNOWN_TOPIC_ID:
    case ErrorCode.NEW_LEADER_ELECTED:
      return 'overtaken';
    default:
      return 'unknown';
  }
}
