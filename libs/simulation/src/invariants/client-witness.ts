/**
 * Holds what clients were told and shown against what is committed.
 *
 * - A record whose acks=all was answered is committed, at the offset that was told.
 * - Consumers are shown nothing that is not committed.
 * - An idempotent producer's batches stand in the log once; none is refused as out of order, unless a loss was forgiven.
 */
import { batchProducerId, batchBaseSequence, batchProducerEpoch, ErrorCode } from '@seatlog/kafka-protocol';
import type { Produced } from '../client/produced.ts';
import type { StoredBatch } from '../disk/stored-batch.ts';
import type { ClusterWitness } from './cluster-witness.ts';
import { violated } from './violation.ts';

export class ClientWitness {
  readonly #cluster: ClusterWitness;
  readonly #promised: Produced[] = [];
  consumedBatches = 0;

  constructor(cluster: ClusterWitness) {
    this.#cluster = cluster;
  }

  /** How many produces with acks=all were answered well. */
  get acknowledged(): number {
    return this.#promised.length;
  }

  told(produced: Produced): void {
    const { acks, errorCode, isIdempotent, partition } = produced;
    const witness = this.#cluster.partitions[partition];
    if (witness === undefined || acks !== -1) return;
    const knowsProducers = !witness.hasForgiven && !witness.hasForgottenProducers;
    if (errorCode === ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER && isIdempotent && knowsProducers) {
      violated('an idempotent producer is in order', `partition ${partition}: ${JSON.stringify(produced)}`);
    }
    if (errorCode !== ErrorCode.NONE) return;
    this.#promised.push(produced);
    if (!witness.hasForgiven) this.#checkPromise(produced);
  }

  consumed(partition: number, batch: StoredBatch): void {
    this.consumedBatches += 1;
    const witness = this.#cluster.partitions[partition];
    // A checkpoint of what was lost may reach beyond what is committed since.
    if (witness === undefined || witness.hasForgiven || witness.history.wasEver(batch)) return;
    violated(
      'consumers are shown only what is committed',
      `partition ${partition}, offset ${batch.baseOffset} of epoch ${batch.leaderEpoch}; committed to ${witness.history.end}`,
    );
  }

  lookAtRest(): void {
    for (const produced of this.#promised) {
      if (this.#cluster.partitions[produced.partition]?.hasForgiven === false) this.#checkPromise(produced);
    }
    for (const { index, history, hasForgiven, hasForgottenProducers } of this.#cluster.partitions) {
      if (hasForgiven || hasForgottenProducers) continue;
      const seen = new Set<string>();
      for (const { bytes, baseOffset } of history.batches) {
        if (batchProducerId(bytes) < 0) continue;
        const key = `${batchProducerId(bytes)}/${batchProducerEpoch(bytes)}/${batchBaseSequence(bytes)}`;
        if (seen.has(key))
          violated('an idempotent batch is written once', `partition ${index}, offset ${baseOffset}`);
        seen.add(key);
      }
    }
  }

  #checkPromise({ partition, baseOffset, crc, isIdempotent }: Produced): void {
    // The answer to a retry may be of a history that was deleted before it could be compared.
    if (isIdempotent && this.#cluster.partitions[partition]?.hasForgottenProducers === true) return;
    const there = this.#cluster.partitions[partition]?.history.at(baseOffset);
    if (there?.crc !== crc) {
      violated(
        'what is acknowledged is committed',
        `partition ${partition}, offset ${baseOffset}: there is ${there?.crc}`,
      );
    }
  }
}
