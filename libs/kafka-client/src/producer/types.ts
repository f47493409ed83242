import type { KafkaClientError } from '../errors.ts';
import type { AnyTopic, KeyInput, RawInput, ValueInput } from '../topics/topic.ts';

export type HeaderInput =
  | Readonly<Record<string, RawInput>>
  /** The list form keeps order and allows a name more than once. */
  | readonly (readonly [name: string, value: RawInput])[];

/** A record for a topic that is named elsewhere. */
export type OutgoingRecord<T extends string | AnyTopic = string> = {
  readonly headers?: HeaderInput;
  /** Overrules the partitioner. */
  readonly partition?: number;
  /** Milliseconds since the epoch. Default: now. */
  readonly timestamp?: number;
} & (T extends AnyTopic
  ? (null extends KeyInput<T> ? { readonly key?: KeyInput<T> } : { readonly key: KeyInput<T> }) & {
      readonly value: ValueInput<T>;
    }
  : { readonly key?: RawInput; readonly value: RawInput });

export type ProducerRecord<T extends string | AnyTopic = string> = OutgoingRecord<T> & { readonly topic: T };

export interface RecordMetadata {
  readonly topic: string;
  readonly partition: number;
  /** -1 under acks 0, which is answered by nobody. */
  readonly offset: number;
  readonly timestamp: number;
}

/** Neighbouring records of one `sendBatch` that went to one partition, with neighbouring offsets. */
export interface WrittenRange {
  readonly firstIndex: number;
  readonly count: number;
  readonly partition: number;
  readonly firstOffset: number;
}

export interface BatchMetadata {
  readonly topic: string;
  readonly count: number;
  /** In the order of the records given. */
  readonly ranges: readonly WrittenRange[];
}

export interface PartitionerInput {
  readonly topic: string;
  readonly key: Uint8Array | null;
  readonly partitionCount: number;
  /** Partitions that have a leader now, rising; never empty unless none has. */
  readonly available: readonly number[];
}

/** Gives the partition of a record, or null to leave it to the sticky choice made for records without a key. */
export type Partitioner = (input: PartitionerInput) => number | null;

export type CompressionName = 'none' | 'gzip' | 'snappy' | 'lz4' | 'zstd';
export type Acks = 'all' | -1 | 0 | 1;

export interface ProducerOptions {
  /** Default `all`. */
  readonly acks?: Acks;
  /**
   * No duplicates and no reordering through retries. Default true; asks for acks `all` and at most 5 in flight. Without it
   * a retry may double records, and with more than one request in flight reorder them.
   */
  readonly enableIdempotence?: boolean;
  /** How long an open batch waits for company. Default 0: it is sealed when the turn of the event loop ends and none waits before it. */
  readonly lingerMs?: number;
  /** Size at which a batch of single sends is sealed. Default 16384. */
  readonly batchSize?: number;
  /** Bytes of batches that are not answered yet. Default 33554432. */
  readonly bufferMemory?: number;
  /** Largest request, and largest batch of `sendBatch`. Default 1048576. */
  readonly maxRequestSize?: number;
  readonly maxInFlightRequestsPerConnection?: number;
  /** How often a batch may be sent again. Default: as often as `deliveryTimeoutMs` allows. */
  readonly retries?: number;
  /** From `send()` to success or failure. Default 120000. */
  readonly deliveryTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  /** How long `send()` waits for metadata and for buffer memory. Default 60000. */
  readonly maxBlockMs?: number;
  readonly compression?: CompressionName;
  readonly partitioner?: Partitioner;
}

export interface SendOptions {
  /** Gives up waiting. Records that were already handed to the buffer may still be written. */
  readonly signal?: AbortSignal;
}

/** Told once about a record given to `post`: the error, or null and the offset. */
export type DeliveryCallback = (error: KafkaClientError | null, partition: number, offset: number) => void;

export interface Producer extends AsyncDisposable {
  /** Resolves when the record is written as `acks` asks. */
  send<const T extends string | AnyTopic>(
    record: ProducerRecord<T>,
    options?: SendOptions,
  ): Promise<RecordMetadata>;

  /** Resolves once when all are written; rejects with a BatchSendError that tells what became of which. */
  sendBatch<const T extends string | AnyTopic>(
    topic: T,
    records: readonly OutgoingRecord<T>[],
    options?: SendOptions,
  ): Promise<BatchMetadata>;

  /**
   * Takes a record without a promise for it. False: not taken, since the buffer is full or the topic's metadata is not here
   * yet; wait for `ready(topic)` and post it again. A failure goes to the callback if there is one, else to `flush()`.
   */
  post<const T extends string | AnyTopic>(record: ProducerRecord<T>, delivered?: DeliveryCallback): boolean;

  /** Resolves when `post` to this topic would be taken: metadata known, room in the buffer. */
  ready(topic: string | AnyTopic, options?: SendOptions): Promise<void>;

  /** Seals every open batch and waits for all that was given so far; rejects with the first failure of a `post`. */
  flush(options?: SendOptions): Promise<void>;

  /** Refuses further records, drains for at most `timeoutMs` (default 30000), then fails what is left. */
  close(options?: { readonly timeoutMs?: number }): Promise<void>;

  readonly bufferedBytes: number;
}
