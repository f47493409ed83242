/**
 * Producer ids for this broker's clients, from blocks that the controller has committed.
 *
 * A request that finds the block used up waits for the next one; so many may wait, and more are refused.
 */
import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import type { ControllerRequests } from '../controller/controller-requests.ts';
import type { MetadataService } from './metadata-service.ts';

const MAX_WAITING = 10_000;
/** How long the controller may take to give a block. */
const BLOCK_MS = 10_000;

export type ProducerIdDone = (errorCode: number, producerId: number) => void;

export class ProducerIdSource {
  readonly #metadata: MetadataService;
  readonly #controller: ControllerRequests;
  #next = 0;
  /** The first id after the block. */
  #end = 0;
  #waiting: ProducerIdDone[] = [];

  constructor(metadata: MetadataService, controller: ControllerRequests) {
    this.#metadata = metadata;
    this.#controller = controller;
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
    const { nodeId, image } = this.#metadata;
    const request = { brokerId: nodeId, brokerEpoch: image.brokers.get(nodeId)?.epoch ?? -1 };
    this.#controller.send(apis.allocateProducerIds, 0, request, { timeoutMs: BLOCK_MS }, (outcome) => {
      const waiting = this.#waiting;
      this.#waiting = [];
      if (outcome.kind === 'failed' || outcome.response.errorCode !== ErrorCode.NONE) {
        for (const done of waiting) done(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, -1);
        return;
      }
      const { producerIdStart, producerIdLen } = outcome.response;
      this.#next = producerIdStart;
      this.#end = producerIdStart + producerIdLen;
      for (const done of waiting) this.take(done);
    });
  }
}
