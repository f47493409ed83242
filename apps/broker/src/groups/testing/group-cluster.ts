/**
 * Several brokers that hold `__consumer_offsets`: one of them leads all its partitions, and the lead moves from one to
 * another together with as much of the log as the test says. What lies below the high watermark always goes along.
 */
import { GROUP_OFFSETS_TOPIC } from '@seatlog/metadata-quorum';
import { batchLastOffset } from '@seatlog/kafka-protocol';
import { GroupBroker } from './group-broker.ts';

export class GroupCluster {
  readonly brokers: readonly GroupBroker[];
  #leader = 0;
  #leaderEpoch = 0;

  constructor(size: number, overrides: Readonly<Record<string, string>> = {}) {
    this.brokers = Array.from({ length: size }, () => new GroupBroker(overrides));
    for (const [id, broker] of this.brokers.entries()) {
      broker.createOffsetsTopic();
      broker.createTopic('seats');
      // Ids of topics are the same everywhere; what is drawn from here on is each broker's own.
      broker.broker.services.random.bytes(id);
    }
    for (const follower of this.brokers.slice(1)) {
      for (const index of this.partitions) follower.replicas.resign(GROUP_OFFSETS_TOPIC, index);
    }
  }

  get partitions(): readonly number[] {
    const topic = this.brokers[0]?.metadata.image.topics.get(GROUP_OFFSETS_TOPIC);
    return (topic?.partitions ?? []).map(({ index }) => index);
  }

  get leader(): GroupBroker {
    return this.broker(this.#leader);
  }

  broker(id: number): GroupBroker {
    const broker = this.brokers[id];
    if (broker === undefined) throw new Error(`there is no broker ${id}`);
    return broker;
  }

  /** Appends wait for `replicate` from now on, or no longer. */
  holdBack(isHeldBack: boolean): void {
    for (const { replicas } of this.brokers) replicas.replicates = !isHeldBack;
    if (!isHeldBack) this.replicate();
  }

  replicate(): void {
    for (const index of this.partitions) this.leader.offsetsPartition(index).replicate();
    this.leader.endTurns();
  }

  /**
   * Another broker is elected; it holds that share of what is not replicated yet. The one before finds out afterwards:
   * `meanwhile` is when both take themselves for the leader.
   */
  move(to: number, share = 1, meanwhile: () => void = () => {}): void {
    const before = this.leader;
    const after = this.broker(to);
    this.#leaderEpoch += 1;
    this.#leader = to;
    for (const index of this.partitions) {
      if (after !== before) copy(before.offsetsPartition(index), after.offsetsPartition(index), share);
      after.replicas.elect(GROUP_OFFSETS_TOPIC, index, this.#leaderEpoch);
    }
    after.endTurns();
    meanwhile();
    if (after === before) return;
    for (const index of this.partitions) before.replicas.resign(GROUP_OFFSETS_TOPIC, index);
  }

  advance(milliseconds: number): void {
    for (const { clock } of this.brokers) clock.advance(milliseconds);
  }
}

type MemoryPartition = ReturnType<GroupBroker['offsetsPartition']>;

function copy(from: MemoryPartition, to: MemoryPartition, share: number): void {
  const { highWatermark, logEndOffset } = from;
  const end = highWatermark + Math.floor((logEndOffset - highWatermark) * share);
  const batches = from.batches.filter((batch) => batchLastOffset(batch, 0) < end);
  to.batches.splice(0, to.batches.length, ...batches.map((batch) => batch.slice()));
  const last = batches.at(-1);
  to.logEndOffset = last === undefined ? 0 : batchLastOffset(last, 0) + 1;
  to.highWatermark = Math.min(highWatermark, to.logEndOffset);
}
