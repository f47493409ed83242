/**
 * Writes that are on their way to the log, and what each of them means.
 *
 * A write that takes too long is answered with an error, but it stays here: it may still be replicated, and then it
 * counts. So what the coordinator holds is always what reading its log back would give.
 */
import type { RequestToken } from './events.ts';
import type { CommittedOffset, OffsetKey } from './offsets/committed-offset.ts';
import type { CommitOffsetsResponse, DeleteOffsetsResponse } from './responses.ts';

export interface OffsetWrite extends OffsetKey {
  readonly committed: CommittedOffset;
}

export type PendingWrite =
  | {
      readonly kind: 'offsets';
      readonly groupId: string;
      readonly offsets: readonly OffsetWrite[];
      readonly token: RequestToken;
      /** The answer with the given code for each partition that was written. */
      readonly answer: (errorCode: number) => CommitOffsetsResponse;
    }
  /** The leader's assignment of one generation. */
  | {
      readonly kind: 'assignment';
      readonly groupId: string;
      readonly generationId: number;
      readonly assignments: ReadonlyMap<string, Uint8Array>;
    }
  /** A generation without members. */
  | { readonly kind: 'empty-generation'; readonly groupId: string }
  /** A static member of a stable group under its later id. */
  | {
      readonly kind: 'static-rename';
      readonly groupId: string;
      readonly memberId: string;
      readonly formerMemberId: string;
      readonly generationId: number;
      readonly formerLeaderId: string;
      readonly supportsSkippingAssignment: boolean;
    }
  /** Tombstones of offsets; `request` is there when a client asked for it. */
  | {
      readonly kind: 'offsets-removed';
      readonly groupId: string;
      readonly keys: readonly OffsetKey[];
      readonly request: { readonly token: RequestToken; readonly response: DeleteOffsetsResponse } | null;
    }
  /** The tombstone of a whole group, after those of all its offsets. */
  | { readonly kind: 'group-removed'; readonly groupId: string; readonly token: RequestToken | null };

interface PendingAppend {
  readonly write: PendingWrite;
  answered: boolean;
}

export class PendingAppends {
  #nextId = 1;
  readonly #pending = new Map<number, PendingAppend>();

  add(write: PendingWrite): number {
    const appendId = this.#nextId++;
    this.#pending.set(appendId, { write, answered: false });
    return appendId;
  }

  /** The write, if it was not answered before; it counts as answered from here on. */
  giveUpWaiting(appendId: number): PendingWrite | undefined {
    const append = this.#pending.get(appendId);
    if (append === undefined || append.answered) return undefined;
    append.answered = true;
    return append.write;
  }

  /** Takes the write out. */
  settle(appendId: number): Readonly<PendingAppend> | undefined {
    const append = this.#pending.get(appendId);
    this.#pending.delete(appendId);
    return append;
  }

  /** All writes that are not settled, oldest first. */
  drain(): readonly Readonly<PendingAppend>[] {
    const all = [...this.#pending.values()];
    this.#pending.clear();
    return all;
  }
}
