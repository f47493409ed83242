/**
 * Whole nodes in memory with controllers apart from brokers, short sessions, and what tests of comings and goings ask of
 * them. Topic `seats` has one partition on all three brokers.
 */
import { apis, RecordBatchWriter } from '@seatlog/kafka-protocol';
import { type BrokerRegistration, type ClusterImage, partitionOf } from '@seatlog/metadata-quorum';
import { MemoryCluster } from '../../testing/memory-cluster.ts';

export const SESSION_MS = 3000;
export const CONTROLLER = 100;
export const BROKERS = [1, 2, 3] as const;
const ACKS_ALL = -1;
/** A produce that is not confirmed within this is not going to be. */
const PRODUCE_TIMEOUT_MS = 1500;

export interface Produced {
  readonly errorCode: number;
  readonly baseOffset: number;
}

export class SeatsCluster extends MemoryCluster {
  readonly #controllers: readonly number[];

  constructor(
    controllers: readonly number[] = [CONTROLLER],
    settings: Readonly<Record<string, string>> = {},
  ) {
    super({
      voters: controllers,
      settings: {
        'broker.session.timeout.ms': String(SESSION_MS),
        'broker.heartbeat.interval.ms': '500',
        'replica.lag.time.max.ms': '20000',
        ...settings,
      },
    });
    this.#controllers = controllers;
  }

  /** All nodes, and the topic. */
  async startAll(): Promise<this> {
    await this.start(this.#controllers, 'controller');
    await this.start(BROKERS, 'broker');
    await this.createTopic(1, 'seats', 1, BROKERS.length);
    return this;
  }

  /** The metadata as the controllers that run have it. */
  get image(): ClusterImage {
    const images = this.running
      .filter(({ id }) => this.#controllers.includes(id))
      .map(({ id }) => this.quorum(id).image);
    const [latest] = images.sort((one, other) => other.lastOffset - one.lastOffset);
    if (latest === undefined) throw new Error('no controller runs');
    return latest;
  }

  /** `seats-0`, as the controllers have it, or as a node sees it. */
  partition(seenBy?: number) {
    const found = partitionOf(seenBy === undefined ? this.image : this.quorum(seenBy).image, 'seats', 0);
    if (found === undefined) throw new Error('there is no topic');
    return found;
  }

  registration(id: number): BrokerRegistration | undefined {
    return this.image.brokers.get(id);
  }

  /** Waits until another broker leads, and knows it; gives its id. */
  async nextLeader(before: number): Promise<number> {
    await this.until(() => ![before, -1].includes(this.partition().leader), 'another leader');
    const { leader } = this.partition();
    await this.until(() => this.partition(leader).leader === leader, 'it knows that it leads');
    return leader;
  }

  /** Waits until all replicas are in sync, and the leader knows it. */
  async wholeIsr(): Promise<void> {
    await this.until(() => this.partition().isr.length === BROKERS.length, 'the whole ISR');
    const { leader } = this.partition();
    await this.until(() => this.partition(leader).isr.length === BROKERS.length, 'the leader knows');
  }

  /** A record with acks=all: where it was confirmed, or why not. */
  produce(id: number, value: string): Promise<Produced> {
    return this.wait(this.sendProduce(id, value));
  }

  /** The same, answered while time goes by for something else. */
  async sendProduce(id: number, value: string): Promise<Produced> {
    const writer = new RecordBatchWriter();
    writer.append(this.clock.now(), null, new TextEncoder().encode(value));
    const records = Uint8Array.from(writer.seal({}));
    const response = await this.send(id, apis.produce, 9, {
      transactionalId: null,
      acks: ACKS_ALL,
      timeoutMs: PRODUCE_TIMEOUT_MS,
      topicData: [{ name: 'seats', partitionData: [{ index: 0, records }] }],
    });
    const [answer] = response.responses[0]?.partitionResponses ?? [];
    return { errorCode: answer?.errorCode ?? -1, baseOffset: answer?.baseOffset ?? -1 };
  }

  async isConfirmed(id: number, value: string): Promise<boolean> {
    return (await this.produce(id, value)).errorCode === 0;
  }

  /** The messages that a node logged. */
  messages(id: number): readonly unknown[] {
    return this.node(id).logLines.map(({ msg }) => msg);
  }
}
