/**
 * A producer with a history. It sends one batch after another, or several at once, to whom it takes for the leader; an
 * idempotent one sends each again until it is told that it is written, another leaves it at one attempt.
 */
import { batchCrc, batchProducerId, ErrorCode } from '@seatlog/kafka-protocol';
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
  /** How many batches it has on their way at once. */
  readonly inFlight: number;
  readonly recordsInBatch: number;
  /** Before it asks again after an error. */
  readonly backoffMs: number;
}

/** Told of every answer. */
export type ProducedListener = (produced: Produced) => void;

const PRODUCE_TIMEOUT_MS = 1500;
/** Sessions and lags are over by then. */
const OUT_OF_ORDER_PATIENCE_MS = 10_000;
/** Of one producer to one partition: no retry may be of an earlier batch than a log remembers. */
const REMEMBERED_BATCHES = 5;

/** What one producer id has on its way to one partition. */
interface Window {
  begun: number;
  readonly unanswered: Set<number>;
  /** Whether one was ever written. */
  isKnown: boolean;
}

/** A batch on its way. */
interface Sending {
  readonly produced: Produced;
  readonly batch: Uint8Array;
  readonly window: Window;
  outOfOrder: number;
}

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
  /** By partition, of the present producer id. */
  readonly #windows = new Map<number, Window>();
  #count = 0;
  #isActive = true;
  #inFlight = 0;

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
    return this.#inFlight > 0;
  }

  begin(): void {
    for (let place = 0; place < this.#habits.inFlight; place++) this.#goOn();
  }

  #goOn(): void {
    this.process.schedule(this.#random.fraction() * this.#habits.pauseMs, 'produce', () => {
      if (!this.#isActive) return;
      const partition = this.#random.below(this.#world.settings.partitions);
      if (this.#mayProduce(partition)) this.produce(partition, () => this.#goOn());
      else this.#goOn();
    });
  }

  /**
   * A log that knows nothing of a producer takes any first batch of it; only behind one that is written can others
   * overtake each other.
   */
  #mayProduce(partition: number): boolean {
    if (!this.#habits.isIdempotent) return true;
    const { begun, unanswered, isKnown } = this.#window(partition);
    return begun - Math.min(begun, ...unanswered) < (isKnown ? REMEMBERED_BATCHES : 1);
  }

  #window(partition: number): Window {
    const window = this.#windows.get(partition) ?? { begun: 0, unanswered: new Set(), isKnown: false };
    this.#windows.set(partition, window);
    return window;
  }

  /** Nothing more of its own accord. */
  rest(): void {
    this.#isActive = false;
  }

  /** One batch; `done` when it is told the outcome, or has given it up. */
  produce(partition: number, done: () => void): Produced {
    const { acks, isIdempotent, recordsInBatch } = this.#habits;
    const count = 1 + this.#random.below(recordsInBatch);
    const baseSequence = this.#sequences.get(partition) ?? 0;
    if (isIdempotent) this.#sequences.set(partition, baseSequence + count);
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
    const window = this.#window(partition);
    const place = window.begun++;
    this.#inFlight += 1;
    window.unanswered.add(place);
    const sending = { produced, batch, window, outOfOrder: 0 };
    this.#attempt(sending, () => {
      this.#inFlight -= 1;
      window.unanswered.delete(place);
      done();
    });
    return produced;
  }

  #attempt(sending: Sending, done: () => void): void {
    const { produced, batch } = sending;
    const { partition, acks } = produced;
    const { network, brokers } = this.#world;
    const again = (errorCode: number): void => this.#retry(sending, errorCode, done);
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
        else this.#noteWritten(sending, outcome.baseOffset, done);
      },
      failed: () => {
        if (acks !== 0) again(ErrorCode.NETWORK_EXCEPTION);
      },
    });
  }

  #noteWritten({ produced, window }: Sending, baseOffset: number, done: () => void): void {
    window.isKnown = true;
    produced.errorCode = ErrorCode.NONE;
    produced.baseOffset = baseOffset;
    this.#told(produced);
    done();
  }

  #retry(sending: Sending, errorCode: number, done: () => void): void {
    const { produced, batch } = sending;
    this.#leaders.delete(produced.partition);
    // A leader that was deposed and does not know it yet lacks what was written since.
    if (errorCode === ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER) sending.outOfOrder += 1;
    const isOfNow = batchProducerId(batch) === this.#producerId;
    if (produced.isIdempotent && sending.outOfOrder < (isOfNow ? this.#patience : 1)) {
      this.process.schedule(this.#habits.backoffMs, 'produce again', () => this.#attempt(sending, done));
      return;
    }
    produced.errorCode = errorCode;
    this.#told(produced);
    if (produced.isIdempotent && isOfNow) {
      // What it wrote before is gone: it goes on as another producer.
      this.#producerId += 1;
      this.#sequences.clear();
      this.#windows.clear();
    }
    this.process.schedule(this.#habits.backoffMs, 'producer goes on', done);
  }

  /** How often a batch may be told to be out of order. */
  get #patience(): number {
    return OUT_OF_ORDER_PATIENCE_MS / this.#habits.backoffMs;
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
