/**
 * Keeps the assigned partitions fetched ahead. For each broker at most two fetches are under way, over connections of their
 * own and for different partitions: while one waits for partitions that have nothing to give, the other serves those that
 * have. Nothing is fetched for a partition whose last answer is still unread, nor at all while the buffer is full.
 *
 * A consumer that tells its rack may be sent to a replica there. It is read from for as long as metadata lives, and given up for the
 * leader on any failure: what only that replica says, such as that an offset lies beyond its end, counts for nothing.
 */
import { apis, ErrorCode, errorByCode, type ResponseOf } from '@seatlog/kafka-protocol';
import { backoffMs } from '../backoff.ts';
import { brokerError } from '../broker-error.ts';
import type { BrokerLane } from '../cluster/broker-lane.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { retryChannel } from '../diagnostics.ts';
import { KafkaClientError } from '../errors.ts';
import type { BrokerConnection } from '../network/broker-connection.ts';
import type { Cancel } from '../ports.ts';
import type { ConsumerSettings } from './consumer-options.ts';
import { fetchRequest, needsValidation, planFetches } from './fetch-plan.ts';
import { partitionKey } from './partition-sets.ts';
import type { PartitionReader } from './partition-reader.ts';
import type { TopicPartition } from './types.ts';

const LANES_PER_BROKER = 2;
/** From this version on Fetch names topics by id. */
const TOPIC_IDS_FROM = 13;

export interface FetcherListener {
  /** Records may have come. */
  arrived(): void;
  /** Positions are to be found or checked. */
  unplaced(): void;
  failed(error: KafkaClientError): void;
}

type PartitionAnswer = ResponseOf<typeof apis.fetch>['responses'][number]['partitions'][number];

interface Asked {
  readonly reader: PartitionReader;
  readonly jumps: number;
}

export class Fetcher {
  readonly #cluster: Cluster;
  readonly #settings: ConsumerSettings;
  readonly #purpose: string;
  readonly #listener: FetcherListener;
  readonly #readers = new Map<string, PartitionReader>();
  readonly #busyLanes = new Set<BrokerLane>();
  readonly #stopListening: () => void;
  #rotation = 0;
  #fetches = 0;
  #failures = 0;
  #pumpPending = false;
  #cancelPause: Cancel | null = null;
  #closed = false;

  constructor(cluster: Cluster, settings: ConsumerSettings, purpose: string, listener: FetcherListener) {
    this.#cluster = cluster;
    this.#settings = settings;
    this.#purpose = purpose;
    this.#listener = listener;
    this.#stopListening = cluster.onMetadata(() => this.pump());
  }

  get readers(): readonly PartitionReader[] {
    return [...this.#readers.values()];
  }

  reader(partition: TopicPartition): PartitionReader | undefined {
    return this.#readers.get(partitionKey(partition));
  }

  add(reader: PartitionReader): void {
    this.#readers.set(partitionKey(reader), reader);
    this.#cluster.usableTopic(reader.topic);
    this.wake();
  }

  remove(partition: TopicPartition): void {
    this.#readers.delete(partitionKey(partition));
  }

  /** Looks for something to fetch once this turn is over. */
  wake(): void {
    if (this.#pumpPending || this.#closed) return;
    this.#pumpPending = true;
    this.#cluster.settings.ports.turns.defer(() => {
      this.#pumpPending = false;
      this.pump();
    });
  }

  pump(): void {
    if (this.#closed || this.#readers.size === 0) return;
    const readers = this.readers;
    const { metadata } = this.#cluster;
    if (readers.some((reader) => !reader.isPlaced || needsValidation(reader, metadata)))
      this.#listener.unplaced();
    const room =
      this.#settings.maxBufferedBytes - readers.reduce((sum, { bufferedBytes }) => sum + bufferedBytes, 0);
    if (room <= 0) return;
    const ready = readers.filter((reader) => !needsValidation(reader, metadata));
    const plan = planFetches(ready, metadata, this.#now(), this.#rotation++);
    if (plan.leaderMissing) this.#cluster.requestRefresh();
    for (const [broker, wanting] of plan.byBroker) this.#fetchFrom(broker, wanting, room);
    this.#wakeAfterPause(plan.pauseEnds);
  }

  close(reason: KafkaClientError): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#stopListening();
    this.#cancelPause?.();
    for (let lane = 0; lane < LANES_PER_BROKER; lane++)
      this.#cluster.closeLanes(`${this.#purpose}-${lane}`, reason);
  }

  #fetchFrom(broker: number, readers: readonly PartitionReader[], room: number): void {
    for (let index = 0; index < LANES_PER_BROKER; index++) {
      const lane = this.#cluster.lane(`${this.#purpose}-${index}`, broker);
      if (this.#busyLanes.has(lane)) continue;
      this.#busyLanes.add(lane);
      const { connection } = lane;
      if (connection === null) this.#open(lane, readers);
      else this.#fetch(lane, connection, readers, room);
      return;
    }
  }

  #open(lane: BrokerLane, readers: readonly PartitionReader[]): void {
    lane.open().then(
      () => {
        this.#busyLanes.delete(lane);
        this.pump();
      },
      () => {
        this.#busyLanes.delete(lane);
        for (const reader of readers) reader.nearby = null;
        if (!this.#closed) this.#cluster.requestRefresh();
      },
    );
  }

  #fetch(
    lane: BrokerLane,
    connection: BrokerConnection,
    readers: readonly PartitionReader[],
    room: number,
  ): void {
    const { metadata, settings } = this.#cluster;
    const allHaveIds = readers.every(({ topic }) => (metadata.topic(topic)?.topicId ?? null) !== null);
    const fetch = ++this.#fetches;
    const asked = readers.map((reader) => ({ reader, jumps: reader.jumps }));
    try {
      const version = connection.versions.require(apis.fetch, allHaveIds ? undefined : TOPIC_IDS_FROM - 1);
      const maxBytes = Math.min(this.#settings.fetchMaxBytes, room);
      const body = fetchRequest(readers, metadata, this.#settings, maxBytes, version >= TOPIC_IDS_FROM);
      for (const reader of readers) reader.fetching = fetch;
      connection.call(
        apis.fetch,
        version,
        body,
        (error, response) => {
          this.#busyLanes.delete(lane);
          fetched(readers, fetch);
          if (this.#closed) return;
          if (response === null) this.#fetchFailed(readers, error);
          else this.#answered(asked, response);
        },
        { timeoutMs: settings.requestTimeoutMs + this.#settings.fetchMaxWaitMs },
      );
    } catch (cause) {
      this.#busyLanes.delete(lane);
      fetched(readers, fetch);
      const error = cause instanceof KafkaClientError ? cause : unforeseen(cause);
      if (error.retriable) this.#fetchFailed(readers, error);
      else this.#listener.failed(error);
    }
  }

  #fetchFailed(readers: readonly PartitionReader[], error: KafkaClientError | null): void {
    this.#failures += 1;
    for (const reader of readers) {
      reader.nearby = null;
      this.#pauseReader(reader, error?.code ?? '');
    }
    this.#cluster.requestRefresh();
    this.pump();
  }

  #answered(asked: readonly Asked[], response: ResponseOf<typeof apis.fetch>): void {
    if (response.errorCode !== ErrorCode.NONE) {
      this.#fetchFailed(
        asked.map(({ reader }) => reader),
        brokerError(response.errorCode, { what: 'the fetch was refused' }),
      );
      return;
    }
    this.#failures = 0;
    const byKey = new Map(asked.map((one) => [partitionKey(one.reader), one]));
    for (const { topic, topicId, partitions } of response.responses) {
      const name = topic === '' ? this.#cluster.metadata.nameOf(topicId) : topic;
      for (const answer of partitions) {
        const one = byKey.get(`${name}-${answer.partitionIndex}`);
        // A reader that jumped meanwhile, or went, has no use for it.
        if (one === undefined || one.reader.jumps !== one.jumps) continue;
        this.#take(one.reader, answer);
      }
    }
    // The next fetch goes out before anything of this one is decoded.
    this.pump();
    this.#listener.arrived();
  }

  #take(reader: PartitionReader, answer: PartitionAnswer): void {
    const { errorCode, currentLeader, divergingEpoch } = answer;
    if (answer.preferredReadReplica >= 0) {
      this.#sendTo(reader, answer.preferredReadReplica);
      return;
    }
    if (errorCode === ErrorCode.NONE && divergingEpoch.epoch < 0) {
      const result = reader.accept(answer, this.#settings.fetchMaxBytes);
      if (result !== 'taken') this.#listener.failed(unreadable(reader, result));
      return;
    }
    if (errorCode !== ErrorCode.NONE && reader.nearby !== null) {
      reader.nearby = null;
      this.#pauseReader(reader, errorByCode(errorCode).name);
      return;
    }
    if (errorCode === ErrorCode.OFFSET_OUT_OF_RANGE) {
      if (this.#settings.autoOffsetReset === 'none') {
        const what = `${reader.topic}-${reader.partition} does not hold offset ${reader.fetchOffset}`;
        this.#listener.failed(brokerError(errorCode, { what }));
        return;
      }
      reader.jumpTo({ kind: 'reset', to: this.#settings.autoOffsetReset });
      this.#listener.unplaced();
      return;
    }
    if (errorByCode(errorCode).retriable || errorCode === ErrorCode.UNKNOWN_SERVER_ERROR) {
      const { metadata } = this.#cluster;
      metadata.learnLeader(reader.topic, reader.partition, currentLeader.leaderId, currentLeader.leaderEpoch);
      this.#pauseReader(reader, errorByCode(errorCode).name);
      this.#cluster.requestRefresh();
      return;
    }
    this.#listener.failed(
      brokerError(errorCode, { what: `${reader.topic}-${reader.partition} cannot be fetched` }),
    );
  }

  #sendTo(reader: PartitionReader, node: number): void {
    const { metadata, settings } = this.#cluster;
    reader.nearby = { node, until: this.#now() + settings.metadataMaxAgeMs };
    if (metadata.brokers.has(node)) return;
    // It came after our metadata did: the leader is not to be asked without end meanwhile.
    this.#pauseReader(reader, 'BROKER_NOT_AVAILABLE');
    this.#cluster.requestRefresh();
  }

  #pauseReader(reader: PartitionReader, code: string): void {
    const { clientId, ports, retryBackoff } = this.#cluster.settings;
    const { topic, partition } = reader;
    reader.notBefore =
      this.#now() + backoffMs(retryBackoff, Math.max(this.#failures, 1), ports.random.fraction());
    retryChannel.publish({ clientId, operation: 'fetch', topic, partition, code, attempt: this.#failures });
  }

  #wakeAfterPause(pauseEnds: number): void {
    this.#cancelPause?.();
    this.#cancelPause =
      pauseEnds === Infinity
        ? null
        : this.#cluster.settings.ports.timers.schedule(pauseEnds - this.#now(), () => this.pump());
  }

  #now(): number {
    return this.#cluster.settings.ports.clock.monotonic();
  }
}

function fetched(readers: readonly PartitionReader[], fetch: number): void {
  for (const reader of readers) if (reader.fetching === fetch) reader.fetching = 0;
}

function unreadable(reader: PartitionReader, why: 'too large' | 'garbled'): KafkaClientError {
  const where = `${reader.topic}-${reader.partition} at ${reader.fetchOffset}`;
  if (why === 'garbled') {
    return new KafkaClientError('CORRUPT_MESSAGE', `${where}: what was fetched is no record batch`, {
      retriable: false,
      hint: 'the log is damaged, or was written in a format from before Kafka 0.11',
    });
  }
  return new KafkaClientError('RECORD_TOO_LARGE', `${where}: a batch is larger than fetchMaxBytes`, {
    retriable: false,
    hint: 'raise fetchMaxBytes, or seek past the batch',
  });
}

function unforeseen(cause: unknown): KafkaClientError {
  return new KafkaClientError('INVALID_ARGUMENT', 'the fetch could not be encoded', {
    retriable: false,
    hint: 'look at the cause',
    cause,
  });
}
