/**
 * Producer ids for this broker's clients, from blocks that the controller has committed.
 *
 * A request that finds the block used up waits for the next one; so many may wait, and more are refused.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import { allocateProducerIds } from '@seatlog/metadata-quorum';
import type { MetadataService } from './metadata-service.ts';

const MAX_WAITING = 10_000;

export type ProducerIdDone = (errorCode: number, producerId: number) => void;

export class ProducerIdSource {
  readonly #metadata: MetadataService;
  #next = 0;
  /** The first id after the block. */
  #end = 0;
  #waiting: ProducerIdDone[] = [];

  constructor(metadata: MetadataService) {
    this.#metadata = metadata;
  }

  /** Gives an id that nobody was given before; COORDINATOR_LOAD_IN_PROGRESS (ask again) while there is none. */
  take(done: ProducerIdDone): void {
    if (this.#next < this.#end) {
      done(ErrorCode.NONE, this.#next++);
      return;
    }
    if (this.#waiting.length >= MAX_WAITING) {
      done(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, -1);
      return;
    }
    this.#waiting.push(done);
    if (this.#waiting.length === 1) this.#nextBlock();
  }

  #nextBlock(): void {
    const { nodeId } = this.#metadata;
    this.#metadata.change(
      (image) => allocateProducerIds(image, nodeId, image.brokers.get(nodeId)?.epoch ?? -1),
      (outcome) => {
        const block = outcome.kind === 'committed' ? outcome.answer : null;
        const waiting = this.#waiting;
        this.#waiting = [];
        if (block === null || block.errorCode !== ErrorCode.NONE) {
          for (const done of waiting) done(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, -1);
          return;
        }
        this.#next = block.firstProducerId;
        this.#end = block.firstProducerId + block.size;
        for (const done of waiting) this.take(done);
      },
    );
  }
}
