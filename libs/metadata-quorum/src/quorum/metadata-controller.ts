/**
 * The active controller: runs decisions one after another and holds their answers back until their records are
 * committed.
 *
 * Decisions see the image of everything that is written, committed or not, so that two requests for one topic name
 * cannot both succeed. A decision that changes nothing may still rest on such a record, so its answer waits for the
 * commit of all that it saw.
 *
 * The caller appends what `change` gives, in that order, and tells how far the log is committed. It is the same
 * whether a commit is this node's own sync or a majority of voters.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { Decision } from '../controller/decision.ts';
import type { ClusterImage } from '../image/cluster-image.ts';
import { foldAll } from '../image/image-draft.ts';
import type { MetadataRecord } from '../records/metadata-record.ts';

export type ChangeOutcome<Answer> =
  | { readonly kind: 'committed'; readonly answer: Answer }
  /** Nothing is known to be committed. */
  | { readonly kind: 'failed'; readonly errorCode: number; readonly message: string };

/** Records to append as one batch at exactly this offset. */
export interface RecordsToAppend {
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly epoch: number;
  readonly records: readonly MetadataRecord[];
}

interface PendingAnswer {
  readonly offset: number;
  readonly commit: () => void;
  readonly fail: (errorCode: number, message: string) => void;
}

/** So many answers may wait for the log at once; more decisions are refused until some are committed. */
export const MAX_PENDING_DECISIONS = 10_000;

export class MetadataController {
  readonly epoch: number;
  #written: ClusterImage;
  #committedOffset: number;
  #pending: PendingAnswer[] = [];

  /** Takes over at the end of the committed log, in an epoch of its own. */
  constructor(committed: ClusterImage, epoch: number) {
    this.#written = committed;
    this.#committedOffset = committed.lastOffset;
    this.epoch = epoch;
  }

  /** Everything decided so far, committed or not. */
  get written(): ClusterImage {
    return this.#written;
  }

  get pendingDecisions(): number {
    return this.#pending.length;
  }

  /**
   * Runs a decision. `done` is called once: within this call if nothing has to be waited for, else from `committed`
   * or `abandon`. Gives the records that the caller must append next, null if there are none.
   */
  change<Answer>(
    decide: (image: ClusterImage) => Decision<Answer>,
    done: (outcome: ChangeOutcome<Answer>) => void,
  ): RecordsToAppend | null {
    if (this.#pending.length >= MAX_PENDING_DECISIONS) {
      const message = `${MAX_PENDING_DECISIONS} decisions wait for the metadata log; ask again later.`;
      done({ kind: 'failed', errorCode: ErrorCode.REQUEST_TIMED_OUT, message });
      return null;
    }
    const { records, answer } = decide(this.#written);
    const baseOffset = this.#written.lastOffset + 1;
    const lastOffset = this.#written.lastOffset + records.length;
    if (records.length > 0) this.#written = foldAll(this.#written, records, lastOffset, this.epoch);
    if (lastOffset <= this.#committedOffset) {
      done({ kind: 'committed', answer });
      return null;
    }
    this.#pending.push({
      offset: lastOffset,
      commit: () => done({ kind: 'committed', answer }),
      fail: (errorCode, message) => done({ kind: 'failed', errorCode, message }),
    });
    return records.length === 0 ? null : { baseOffset, lastOffset, epoch: this.epoch, records };
  }

  /** All up to this offset is committed (and applied, if answers should mean that): gives the answers that waited. */
  committed(offset: number): void {
    this.#committedOffset = Math.max(this.#committedOffset, offset);
    while (this.#pending[0] !== undefined && this.#pending[0].offset <= this.#committedOffset) {
      this.#pending.shift()?.commit();
    }
  }

  /** What is written and not committed is lost, or no longer this node's to commit: goes back to the committed image. */
  abandon(committed: ClusterImage, errorCode: number, message: string): void {
    const abandoned = this.#pending;
    this.#pending = [];
    this.#written = committed;
    this.#committedOffset = committed.lastOffset;
    for (const pending of abandoned) pending.fail(errorCode, message);
  }
}
