import type { KafkaClientError } from '../errors.ts';
import type { AnyTopic, KeyOutput, TopicName, ValueOutput } from '../topics/topic.ts';

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

export interface TopicPartitionOffset extends TopicPartition {
  /** The NEXT offset to read. */
  readonly offset: number;
}

export interface RecordHeader {
  readonly key: string;
  readonly value: Uint8Array | null;
}

/**
 * A record as fetched. Bytes are views on the fetched block: copy what outlives the batch for long. For a typed topic
 * `key` and `value` are decoded when they are first asked for; one that cannot be decoded throws `DECODE_FAILED` there, so
 * that a poisoned record stops neither its batch nor its partition.
 */
export interface ConsumedRecord<T extends string | AnyTopic = string> {
  readonly topic: TopicName<T>;
  readonly partition: number;
  readonly offset: number;
  readonly timestamp: number;
  readonly key: KeyOutput<T>;
  readonly value: ValueOutput<T>;
  readonly headers: readonly RecordHeader[];
  readonly keyBytes: Uint8Array | null;
  readonly valueBytes: Uint8Array | null;
}

export type ConsumedBatch<T extends string | AnyTopic = string> = T extends string | AnyTopic
  ? {
      readonly topic: TopicName<T>;
      readonly partition: number;
      readonly records: readonly ConsumedRecord<T>[];
      readonly firstOffset: number;
      readonly lastOffset: number;
      /** What `commit()` commits. May lie past `lastOffset + 1` where compaction or markers left holes. */
      readonly nextOffset: number;
      readonly highWatermark: number;
      /** Aborts when the partition is taken away: stop working on the batch, its commit would be refused. */
      readonly signal: AbortSignal;
      /** Commits `nextOffset` for this partition. Needs a group. */
      commit(): Promise<void>;
    }
  : never;

/** The batches of all partitions that had something ready, each of another partition. */
export interface ConsumedRound<T extends string | AnyTopic = string> {
  /** One at least. */
  readonly batches: readonly ConsumedBatch<T>[];
  /** Commits `nextOffset` of each batch, all in one request. Needs a group. */
  commit(): Promise<void>;
}

export type AssignorName = 'range' | 'roundrobin' | 'cooperative-sticky';
export type OffsetReset = 'earliest' | 'latest' | 'none';

/** Awaited before the group goes on. A rejection fails the consumer. */
export type PartitionsCallback = (partitions: readonly TopicPartition[]) => void | Promise<void>;

export interface ConsumerOptions<T extends string | AnyTopic = string> {
  /** The group. Without one, give partitions with `assign`. */
  readonly groupId?: string;
  /** Topics to consume; typed ones give typed records. */
  readonly topics?: readonly T[];
  /** Static membership: a restart within the session timeout keeps the partitions. */
  readonly groupInstanceId?: string;
  /** In order of preference. Default range, then cooperative-sticky. */
  readonly assignors?: readonly AssignorName[];
  /** Default 45000. */
  readonly sessionTimeoutMs?: number;
  /** Default 3000. */
  readonly heartbeatIntervalMs?: number;
  /** Longest time between asking for batches; past it the consumer leaves the group. Default 300000. */
  readonly maxPollIntervalMs?: number;
  /** Most records in a batch, or in all batches of a round together. Default 500. */
  readonly maxPollRecords?: number;
  /** Default latest. */
  readonly autoOffsetReset?: OffsetReset;
  /** Commits what the loop has gone past, at most this often, when the next batch is asked for. Default: only by hand. */
  readonly autoCommitIntervalMs?: number;
  readonly isolationLevel?: 'read_uncommitted' | 'read_committed';
  /** Default true. */
  readonly checkCrcs?: boolean;
  /** Where this consumer runs. A broker that knows a replica in that rack sends it there (Kafka's `client.rack`). Default: leaders. */
  readonly rackId?: string;
  /** Default 1. */
  readonly fetchMinBytes?: number;
  /** Default 500. */
  readonly fetchMaxWaitMs?: number;
  /** Default 52428800. */
  readonly fetchMaxBytes?: number;
  /** Default 1048576. */
  readonly maxPartitionFetchBytes?: number;
  /** Fetched bytes that wait to be consumed, over all partitions; past it nothing is fetched. Default 67108864. */
  readonly maxBufferedBytes?: number;
  readonly onAssigned?: PartitionsCallback;
  /** Partitions that go to another member in good order: commit what is finished. */
  readonly onRevoked?: PartitionsCallback;
  /** Partitions that were lost already (session timed out, fenced): commits would be refused. */
  readonly onLost?: PartitionsCallback;
}

export interface BatchesOptions {
  /** Ends the loop as `close()` does. */
  readonly signal?: AbortSignal;
}

export interface PartitionLag extends TopicPartition {
  /** The next offset the loop will see, null until it is known. */
  readonly position: number | null;
  readonly highWatermark: number | null;
  readonly lag: number | null;
}

export type ConsumerState = 'idle' | 'joining' | 'stable' | 'assigned' | 'failed' | 'closing' | 'closed';

export interface ConsumerHealth {
  readonly state: ConsumerState;
  /** False when failed or closed, or while a member of a group has no live session. */
  readonly healthy: boolean;
  readonly groupId: string | null;
  readonly memberId: string | null;
  readonly generation: number | null;
  readonly assignment: readonly TopicPartition[];
  /** Milliseconds since the coordinator last answered a heartbeat, null before the first. */
  readonly sinceHeartbeatMs: number | null;
  readonly lastError: KafkaClientError | null;
}

export interface RunOptions<T extends string | AnyTopic = string> {
  readonly handler: (
    record: ConsumedRecord<T>,
    context: { readonly signal: AbortSignal },
  ) => void | Promise<void>;
  /** Records of one key (by partition: of one partition) are handled in order, at most `max` at once. Default by partition, 1. */
  readonly concurrency?: { readonly by: 'key' | 'partition'; readonly max: number };
  readonly signal?: AbortSignal;
}

export interface Consumer<T extends string | AnyTopic = string> extends AsyncDisposable {
  /**
   * Batches, one partition's at a time and in order: the next batch of a partition is given only after the loop has come
   * round. Joins the group when it starts; when it ends (signal, `close()`, leaving the loop) the consumer drains,
   * commits if it commits by itself, and leaves. Only one loop at a time.
   */
  batches(options?: BatchesOptions): AsyncIterableIterator<ConsumedBatch<T>>;

  /**
   * The same in rounds: one batch of every partition that has records ready, for loops whose work has a price of its own
   * however much is in it, such as a transaction. Partitions take turns where a round has no room for all.
   */
  rounds(options?: BatchesOptions): AsyncIterableIterator<ConsumedRound<T>>;

  /** Calls the handler for each record and commits the lowest offset below which all are finished. Rejects if a handler does. */
  run(options: RunOptions<T>): Promise<void>;

  /** Commits offsets by hand: each is the NEXT to read. */
  commit(offsets: readonly TopicPartitionOffset[]): Promise<void>;

  /** Consumes these partitions without a group's coordination, from these offsets (default: by `autoOffsetReset`). */
  assign(
    partitions: readonly (TopicPartition & { readonly offset?: number | 'earliest' | 'latest' })[],
  ): void;

  readonly assignment: readonly TopicPartition[];
  pause(partitions: readonly TopicPartition[]): void;
  resume(partitions: readonly TopicPartition[]): void;
  /** The next batch of the partition begins at this offset; what was fetched before is dropped. */
  seek(partition: TopicPartitionOffset): void;

  lag(): readonly PartitionLag[];
  health(): ConsumerHealth;

  /** Ends the loop, waits for the batch in work, commits if it commits by itself, leaves the group. */
  close(options?: { readonly timeoutMs?: number }): Promise<void>;
}
