/**
 * Watches a simulated cluster, after every change, for what must never happen:
 *
 * - the high watermark of a leader falls within its epoch;
 * - two records at one offset were both below some leader's high watermark, or a leader of a later epoch lacks one;
 * - a replica has below its own high watermark what no leader had below its;
 * - the leader's maximal ISR lacks a member of the ISR that the controller has for that leader epoch;
 * - a record whose acks=all was answered is not there.
 *
 * Bytes are compared, not words: replicas hold the very same batches.
 */
import type { SimulatedBroker } from './simulated-broker.ts';
import type { Produced, SimulatedCluster } from './simulated-cluster.ts';

interface CommittedBatch {
  readonly bytes: Uint8Array;
  readonly leaderEpoch: number;
}

interface Checked {
  readonly generation: number;
  readonly offset: number;
}

export class Witness {
  readonly #cluster: SimulatedCluster;
  /** By base offset: what a leader had below its high watermark, and in which epoch it led when that was first so. */
  readonly #committed = new Map<number, CommittedBatch>();
  readonly #highWatermarks = new Map<string, number>();
  readonly #checked = new Map<number, Checked>();
  readonly #produced: Produced[] = [];
  /** How many leaderships it saw begin. */
  elections = 0;

  constructor(cluster: SimulatedCluster) {
    this.#cluster = cluster;
  }

  /** From now on it looks after every change, and throws at the first thing that must not be. */
  watch(): void {
    this.#cluster.observer = () => this.look();
  }

  get committedBatches(): number {
    return this.#committed.size;
  }

  get acknowledged(): readonly Produced[] {
    return this.#produced.filter(({ acks, outcome }) => acks === -1 && outcome?.errorCode === 0);
  }

  expect(produced: Produced): void {
    this.#produced.push(produced);
  }

  look(): void {
    for (const broker of this.#cluster.brokers) {
      if (broker.isLeading) this.#lookAtLeader(broker);
    }
    for (const broker of this.#cluster.brokers) this.#lookAtLog(broker);
  }

  /** At the end: every record that was promised stands at its offset on the leader. */
  lookAtPromises(): void {
    const { leader } = this.#cluster;
    if (leader === undefined) throw new Error('nobody leads in the end');
    for (const { words, outcome } of this.acknowledged) {
      const from = outcome?.baseOffset ?? -1;
      // Deleted records were there.
      if (from < leader.log.logStartOffset) continue;
      const there = leader.log.words(from, from + words.length);
      if (String(there) !== String(words))
        throw new Error(`${words} was promised at ${from}, there is ${there}`);
    }
  }

  #lookAtLeader(broker: SimulatedBroker): void {
    const { leader } = broker.replica;
    if (leader === null) return;
    const { highWatermark, leaderEpoch, maximalIsr } = leader;
    const leadership = `${broker.id} in epoch ${leaderEpoch} by process ${broker.brokerEpoch}`;
    const before = this.#highWatermarks.get(leadership);
    if (before === undefined) this.#lookAtElection(broker, leaderEpoch);
    if (before !== undefined && highWatermark < before) {
      throw new Error(`the high watermark of ${leadership} fell from ${before} to ${highWatermark}`);
    }
    this.#highWatermarks.set(leadership, highWatermark);
    this.#commit(broker, before ?? 0, highWatermark, leaderEpoch);
    const { partition } = this.#cluster.controller.image;
    const missing = partition.isr.filter((id) => !maximalIsr.includes(id));
    if (partition.leaderEpoch === leaderEpoch && partition.leader === broker.id && missing.length > 0) {
      throw new Error(`the maximal ISR ${maximalIsr} of ${leadership} lacks ${missing}`);
    }
  }

  #lookAtElection({ id, log }: SimulatedBroker, leaderEpoch: number): void {
    this.elections += 1;
    const own = new Map(log.batches.map((batch) => [batch.baseOffset, batch.bytes]));
    for (const [offset, committed] of this.#committed) {
      if (committed.leaderEpoch > leaderEpoch || offset < log.logStartOffset) continue;
      const bytes = own.get(offset);
      if (bytes === undefined || Buffer.compare(bytes, committed.bytes) !== 0) {
        throw new Error(
          `broker ${id} leads in epoch ${leaderEpoch} without the committed batch at ${offset}`,
        );
      }
    }
  }

  #commit({ id, log }: SimulatedBroker, from: number, to: number, leaderEpoch: number): void {
    for (const { baseOffset, lastOffset, bytes } of log.batches) {
      if (lastOffset < from || lastOffset >= to) continue;
      const known = this.#committed.get(baseOffset);
      if (known === undefined) this.#committed.set(baseOffset, { bytes, leaderEpoch });
      else if (Buffer.compare(known.bytes, bytes) !== 0) {
        throw new Error(`broker ${id} commits another batch at ${baseOffset} in epoch ${leaderEpoch}`);
      }
    }
  }

  #lookAtLog({ id, log }: SimulatedBroker): void {
    const before = this.#checked.get(id);
    const from = before?.generation === log.generation ? before.offset : 0;
    for (const { baseOffset, lastOffset, bytes } of log.batches) {
      if (lastOffset < from || lastOffset >= log.highWatermark) continue;
      const committed = this.#committed.get(baseOffset);
      if (committed === undefined || Buffer.compare(committed.bytes, bytes) !== 0) {
        throw new Error(
          `broker ${id} has a batch at ${baseOffset} below its high watermark that is not committed`,
        );
      }
    }
    this.#checked.set(id, { generation: log.generation, offset: log.highWatermark });
  }
}
