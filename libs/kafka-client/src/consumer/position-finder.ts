/**
 * Finds out where to read: the group's committed offsets, the ends of the log where there is none, and, after a change of
 * leader, whether the log was cut behind what was read (KIP-320). Works in the background until every reader has its place.
 */
import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import { backoffMs } from '../backoff.ts';
import { EARLIEST_TIMESTAMP, LATEST_TIMESTAMP, lookUpOffsets } from '../cluster/offset-lookup.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { retryChannel } from '../diagnostics.ts';
import { KafkaClientError } from '../errors.ts';
import type { ConsumerSettings } from './consumer-options.ts';
import { asKafkaClientError } from './coordinator.ts';
import { needsValidation } from './fetch-plan.ts';
import type { OffsetStore } from './offset-store.ts';
import type { PartitionReader } from './partition-reader.ts';

/** How long one attempt may take before it counts as failed and is made again. */
const ATTEMPT_MS = 30_000;

export class PositionFinder {
  readonly #cluster: Cluster;
  readonly #settings: ConsumerSettings;
  readonly #offsets: OffsetStore | null;
  readonly #readers: () => readonly PartitionReader[];
  readonly #placed: () => void;
  readonly #failed: (error: KafkaClientError) => void;
  #running = false;
  #closed = false;

  constructor(
    cluster: Cluster,
    settings: ConsumerSettings,
    offsets: OffsetStore | null,
    readers: () => readonly PartitionReader[],
    told: { readonly placed: () => void; readonly failed: (error: KafkaClientError) => void },
  ) {
    this.#cluster = cluster;
    this.#settings = settings;
    this.#offsets = offsets;
    this.#readers = readers;
    this.#placed = told.placed;
    this.#failed = told.failed;
  }

  /** Looks after all readers that have no place, or one that is in doubt. */
  wake(): void {
    if (this.#running || this.#closed) return;
    this.#running = true;
    void this.#run().finally(() => {
      this.#running = false;
    });
  }

  close(): void {
    this.#closed = true;
  }

  async #run(): Promise<void> {
    const { ports, retryBackoff, clientId } = this.#cluster.settings;
    for (let failures = 0; !this.#closed && this.#pending().length > 0; ) {
      try {
        await this.#round();
        failures = 0;
        this.#placed();
      } catch (cause) {
        const error = asKafkaClientError(cause);
        if (this.#closed) return;
        if (!error.retriable) {
          this.#failed(error);
          return;
        }
        failures += 1;
        retryChannel.publish({
          clientId,
          operation: 'position',
          topic: null,
          partition: null,
          code: error.code,
          attempt: failures,
        });
        await new Promise<void>((resolve) => {
          ports.timers.schedule(backoffMs(retryBackoff, failures, ports.random.fraction()), resolve);
        });
      }
    }
  }

  #pending(): PartitionReader[] {
    const { metadata } = this.#cluster;
    return this.#readers().filter(
      (reader) => !reader.ending && (!reader.isPlaced || needsValidation(reader, metadata)),
    );
  }

  async #round(): Promise<void> {
    const pending = this.#pending();
    await this.#placeCommitted(pending.filter(({ start }) => start?.kind === 'committed'));
    await this.#placeReset(pending.filter(({ start }) => start?.kind === 'reset'));
    await Promise.all(pending.filter(({ isPlaced }) => isPlaced).map((reader) => this.#validate(reader)));
  }

  async #placeCommitted(readers: readonly PartitionReader[]): Promise<void> {
    if (readers.length === 0) return;
    const jumps = readers.map((reader) => reader.jumps);
    const stored =
      (await this.#offsets?.fetch(readers, this.#deadline(), this.#settings.readCommitted)) ?? [];
    readers.forEach((reader, index) => {
      // A seek that came meanwhile counts.
      if (reader.jumps !== jumps[index]) return;
      const { topic, partition } = reader;
      const found = stored.find((one) => one.topic === topic && one.partition === partition);
      if (found !== undefined && found.offset >= 0) {
        reader.jumpTo({ kind: 'offset', offset: found.offset, leaderEpoch: found.leaderEpoch });
      } else {
        reader.jumpTo({ kind: 'reset', to: this.#settings.autoOffsetReset });
      }
    });
  }

  async #placeReset(readers: readonly PartitionReader[]): Promise<void> {
    if (readers.length === 0) return;
    const questions = readers.map((reader) => {
      const to = reader.start?.kind === 'reset' ? reader.start.to : 'none';
      if (to === 'none') throw noOffset(reader);
      const { topic, partition } = reader;
      return { topic, partition, timestamp: to === 'earliest' ? EARLIEST_TIMESTAMP : LATEST_TIMESTAMP };
    });
    const jumps = readers.map((reader) => reader.jumps);
    const limits = { deadline: this.#deadline() };
    const answers = await lookUpOffsets(this.#cluster, questions, this.#settings.readCommitted, limits);
    readers.forEach((reader, index) => {
      const { topic, partition } = reader;
      const found = answers.find((one) => one.topic === topic && one.partition === partition);
      if (found === undefined || reader.jumps !== jumps[index]) return;
      reader.jumpTo({ kind: 'offset', offset: found.offset, leaderEpoch: -1 });
    });
  }

  /** Asks the new leader where the epoch ended from which was read last: behind that, its log is another one. */
  async #validate(reader: PartitionReader): Promise<void> {
    const { metadata } = this.#cluster;
    if (!needsValidation(reader, metadata)) return;
    const { topic, partition, fetchOffset, fetchedEpoch, jumps } = reader;
    const state = metadata.topic(topic)?.partitions[partition];
    if (state === undefined || state.leader < 0) {
      this.#cluster.requestRefresh();
      throw leaderUnknown(topic, partition);
    }
    const connection = await this.#cluster.controlConnection(state.leader);
    if (connection.versions.choose(apis.offsetForLeaderEpoch) === null) {
      reader.validatedEpoch = state.leaderEpoch;
      return;
    }
    const response = await connection.request(apis.offsetForLeaderEpoch, (version) => ({
      ...(version >= 3 ? { replicaId: -1 } : {}),
      topics: [
        {
          topic,
          partitions: [{ partition, currentLeaderEpoch: state.leaderEpoch, leaderEpoch: fetchedEpoch }],
        },
      ],
    }));
    const answer = response.topics[0]?.partitions[0];
    if (answer === undefined || answer.errorCode !== ErrorCode.NONE) {
      this.#cluster.requestRefresh();
      throw leaderUnknown(topic, partition);
    }
    if (reader.jumps !== jumps) return;
    reader.validatedEpoch = state.leaderEpoch;
    const cut = answer.endOffset >= 0 && answer.endOffset < fetchOffset;
    if (!cut) return;
    if (this.#settings.autoOffsetReset === 'none') throw logTruncated(reader, answer.endOffset);
    reader.jumpTo({ kind: 'offset', offset: answer.endOffset, leaderEpoch: answer.leaderEpoch });
    reader.validatedEpoch = state.leaderEpoch;
  }

  #deadline(): number {
    return this.#cluster.settings.ports.clock.monotonic() + ATTEMPT_MS;
  }
}

function noOffset({ topic, partition }: PartitionReader): KafkaClientError {
  return new KafkaClientError(
    'NO_COMMITTED_OFFSET',
    `nothing tells where to begin with ${topic}-${partition}`,
    {
      retriable: false,
      hint: "commit an offset first, or set autoOffsetReset to 'earliest' or 'latest'",
    },
  );
}

function leaderUnknown(topic: string, partition: number): KafkaClientError {
  return new KafkaClientError('LEADER_UNKNOWN', `${topic}-${partition} has no leader that answers`, {
    retriable: true,
    hint: 'the client goes on trying by itself',
  });
}

function logTruncated(
  { topic, partition, fetchOffset }: PartitionReader,
  endOffset: number,
): KafkaClientError {
  return new KafkaClientError(
    'LOG_TRUNCATED',
    `${topic}-${partition} was read up to ${fetchOffset}, but its new leader has another log from ${endOffset} on`,
    { retriable: false, hint: 'records that were read are gone: seek to where you want to go on' },
  );
}
