/**
 * The in-sync replicas of one partition, as its leader has them. All changes are made here:
 *
 *     committed ──expand───────────────────────▶ pending-expand
 *     committed ──shrink───────────────────────▶ pending-shrink
 *     pending   ──settle: accepted─────────────▶ committed, as the controller says
 *     pending   ──settle: surely not applied───▶ committed, as before the proposal
 *     pending   ──settle: overtaken────────────▶ pending, until newer metadata comes
 *     pending   ──settle: anything else────────▶ pending, proposed once more
 *     any       ──replace, by newer metadata───▶ committed, as the metadata says
 *
 * The maximal ISR is every set that may be in force: with the replica that is to join, and still with those that are to
 * leave. What is acknowledged goes by it, so no answer that is late, lost or doubled makes anything less safe.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import { type IsrMember, type IsrProposal, isSameProposal, type IsrVerdict } from './isr-proposal.ts';

export interface CommittedIsr {
  readonly kind: 'committed';
  readonly isr: readonly number[];
  readonly partitionEpoch: number;
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

export type IsrState = CommittedIsr | PendingExpandIsr | PendingShrinkIsr;

/** What an answer to a proposal did. */
export type Settlement =
  | { readonly kind: 'ignored' }
  | { readonly kind: 'committed'; readonly was: 'pending-expand' | 'pending-shrink' }
  | { readonly kind: 'taken-back'; readonly errorCode: number }
  | { readonly kind: 'left-pending'; readonly errorCode: number }
  | { readonly kind: 'proposed-again'; readonly errorCode: number; readonly proposal: IsrProposal };

/** Leaders recover by leading: what they propose is recovered. */
const RECOVERED = 0;

export class InSyncReplicas {
  readonly #topicId: string;
  readonly #partition: number;
  #state: IsrState;
  #nextProposalId = 1;

  constructor(topicId: string, partition: number, isr: readonly number[], partitionEpoch: number) {
    this.#topicId = topicId;
    this.#partition = partition;
    this.#state = { kind: 'committed', isr, partitionEpoch };
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

  /** Proposes one more member; null while another proposal is pending. */
  expand(joining: number, leaderEpoch: number, epochOf: (brokerId: number) => number): IsrProposal | null {
    const state = this.#state;
    if (state.kind !== 'committed') return null;
    const proposal = this.#propose(state, [...state.isr, joining], leaderEpoch, epochOf);
    this.#state = { kind: 'pending-expand', lastCommitted: state, joining, proposal };
    return proposal;
  }

  /** Proposes to drop members; null while another proposal is pending. */
  shrink(
    leaving: readonly number[],
    leaderEpoch: number,
    epochOf: (brokerId: number) => number,
  ): IsrProposal | null {
    const state = this.#state;
    if (state.kind !== 'committed') return null;
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
      this.#state = { kind: 'committed', isr, partitionEpoch };
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
  replace(isr: readonly number[], partitionEpoch: number): IsrState {
    const before = this.#state;
    this.#state = { kind: 'committed', isr, partitionEpoch };
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
