/**
 * All batches of a producer: encodes records into the open batch of their partition, closes batches by size, keeps count of
 * the bytes that are not answered yet. Pure: the time comes with each call.
 */
import type { RecordHeaderInput } from '@seatlog/kafka-protocol';
import type { TopicState } from '../cluster/metadata-cache.ts';
import { KafkaClientError } from '../errors.ts';
import type { Delivery } from './deliveries.ts';
import { PartitionQueue, type QueueSettings } from './partition-queue.ts';
import { ProducerBatch } from './producer-batch.ts';
import type { ProducerSettings } from './producer-options.ts';
import { StickyPartitions } from './sticky-partitions.ts';
import { WriterPool } from './writer-pool.ts';

/** Room that the fixed parts of a Produce request take beside its batches. */
const REQUEST_OVERHEAD_BYTES = 512;
/** How long a batch may gather records behind others, as a share of its delivery time. */
const GATHERING_SHARE = 0.1;

export type Bytes = Uint8Array | string | null;

export class TopicRoute {
  readonly topic: string;
  readonly sticky: StickyPartitions;
  readonly queues: PartitionQueue[] = [];

  constructor(topic: string, fraction: () => number) {
    this.topic = topic;
    this.sticky = new StickyPartitions(fraction);
  }

  stickyPartition(state: TopicState): number {
    return this.sticky.choose(
      state.available,
      state.partitions.length,
      (partition) => this.queues[partition]?.openBatch ?? null,
    );
  }
}

export class Accumulator {
  readonly #settings: ProducerSettings;
  readonly #queueSettings: QueueSettings;
  readonly #fraction: () => number;
  readonly #routes = new Map<string, TopicRoute>();
  readonly #pool: WriterPool;
  /** Queues that hold an open batch. */
  readonly #open = new Set<PartitionQueue>();
  /** Queues that hold anything at all. */
  readonly #active = new Set<PartitionQueue>();
  #nextOrdinal = 0;
  #bufferedBytes = 0;
  #batchCount = 0;

  constructor(settings: ProducerSettings, queueSettings: QueueSettings, fraction: () => number) {
    this.#settings = settings;
    this.#queueSettings = queueSettings;
    this.#fraction = fraction;
    this.#pool = new WriterPool({
      maxBatchBytes: settings.maxRequestSize,
      initialBytes: Math.min(Math.max(settings.batchSize, 256), settings.maxRequestSize),
      maxKeptBytes: settings.bufferMemory,
    });
  }

  get bufferedBytes(): number {
    return this.#bufferedBytes;
  }

  get isFull(): boolean {
    return this.#bufferedBytes >= this.#settings.bufferMemory;
  }

  get isEmpty(): boolean {
    return this.#batchCount === 0;
  }

  get activeQueues(): Iterable<PartitionQueue> {
    return this.#active;
  }

  route(topic: string): TopicRoute {
    let route = this.#routes.get(topic);
    if (route === undefined) {
      route = new TopicRoute(topic, this.#fraction);
      this.#routes.set(topic, route);
    }
    return route;
  }

  /** Puts a record into the open batch of its partition, or into the next one. Throws RECORD_TOO_LARGE. */
  append(
    route: TopicRoute,
    partition: number,
    now: number,
    timestamp: number,
    key: Bytes,
    value: Bytes,
    headers: readonly RecordHeaderInput[] | undefined,
    sizeLimit: number,
  ): ProducerBatch {
    const queue = this.#queue(route, partition);
    const open = queue.openBatch;
    if (open !== null) {
      const before = open.sizeInBytes;
      if (before < sizeLimit && open.append(timestamp, key, value, headers)) {
        this.#bufferedBytes += open.sizeInBytes - before;
        return open;
      }
      this.#close(queue);
    }
    const batch = this.#newBatch(now);
    if (!batch.append(timestamp, key, value, headers) || batch.sizeInBytes > this.#maxBatchBytes) {
      throw recordTooLarge(batch.sizeInBytes, this.#settings.maxRequestSize);
    }
    queue.open(batch);
    this.#open.add(queue);
    this.#active.add(queue);
    this.#batchCount += 1;
    this.#bufferedBytes += batch.sizeInBytes;
    return batch;
  }

  /**
   * Closes what has waited long enough for company. Gives the moment at which the next one will have, or Infinity. Behind
   * batches that wait a batch has company for longer: what cannot be sent yet had better be one batch than a hundred. Not
   * for too long, since its records share the deadline of the first.
   */
  closeOpen(now: number, lingerMs: number): number {
    const mostGathering = this.#settings.deliveryTimeoutMs * GATHERING_SHARE;
    let next = Infinity;
    for (const queue of this.#open) {
      const createdAt = queue.openBatch?.createdAt ?? now;
      const due = createdAt + lingerMs;
      if (due <= now && queue.waitingCount > 0 && now - createdAt < mostGathering) queue.closeInTurn();
      else if (due <= now) this.#close(queue);
      else next = Math.min(next, due);
    }
    return next;
  }

  /** Every batch that is not answered yet, for those who want to hear of all of them. */
  tellAll(delivery: (recordCount: number) => Delivery): void {
    for (const queue of this.#active) {
      for (const batch of queue.unsettled()) batch.tell(delivery(batch.recordCount));
    }
  }

  /** A batch is done with. `bytes` are what was sent, if nothing can read them any more. */
  release(queue: PartitionQueue, batch: ProducerBatch, bytes: Uint8Array | null): void {
    this.#bufferedBytes -= batch.sizeInBytes;
    this.#batchCount -= 1;
    if (queue.isEmpty) this.#active.delete(queue);
    if (bytes !== null && this.#settings.compression === 0) this.#pool.giveBack(batch.writer, bytes);
  }

  /** Puts a batch that the broker finds too large back as two halves. */
  split(queue: PartitionQueue, batch: ProducerBatch, halves: readonly ProducerBatch[], now: number): void {
    this.#batchCount += halves.length - 1;
    this.#bufferedBytes -= batch.sizeInBytes;
    for (const half of halves) this.#bufferedBytes += half.sizeInBytes;
    queue.replace(halves, now);
  }

  get #maxBatchBytes(): number {
    return this.#settings.maxRequestSize;
  }

  #queue(route: TopicRoute, partition: number): PartitionQueue {
    let queue = route.queues[partition];
    if (queue === undefined) {
      queue = new PartitionQueue(route.topic, partition, this.#queueSettings);
      route.queues[partition] = queue;
    }
    return queue;
  }

  #close(queue: PartitionQueue): void {
    queue.close();
    this.#open.delete(queue);
  }

  #newBatch(now: number): ProducerBatch {
    const place = { ordinal: this.#nextOrdinal++, ordinalWidth: 1 };
    return new ProducerBatch(this.#pool.take(), now, now + this.#settings.deliveryTimeoutMs, place);
  }
}

/** What is left for batches in a request of at most `maxRequestSize`. */
export function roomForBatches(maxRequestSize: number): number {
  return Math.max(maxRequestSize - REQUEST_OVERHEAD_BYTES, 1);
}

function recordTooLarge(size: number, limit: number): KafkaClientError {
  return new KafkaClientError(
    'RECORD_TOO_LARGE',
    `a record makes a batch of ${size} bytes, the limit is ${limit}`,
    {
      retriable: false,
      hint: "send less, or raise maxRequestSize and the topic's max.message.bytes",
      outcome: 'not-written',
    },
  );
}
