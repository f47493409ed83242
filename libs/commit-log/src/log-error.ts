/** Everything that a log refuses or reports, with Kafka's error code for whoever asked over the wire. */
export class LogError extends Error {
  override readonly name = 'LogError';
  readonly code: LogErrorCode;
  /** Kafka's error code for a client. */
  readonly kafkaErrorCode: number;
  /** What to do next. */
  readonly hint: string;

  constructor(code: LogErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.kafkaErrorCode = MEANINGS[code].kafka;
    this.hint = MEANINGS[code].hint;
  }
}

interface Meaning {
  readonly kafka: number;
  readonly hint: string;
}

const UNKNOWN_SERVER_ERROR = -1;
const OFFSET_OUT_OF_RANGE = 1;
const CORRUPT_MESSAGE = 2;
const INVALID_TOPIC_EXCEPTION = 17;
const TOPIC_ALREADY_EXISTS = 36;
const OUT_OF_ORDER_SEQUENCE_NUMBER = 45;
const INVALID_PRODUCER_EPOCH = 47;
const KAFKA_STORAGE_ERROR = 56;
const INCONSISTENT_TOPIC_ID = 103;

const MEANINGS = {
  /** The offset lies outside [log start, log end]. */
  OFFSET_OUT_OF_RANGE: {
    kafka: OFFSET_OUT_OF_RANGE,
    hint: 'read from the log start offset or the log end offset',
  },
  /** Bytes given to be appended are no whole batches in a form that can be stored. */
  BATCH_MALFORMED: { kafka: CORRUPT_MESSAGE, hint: 'check batches with checkBatch before they are appended' },
  /** A follower's batches do not continue its log. */
  BATCH_NOT_CONTIGUOUS: { kafka: UNKNOWN_SERVER_ERROR, hint: 'fetch again from the log end offset' },
  OUT_OF_ORDER_SEQUENCE_NUMBER: {
    kafka: OUT_OF_ORDER_SEQUENCE_NUMBER,
    hint: 'the producer lost or reordered a batch: it must send the missing one first',
  },
  INVALID_PRODUCER_EPOCH: {
    kafka: INVALID_PRODUCER_EPOCH,
    hint: 'a producer with the same id and a later epoch took over: initialise the producer again',
  },
  /** More is queued than the log takes; nothing of this append is kept. */
  LOG_QUEUE_FULL: { kafka: KAFKA_STORAGE_ERROR, hint: 'the disk is slower than the producers: try again' },
  /** The log is being truncated; what was queued when that began was dropped. */
  LOG_TRUNCATED: {
    kafka: KAFKA_STORAGE_ERROR,
    hint: 'the partition has another leader: ask for it and try there',
  },
  /** The disk is full. Nothing of the append is kept; reads go on, and appends too once there is room. */
  LOG_OUT_OF_SPACE: {
    kafka: KAFKA_STORAGE_ERROR,
    hint: 'make room in the log directory, or lower the retention',
  },
  /** A write or a sync failed, or an invariant broke: this log takes no more appends until it is opened anew. */
  LOG_FENCED: { kafka: KAFKA_STORAGE_ERROR, hint: 'check the disk, then restart the broker' },
  LOG_CLOSED: { kafka: KAFKA_STORAGE_ERROR, hint: 'the broker is stopping or the partition was removed' },
  /** A stored batch is not what was written. The message names file and position. */
  LOG_CORRUPT: {
    kafka: KAFKA_STORAGE_ERROR,
    hint: 'let this replica fetch the partition from its leader again, or restore the file from a copy',
  },
  LOG_IO_FAILED: {
    kafka: KAFKA_STORAGE_ERROR,
    hint: 'check the disk and the permissions of the log directory',
  },
  PARTITION_NAME_INVALID: {
    kafka: INVALID_TOPIC_EXCEPTION,
    hint: 'use 1 to 249 of the characters a-z A-Z 0-9 . _ - for a topic, and a partition number from 0',
  },
  PARTITION_EXISTS: { kafka: TOPIC_ALREADY_EXISTS, hint: 'delete the partition first' },
  PARTITION_ID_MISMATCH: {
    kafka: INCONSISTENT_TOPIC_ID,
    hint: 'the directory belongs to an earlier topic of this name',
  },
  /** Another process has the log directory. */
  LOG_DIRECTORY_LOCKED: {
    kafka: KAFKA_STORAGE_ERROR,
    hint: 'stop the other broker, or give this one another log.dir',
  },
  /** The log directory belongs to another cluster or node. */
  LOG_DIRECTORY_FOREIGN: {
    kafka: KAFKA_STORAGE_ERROR,
    hint: 'point log.dir at this node’s own directory, or correct cluster id and node.id',
  },
} as const satisfies Record<string, Meaning>;

export type LogErrorCode = keyof typeof MEANINGS;
