/**
 * One term of this node as the active controller: decisions in, batches for the log out, answers once they are
 * committed and applied.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import {
  type ChangeOutcome,
  type ClusterImage,
  type Decision,
  MetadataController,
  type RecordsToAppend,
} from '@seatlog/metadata-quorum';
import type { ControllerTerm } from './metadata-quorum.ts';

export class ControllerTenure implements ControllerTerm {
  readonly #controller: MetadataController;
  readonly #append: (records: RecordsToAppend) => void;
  #isOver = false;

  /** Takes over on the committed image. `append` is given the batches, in their order. */
  constructor(committed: ClusterImage, epoch: number, append: (records: RecordsToAppend) => void) {
    this.#controller = new MetadataController(committed, epoch);
    this.#append = append;
  }

  get epoch(): number {
    return this.#controller.epoch;
  }

  get writtenImage(): ClusterImage {
    return this.#controller.written;
  }

  change<Answer>(
    decide: (image: ClusterImage) => Decision<Answer>,
    done: (outcome: ChangeOutcome<Answer>) => void,
  ): void {
    if (this.#isOver) return done(notController());
    const records = this.#controller.change(decide, done);
    if (records !== null) this.#append(records);
  }

  /** Everything up to the offset is committed and applied. */
  committed(offset: number): void {
    if (!this.#isOver) this.#controller.committed(offset);
  }

  /** What waits is answered so; what is asked from now on, with NOT_CONTROLLER. */
  end(image: ClusterImage, errorCode: number, message: string): void {
    this.#isOver = true;
    this.#controller.abandon(image, errorCode, message);
  }
}

export function notController(): {
  readonly kind: 'failed';
  readonly errorCode: number;
  readonly message: string;
} {
  return {
    kind: 'failed',
    errorCode: ErrorCode.NOT_CONTROLLER,
    message: 'This node is not the active controller.',
  };
}
