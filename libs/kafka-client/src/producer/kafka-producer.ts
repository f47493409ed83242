/** The producer: takes records, puts them into batches, keeps the promises. Batches are carried by the sender. */
import { aborted, within } from '../waiting.ts';
import { brokerError } from '../broker-error.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { ErrorCode, errorByCode } from '@seatlog/kafka-protocol';
import type { TopicState } from '../cluster/metadata-cache.ts';
import { KafkaClientError } from '../errors.ts';
import type { AnyTopic } from '../topics/topic.ts';
import { Accumulator, type TopicRoute } from './accumulator.ts';
import { Admission } from './admission.ts';
import { backoffMs } from '../backoff.ts';
import { BatchRun, type RecordAppender } from './batch-run.ts';
import { BatchPromise, PostDelivery, SingleDelivery } from './deliveries.ts';
import { producerClosed } from './delivery-errors.ts';
import { FlushLatch } from './flush-latch.ts';
import { choosePartition } from './partition-choice.ts';
import type { ProducerBatch } from './producer-batch.ts';
import type { ProducerSettings } from './producer-options.ts';
import {
  asSendError,
  encodeRecord,
  nameOfTopic,
  type EncodedRecord,
  type LooseRecord,
} from './record-input.ts';
import { Sender } from './sender.ts';
import type {
  BatchMetadata,
  DeliveryCallback,
  OutgoingRecord,
  Producer,
  ProducerRecord,
  RecordMetadata,
  SendOptions,
} from './types.ts';

const DEFAULT_CLOSE_TIMEOUT_MS = 30_000;

export class KafkaProducer implements Producer {
  readonly #cluster: Cluster;
  readonly #settings: ProducerSettings;
  readonly #purpose: string;
  readonly #accumulator: Accumulator;
  readonly #sender: Sender;
  readonly #admission: Admission;
  readonly #stopListening: () => void;
  #silentFailure: KafkaClientError | null = null;
  #closing: Promise<void> | null = null;
  readonly #onClosed: (producer: KafkaProducer) => void;

  constructor(
    cluster: Cluster,
    settings: ProducerSettings,
    purpose: string,
    onClosed: (producer: KafkaProducer) => void,
  ) {
    this.#onClosed = onClosed;
    this.#cluster = cluster;
    this.#settings = settings;
    this.#purpose = purpose;
    const { ports, retryBackoff } = cluster.settings;
    this.#accumulator = new Accumulator(
      settings,
      {
        acks: settings.acks,
        idempotent: settings.idempotent,
        retries: settings.retries,
        retryPauseMs: (attempts) => backoffMs(retryBackoff, attempts, ports.random.fraction()),
      },
      () => ports.random.fraction(),
    );
    this.#sender = new Sender(cluster, this.#accumulator, settings, purpose, {
      released: () => this.#admit(),
      silentFailure: (error) => {
        this.#silentFailure ??= error;
      },
    });
    this.#admission = new Admission(ports.timers, settings.maxBlockMs, (topic) =>
      this.#blockedTooLong(topic),
    );
    this.#stopListening = cluster.onMetadata(() => this.#metadataChanged());
  }

  get bufferedBytes(): number {
    return this.#accumulator.bufferedBytes;
  }

  send<const T extends string | AnyTopic>(
    record: ProducerRecord<T>,
    options: SendOptions = {},
  ): Promise<RecordMetadata> {
    const { signal } = options;
    if (signal?.aborted === true) return Promise.reject(aborted(signal, 'not-written'));
    return new Promise((resolve, reject) => {
      if (this.#closing !== null) throw producerClosed();
      const topic = nameOfTopic(record.topic);
      const encoded = encodeRecord(record.topic, record);
      const settled = signal === undefined ? { resolve, reject } : this.#abortable(signal, resolve, reject);
      const put = (state: TopicState): void => {
        const timestamp = encoded.timestamp ?? this.#cluster.settings.ports.clock.now();
        const batch = this.#append(state, encoded, timestamp, this.#settings.batchSize);
        batch.tell(new SingleDelivery(batch.recordCount - 1, timestamp, settled.resolve, settled.reject));
      };
      const state = this.#admissible(topic);
      if (state !== null) put(state);
      else this.#enqueue(topic, put, settled.reject, signal);
    });
  }

  sendBatch<const T extends string | AnyTopic>(
    topic: T,
    records: readonly OutgoingRecord<T>[],
    options: SendOptions = {},
  ): Promise<BatchMetadata> {
    const { signal } = options;
    const name = nameOfTopic(topic);
    if (signal?.aborted === true) return Promise.reject(aborted(signal, 'not-written'));
    if (records.length === 0) return Promise.resolve({ topic: name, count: 0, ranges: [] });
    return new Promise((resolve, reject) => {
      if (this.#closing !== null) throw producerClosed();
      const settled = signal === undefined ? { resolve, reject } : this.#abortable(signal, resolve, reject);
      const promise = new BatchPromise(name, records.length, settled.resolve, settled.reject);
      // The element type is the one that this signature asks for; the codecs check it.
      const loose = records as readonly LooseRecord[];
      const run = new BatchRun(records.length, promise, () => this.#appender(topic, loose));
      if (!this.#admission.hasLine(name) && run.proceed()) return;
      const leave = this.#admission.join(name, run);
      signal?.addEventListener(
        'abort',
        () => {
          if (leave()) run.giveUp(aborted(signal, 'not-written'));
        },
        { once: true },
      );
      this.#admit();
    });
  }

  post<const T extends string | AnyTopic>(record: ProducerRecord<T>, delivered?: DeliveryCallback): boolean {
    if (this.#closing !== null) throw producerClosed();
    const state = this.#admissible(nameOfTopic(record.topic));
    if (state === null) return false;
    const encoded = encodeRecord(record.topic, record);
    const timestamp = encoded.timestamp ?? this.#cluster.settings.ports.clock.now();
    const batch = this.#append(state, encoded, timestamp, this.#settings.batchSize);
    if (delivered === undefined) batch.hasSilentRecords = true;
    else batch.tell(new PostDelivery(batch.recordCount - 1, delivered));
    return true;
  }

  ready(topic: string | AnyTopic, options: SendOptions = {}): Promise<void> {
    const { signal } = options;
    const name = nameOfTopic(topic);
    if (signal?.aborted === true) return Promise.reject(aborted(signal, 'not-written'));
    return new Promise((resolve, reject) => {
      if (this.#closing !== null) throw producerClosed();
      if (this.#admissible(name) !== null) resolve();
      else this.#enqueue(name, () => resolve(), reject, signal);
    });
  }

  async flush(options: SendOptions = {}): Promise<void> {
    await this.#drain(Infinity, options.signal);
    const failure = this.#silentFailure;
    this.#silentFailure = null;
    if (failure !== null) throw failure;
  }

  close(options: { readonly timeoutMs?: number } = {}): Promise<void> {
    this.#closing ??= this.#close(options.timeoutMs ?? DEFAULT_CLOSE_TIMEOUT_MS);
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(timeoutMs: number): Promise<void> {
    try {
      await this.#drain(timeoutMs, undefined);
    } catch {
      // What is left fails below, each with an error of its own.
    }
    this.#stopListening();
    const reason = producerClosed();
    for (const topic of this.#admission.topics) this.#admission.refuse(topic, reason);
    this.#sender.close();
    this.#cluster.closeLanes(this.#purpose, reason);
    this.#onClosed(this);
  }

  async #drain(timeoutMs: number, signal: AbortSignal | undefined): Promise<void> {
    const { ports } = this.#cluster.settings;
    const drained = this.#admission.settled().then(() => {
      const latch = new FlushLatch();
      this.#accumulator.tellAll((recordCount) => latch.watch(recordCount));
      latch.arm();
      this.#sender.sendAll();
      return latch.opened;
    });
    if (timeoutMs === Infinity && signal === undefined) return drained;
    const deadline = ports.clock.monotonic() + timeoutMs;
    return within(drained, { deadline, signal }, ports, producerClosed);
  }

  /** The topic, if a record for it could be put into the buffer right now. */
  #admissible(topic: string, asHeadOfLine = false): TopicState | null {
    if (this.#accumulator.isFull || (!asHeadOfLine && this.#admission.hasLine(topic))) return null;
    return this.#cluster.usableTopic(topic);
  }

  #enqueue(
    topic: string,
    put: (state: TopicState) => void,
    reject: (error: KafkaClientError) => void,
    signal: AbortSignal | undefined,
  ): void {
    const leave = this.#admission.join(topic, {
      proceed: () => {
        const state = this.#admissible(topic, true);
        if (state === null) return false;
        try {
          put(state);
        } catch (cause) {
          reject(asSendError(cause));
        }
        return true;
      },
      giveUp: reject,
    });
    signal?.addEventListener(
      'abort',
      () => {
        if (leave()) reject(aborted(signal, 'not-written'));
      },
      { once: true },
    );
  }

  /** For a stretch of records without a pause: what they have in common is looked up once. */
  #appender(topic: string | AnyTopic, records: readonly LooseRecord[]): RecordAppender | null {
    const state = this.#admissible(nameOfTopic(topic), true);
    if (state === null) return null;
    const { clock } = this.#cluster.settings.ports;
    const route = this.#accumulator.route(state.name);
    const timestamp = clock.now();
    const now = clock.monotonic();
    const { maxRequestSize } = this.#settings;
    return (index) => {
      if (this.#accumulator.isFull) return null;
      const record = encodeRecord(topic, records[index] as LooseRecord);
      return this.#put(state, route, record, now, record.timestamp ?? timestamp, maxRequestSize);
    };
  }

  #append(state: TopicState, record: EncodedRecord, timestamp: number, sizeLimit: number): ProducerBatch {
    const now = this.#cluster.settings.ports.clock.monotonic();
    return this.#put(state, this.#accumulator.route(state.name), record, now, timestamp, sizeLimit);
  }

  #put(
    state: TopicState,
    route: TopicRoute,
    record: EncodedRecord,
    now: number,
    timestamp: number,
    sizeLimit: number,
  ): ProducerBatch {
    const partition = choosePartition(route, state, record.partition, record.key, this.#settings.partitioner);
    const { key, value, headers } = record;
    try {
      const batch = this.#accumulator.append(
        route,
        partition,
        now,
        timestamp,
        key,
        value,
        headers,
        sizeLimit,
      );
      route.sticky.wentInto(partition, batch);
      this.#sender.wake();
      return batch;
    } catch (cause) {
      throw asSendError(cause);
    }
  }

  #metadataChanged(): void {
    for (const topic of this.#admission.topics) {
      const state = this.#cluster.metadata.topic(topic);
      if (state !== undefined && state.partitions.length > 0) continue;
      const code = state?.errorCode ?? ErrorCode.NONE;
      if (code !== ErrorCode.NONE && !errorByCode(code).retriable) {
        this.#admission.refuse(topic, brokerError(code, { what: `topic ${topic}`, outcome: 'not-written' }));
      } else {
        this.#cluster.requestRefresh();
      }
    }
    this.#admit();
    this.#sender.metadataChanged();
  }

  #admit(): void {
    if (this.#admission.isEmpty) return;
    this.#admission.admit((topic) => this.#admissible(topic, true) !== null);
  }

  #abortable<T>(
    signal: AbortSignal,
    resolve: (value: T) => void,
    reject: (error: KafkaClientError) => void,
  ): { resolve: (value: T) => void; reject: (error: KafkaClientError) => void } {
    // Once it lies in a batch, nothing can take a record out again. Whoever aborts before that rejects first.
    const onAbort = (): void => void Promise.resolve().then(() => reject(aborted(signal, 'unknown')));
    signal.addEventListener('abort', onAbort, { once: true });
    const stop = (): void => signal.removeEventListener('abort', onAbort);
    return {
      resolve: (value) => {
        stop();
        resolve(value);
      },
      reject: (error) => {
        stop();
        reject(error);
      },
    };
  }

  #blockedTooLong(topic: string): KafkaClientError {
    const { maxBlockMs, bufferMemory } = this.#settings;
    const state = this.#cluster.metadata.topic(topic);
    if (state !== undefined && state.partitions.length > 0) {
      return new KafkaClientError(
        'BUFFER_EXHAUSTED',
        `the buffer of ${bufferMemory} bytes was full for ${maxBlockMs} ms`,
        {
          retriable: true,
          hint: 'send more slowly, or raise bufferMemory; if nothing moves at all, look at the brokers',
          outcome: 'not-written',
        },
      );
    }
    const code = state?.errorCode ?? ErrorCode.NONE;
    const why = code === ErrorCode.NONE ? 'no broker answered' : errorByCode(code).name;
    return new KafkaClientError(
      'METADATA_TIMEOUT',
      `no metadata of ${topic} within ${maxBlockMs} ms: ${why}`,
      {
        retriable: true,
        hint: 'check that a broker can be reached and that the topic exists',
        outcome: 'not-written',
        cause: code === ErrorCode.NONE ? undefined : brokerError(code, { what: `topic ${topic}` }),
      },
    );
  }
}
