/**
 * A producer with a history. It sends one batch after another to whom it takes for the leader; an idempotent one sends
 * each again until it is told that it is written, another leaves it at one attempt.
 */
import { batchCrc, ErrorCode } from '@seatlog/kafka-protocol';
import type { ProduceOutcome } from '@seatlog/replication';
import type { SeededRandom } from '@seatlog/runtime/testing';
import { SimulatedProcess } from '../process/simulated-process.ts';
import { TOPIC } from '../simulation-settings.ts';
import type { World } from '../world.ts';
import type { Produced } from './produced.ts';
import { sampleBatch } from './sample-batch.ts';

export interface ProducerHabits {
  readonly acks: number;
  readonly isIdempotent: boolean;
  /** It waits up to this long between two batches. */
  readonly pauseMs: number;
}

/** Told of every answer. */
export type ProducedListener = (produced: Produced) => void;

const PRODUCE_TIMEOUT_MS = 1500;
const RETRY_MS = 25;
/** Sessions and lags are over by then. */
const OUT_OF_ORDER_ATTEMPTS = 400;

export class SimulatedProducer {
  readonly process: SimulatedProcess;
  readonly #world: World;
  readonly #random: SeededRandom;
  readonly #habits: ProducerHabits;
  readonly #told: ProducedListener;
  readonly #leaders = new Map<number, number>();
  readonly #sequences = new Map<number, number>();
  #producerId: number;
  #producerEpoch = 0;
  #count = 0;
  #outOfOrder = 0;
  #isActive = true;
  #isBusy = false;

  constructor(
    node: number,
    world: World,
    random: SeededRandom,
    habits: ProducerHabits,
    told: ProducedListener,
  ) {
    this.#world = world;
    this.#random = random;
    this.#habits = habits;
    this.#told = told;
    this.#producerId = node * 1000;
    this.process = new SimulatedProcess(node, world.queue);
    this.process.start();
    world.network.join(this.process);
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  begin(): void {
    this.process.schedule(this.#random.fraction() * this.#habits.pauseMs, 'produce', () => {
      if (this.#isActive)
        this.produce(this.#random.below(this.#world.settings.partitions), () => this.begin());
    });
  }

  /** Nothing more of its own accord. */
  rest(): void {
    this.#isActive = false;
  }

  /** One batch; `done` when it is told the outcome, or has given it up. */
  produce(partition: number, done: () => void): Produced {
    const { acks, isIdempotent } = this.#habits;
    const count = 1 + this.#random.below(3);
    const baseSequence = this.#sequences.get(partition) ?? 0;
    const producer = isIdempotent
      ? { producerId: this.#producerId, producerEpoch: this.#producerEpoch, baseSequence }
      : null;
    const batch = sampleBatch(`${this.process.node}-${this.#count++}`, count, producer);
    const produced: Produced = {
      partition,
      acks,
      isIdempotent,
      crc: batchCrc(batch),
      count,
      errorCode: undefined,
      baseOffset: -1,
    };
    this.#isBusy = true;
    this.#attempt(produced, batch, () => {
      this.#isBusy = false;
      done();
    });
    return produced;
  }

  #attempt(produced: Produced, batch: Uint8Array, done: () => void): void {
    const { partition, acks } = produced;
    const { network, brokers } = this.#world;
    const again = (errorCode: number): void => this.#retry(produced, batch, errorCode, done);
    const leader = this.#leaderOf(partition);
    if (leader === -1) {
      again(ErrorCode.LEADER_NOT_AVAILABLE);
      return;
    }
    if (acks === 0) {
      produced.errorCode = ErrorCode.NONE;
      this.process.schedule(0, 'produce without answer', done);
    }
    network.call<ProduceOutcome | null>({
      label: 'produce',
      from: this.process.node,
      to: leader,
      timeoutMs: PRODUCE_TIMEOUT_MS + this.#world.settings.requestTimeoutMs,
      serve: (respond) =>
        brokers[leader - 1]?.run?.produces.come({
          partition,
          acks,
          timeoutMs: PRODUCE_TIMEOUT_MS,
          batch,
          respond,
        }),
      answered: (outcome) => {
        if (acks === 0) return;
        if (outcome === null || outcome.errorCode !== ErrorCode.NONE) again(outcome?.errorCode ?? -1);
        else this.#noteWritten(produced, outcome.baseOffset, done);
      },
      failed: () => {
        if (acks !== 0) again(ErrorCode.NETWORK_EXCEPTION);
      },
    });
  }

  #noteWritten(produced: Produced, baseOffset: number, done: () => void): void {
    this.#outOfOrder = 0;
    produced.errorCode = ErrorCode.NONE;
    produced.baseOffset = baseOffset;
    if (produced.isIdempotent) {
      this.#sequences.set(
        produced.partition,
        (this.#sequences.get(produced.partition) ?? 0) + produced.count,
      );
    }
    this.#told(produced);
    done();
  }

  #retry(produced: Produced, batch: Uint8Array, errorCode: number, done: () => void): void {
    this.#leaders.delete(produced.partition);
    // A leader that was deposed and does not know it yet lacks what was written since.
    const isOutOfOrder = errorCode === ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER;
    if (isOutOfOrder) this.#outOfOrder += 1;
    if (produced.isIdempotent && (!isOutOfOrder || this.#outOfOrder < OUT_OF_ORDER_ATTEMPTS)) {
      this.process.schedule(RETRY_MS, 'produce again', () => this.#attempt(produced, batch, done));
      return;
    }
    this.#outOfOrder = 0;
    produced.errorCode = errorCode;
    this.#told(produced);
    if (produced.isIdempotent) {
      // What it wrote before is gone: it goes on as another producer.
      this.#producerId += 1;
      this.#sequences.clear();
    }
    this.process.schedule(RETRY_MS, 'producer goes on', done);
  }

  /** As some broker knew it when it was last asked; -1 for none. */
  #leaderOf(partition: number): number {
    let leader = this.#leaders.get(partition);
    if (leader === undefined) {
      leader = this.#askForLeader(partition);
      if (leader !== -1) this.#leaders.set(partition, leader);
    }
    return leader;
  }

  #askForLeader(partition: number): number {
    const running = this.#world.brokers.filter((broker) => broker.isServing);
    const asked = running[this.#random.below(running.length)];
    return asked?.run?.image?.topics.get(TOPIC)?.partitions[partition]?.leader ?? -1;
  }
}
