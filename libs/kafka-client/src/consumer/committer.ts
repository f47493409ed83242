/**
 * Commits under the membership of the moment. A rebalance that is going on is waited for if the partitions stay; once they
 * have gone to somebody else a commit is refused here already.
 */
import { ErrorCode, errorByName } from '@seatlog/kafka-protocol';
import type { Ports } from '../ports.ts';
import { backoffMs, type BackoffLimits } from '../backoff.ts';
import { KafkaClientError } from '../errors.ts';
import { notAssigned } from './consumer-errors.ts';
import type { GroupSession } from './group-session.ts';
import type { Membership, OffsetStore, OffsetToCommit } from './offset-store.ts';

/** Membership of one who only stores offsets: allowed while the group has no members. */
const NO_MEMBER: Membership = { memberId: '', generation: -1, groupInstanceId: null };
/** Refusals that tell the member how it stands with its group. */
const GROUP_SAYS: ReadonlySet<number> = new Set([
  ErrorCode.REBALANCE_IN_PROGRESS,
  ErrorCode.ILLEGAL_GENERATION,
  ErrorCode.UNKNOWN_MEMBER_ID,
  ErrorCode.FENCED_INSTANCE_ID,
]);

export class Committer {
  readonly #store: OffsetStore;
  readonly #session: GroupSession | null;
  readonly #groupInstanceId: string | null;
  readonly #ports: Ports;
  readonly #retryBackoff: BackoffLimits;

  constructor(
    store: OffsetStore,
    session: GroupSession | null,
    groupInstanceId: string | null,
    ports: Ports,
    retryBackoff: BackoffLimits,
  ) {
    this.#store = store;
    this.#session = session;
    this.#groupInstanceId = groupInstanceId;
    this.#ports = ports;
    this.#retryBackoff = retryBackoff;
  }

  async commit(offsets: readonly OffsetToCommit[], timeoutMs: number): Promise<void> {
    if (offsets.length === 0) return;
    const deadline = this.#ports.clock.monotonic() + timeoutMs;
    for (let failures = 1; ; failures++) {
      this.#requireHeld(offsets);
      const generation = this.#session?.member.generation;
      try {
        await this.#store.commit(offsets, () => this.#membership(offsets), deadline);
        return;
      } catch (error) {
        if (!(error instanceof KafkaClientError)) throw error;
        const pause = backoffMs(this.#retryBackoff, failures, this.#ports.random.fraction());
        const inTime = this.#ports.clock.monotonic() + pause < deadline;
        if (!this.#mayPass(error, generation) || !inTime) throw error;
        await new Promise<void>((resolve) => {
          this.#ports.timers.schedule(pause, resolve);
        });
      }
    }
  }

  /** Whether a refusal by the group is one of a rebalance that this member takes part in. If not, the member is told. */
  #mayPass(error: KafkaClientError, generation: number | undefined): boolean {
    const errorCode = errorByName(error.code)?.code ?? ErrorCode.NONE;
    const session = this.#session;
    if (!GROUP_SAYS.has(errorCode) || session === null) return false;
    if (errorCode === ErrorCode.REBALANCE_IN_PROGRESS) {
      session.send({ type: 'fenced', errorCode });
      return true;
    }
    const { member } = session;
    const overtaken =
      errorCode === ErrorCode.ILLEGAL_GENERATION && (member.isJoining || member.generation !== generation);
    if (!overtaken) session.send({ type: 'fenced', errorCode });
    return overtaken;
  }

  #membership(offsets: readonly OffsetToCommit[]): Membership {
    if (this.#session === null) return NO_MEMBER;
    this.#requireHeld(offsets);
    const { memberId, generation } = this.#session.member;
    return { memberId, generation, groupInstanceId: this.#groupInstanceId };
  }

  #requireHeld(offsets: readonly OffsetToCommit[]): void {
    const member = this.#session?.member;
    if (member === undefined) return;
    for (const offset of offsets)
      if (member.generation < 0 || !member.holds(offset)) throw notAssigned(offset);
  }
}
