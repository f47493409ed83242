/** Answers to followers in which a bit has turned on the way, where only the checksum of the batch can tell. */
import { batchesIn } from '@seatlog/kafka-protocol';
import type { FetchedPartition, FetchResponse } from '@seatlog/replication';
import type { SeededRandom } from '@seatlog/runtime/testing';

/** The first byte that the checksum is of. */
const CHECKED_FROM = 21;

export class RotOnTheWay {
  /** Of answers, 0 to 1. */
  share = 0;
  readonly #random: SeededRandom;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  spoiled(response: FetchResponse): FetchResponse {
    if (this.share === 0 || this.#random.fraction() >= this.share) return response;
    const responses = response.responses.map((topic) => ({
      ...topic,
      partitions: topic.partitions.map((partition) => this.#spoiledPartition(partition)),
    }));
    return { ...response, responses };
  }

  #spoiledPartition(partition: FetchedPartition): FetchedPartition {
    const records = Uint8Array.from(partition.records ?? []);
    const batches = [...batchesIn(records)];
    const batch = batches[this.#random.below(batches.length)];
    if (batch === undefined) return partition;
    const at = CHECKED_FROM + this.#random.below(batch.length - CHECKED_FROM);
    batch[at] = (batch[at] ?? 0) ^ (1 << this.#random.below(8));
    return { ...partition, records };
  }
}
