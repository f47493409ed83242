/** A consumer that reads partition after partition, from leaders or from whom it may, and shows what it got. */
import { batchesIn, ErrorCode } from '@seatlog/kafka-protocol';
import type { FetchedPartition } from '@seatlog/replication';
import type { SeededRandom } from '@seatlog/runtime/testing';
import { isSound, type StoredBatch, storedBatch } from '../disk/stored-batch.ts';
import { violated } from '../invariants/violation.ts';
import { SimulatedProcess } from '../process/simulated-process.ts';
import { TOPIC } from '../simulation-settings.ts';
import type { World } from '../world.ts';

export type ConsumedListener = (partition: number, batch: StoredBatch) => void;

const PAUSE_MS = 40;

export class SimulatedConsumer {
  readonly process: SimulatedProcess;
  readonly #world: World;
  readonly #random: SeededRandom;
  readonly #readsFollowers: boolean;
  readonly #consumed: ConsumedListener;
  readonly #offsets: number[];
  #isActive = true;

  constructor(
    node: number,
    world: World,
    random: SeededRandom,
    readsFollowers: boolean,
    consumed: ConsumedListener,
  ) {
    this.#world = world;
    this.#random = random;
    this.#readsFollowers = readsFollowers;
    this.#consumed = consumed;
    this.#offsets = Array.from({ length: world.settings.partitions }, () => 0);
    this.process = new SimulatedProcess(node, world.queue);
    this.process.start();
    world.network.join(this.process);
  }

  begin(): void {
    if (!this.#isActive) return;
    const partition = this.#random.below(this.#offsets.length);
    const from = this.#replicaOf(partition);
    if (from === -1) {
      this.#later();
      return;
    }
    const offset = this.#offsets[partition] ?? 0;
    this.#world.network.call<FetchedPartition>({
      label: 'consumer fetch',
      from: this.process.node,
      to: from,
      timeoutMs: this.#world.settings.requestTimeoutMs,
      serve: (respond) =>
        this.#world.brokers[from - 1]?.run?.fetches.comeFromConsumer(
          partition,
          offset,
          this.#readsFollowers,
          respond,
        ),
      answered: (answer) => this.#take(partition, offset, answer),
      failed: () => this.#later(),
    });
  }

  rest(): void {
    this.#isActive = false;
  }

  #take(partition: number, offset: number, answer: FetchedPartition): void {
    if (answer.errorCode === ErrorCode.OFFSET_OUT_OF_RANGE) {
      // It begins anew, as one without a position does.
      const leader = this.#world.brokers.find(
        ({ run }) => run?.partitions.get(partition)?.replica.role === 'leading',
      );
      this.#offsets[partition] = leader?.run?.partitions.get(partition)?.log.logStartOffset ?? 0;
      this.#later();
      return;
    }
    let next = offset;
    for (const bytes of batchesIn(answer.records ?? new Uint8Array(0))) {
      const batch = storedBatch(bytes);
      this.#check(partition, batch, next, answer.highWatermark);
      this.#consumed(partition, batch);
      next = batch.lastOffset + 1;
    }
    this.#offsets[partition] = next;
    if (next > offset) this.begin();
    else this.#later();
  }

  /** A log has no holes, whoever it is read from; and nothing is shown that is above what is told to be committed. */
  #check(partition: number, batch: StoredBatch, next: number, highWatermark: number): void {
    const { baseOffset, lastOffset } = batch;
    const where = `partition ${partition}, ${baseOffset} to ${lastOffset} where ${next} comes next`;
    if (baseOffset > next || lastOffset < next) violated('consumers read on in order, without a hole', where);
    if (lastOffset >= highWatermark)
      violated('consumers are shown nothing above the high watermark', `${where}; up to ${highWatermark}`);
    if (!isSound(batch)) violated('consumers are shown nothing that rotted', where);
  }

  #later(): void {
    this.process.schedule(this.#random.fraction() * PAUSE_MS, 'consume', () => this.begin());
  }

  #replicaOf(partition: number): number {
    const running = this.#world.brokers.filter((broker) => broker.isServing);
    const known =
      running[this.#random.below(running.length)]?.run?.image?.topics.get(TOPIC)?.partitions[partition];
    if (known === undefined) return -1;
    if (!this.#readsFollowers || this.#random.oneIn(2)) return known.leader;
    return known.replicas[this.#random.below(known.replicas.length)] ?? -1;
  }
}
