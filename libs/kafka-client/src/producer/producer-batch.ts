/**
 * One batch of one partition, from its first record to its last answer. Records are encoded on arrival; the header (producer
 * id, sequence, checksum) is filled in when the batch is sent, and again if its numbers change.
 */
import type { RecordBatchWriter, RecordHeaderInput } from '@seatlog/kafka-protocol';
import { KafkaClientError } from '../errors.ts';
import type { Delivery, Written } from './deliveries.ts';

export interface ProducerNumbers {
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly baseSequence: number;
}

const WITHOUT_NUMBERS: ProducerNumbers = { producerId: -1, producerEpoch: -1, baseSequence: -1 };

export class ProducerBatch {
  /** Its place in the order of the partition; the halves of a batch that was split share its width. */
  readonly ordinal: number;
  readonly ordinalWidth: number;
  readonly createdAt: number;
  /** When delivery counts as failed. */
  readonly deadline: number;
  readonly writer: RecordBatchWriter;
  /** How often it was sent. */
  attempts = 0;
  /** True once a copy may lie in the log without our knowing. */
  maybeWritten = false;
  /** True while only the number that it has can tell the broker that it is a repetition. */
  keepsNumbers = false;
  /** When it got its number, counted in batches of its partition. */
  turn = 0;
  /** Holds records whose sender wants to hear of failures only, and only when it flushes. */
  hasSilentRecords = false;
  lastError: KafkaClientError | null = null;
  #numbers: ProducerNumbers = WITHOUT_NUMBERS;
  readonly #deliveries: Delivery[] = [];
  #bytes: Uint8Array | null = null;
  #settled = false;
  #failure: KafkaClientError | null = null;

  constructor(
    writer: RecordBatchWriter,
    createdAt: number,
    deadline: number,
    place: { readonly ordinal: number; readonly ordinalWidth: number },
  ) {
    this.ordinal = place.ordinal;
    this.ordinalWidth = place.ordinalWidth;
    this.createdAt = createdAt;
    this.deadline = deadline;
    this.writer = writer;
  }

  get recordCount(): number {
    return this.writer.recordCount;
  }

  get sizeInBytes(): number {
    return this.writer.sizeInBytes;
  }

  get numbers(): ProducerNumbers {
    return this.#numbers;
  }

  get hasNumbers(): boolean {
    return this.#numbers.baseSequence >= 0;
  }

  /** Whether its senders have been told already. */
  get isSettled(): boolean {
    return this.#settled;
  }

  /** What its senders were told, if they were told of a failure. */
  get failure(): KafkaClientError | null {
    return this.#failure;
  }

  append(
    timestamp: number,
    key: Uint8Array | string | null,
    value: Uint8Array | string | null,
    headers: readonly RecordHeaderInput[] | undefined,
  ): boolean {
    return this.writer.append(timestamp, key, value, headers);
  }

  tell(delivery: Delivery): void {
    this.#deliveries.push(delivery);
  }

  number(numbers: ProducerNumbers): void {
    this.#numbers = numbers;
    this.#bytes = null;
  }

  forgetNumbers(): void {
    this.number(WITHOUT_NUMBERS);
  }

  /** The batch as it goes on the wire. */
  bytes(compression: number): Uint8Array {
    this.#bytes ??= this.writer.seal({ compression, ...this.#numbers });
    return this.#bytes;
  }

  settleWritten(written: Written): void {
    if (this.#settled) return;
    this.#settled = true;
    for (const delivery of this.#deliveries) delivery.written(written);
  }

  settleFailed(error: KafkaClientError, partition: number | null): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#failure = error;
    for (const delivery of this.#deliveries) delivery.failed(error, partition);
  }

  /** Its records live on in other batches, and so do those who wait for them. */
  handOver(): readonly Delivery[] {
    this.#settled = true;
    return this.#deliveries;
  }
}
