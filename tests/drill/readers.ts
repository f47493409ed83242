/**
 * Consumers of a drill: the members of a group, which commit what they have seen, and one that reads every partition on its
 * own. Each is made anew when it fails, and goes on where it was.
 */
import {
  type Consumer,
  createClient,
  type KafkaClient,
  KafkaClientError,
  type TopicPartition,
} from '@seatlog/kafka-client';
import type { HistoryRecorder, PolledRecord } from '@seatlog/history';
import { pause } from '@seatlog/lab';
import { TOPIC } from './drill-cluster.ts';

export const GROUP = 'drill-group';
const SESSION_TIMEOUT_MS = 6_000;
const HEARTBEAT_MS = 1_000;
const AGAIN_MS = 200;
/** Failures that say that the log has lost something that was shown. */
const NEVER_ALLOWED = ['LOG_TRUNCATED', 'OFFSET_OUT_OF_RANGE'];

export interface ReaderOptions {
  readonly brokers: string;
  readonly partitions: number;
  readonly recorder: HistoryRecorder;
}

export class Readers {
  readonly complaints: string[] = [];
  /** Why consumers were made anew, with how often. */
  readonly failures = new Map<string, number>();
  polled = 0;
  readonly #options: ReaderOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>[] = [];
  /** The greatest offset of each partition whose commit was acknowledged. */
  readonly #committed = new Map<number, number>();

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  startMember(name: string): void {
    this.#running.push(this.#keepGoing(name, (client) => this.#consumeAsMember(name, client)));
  }

  startAlone(name: string): void {
    const positions = new Map<number, number>();
    this.#running.push(this.#keepGoing(name, (client) => this.#consumeAlone(name, client, positions)));
  }

  /** Acknowledged commits, by partition. */
  get committed(): ReadonlyMap<number, number> {
    return this.#committed;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  async #keepGoing(name: string, consume: (client: KafkaClient) => Promise<void>): Promise<void> {
    const { brokers } = this.#options;
    while (!this.#stopping.signal.aborted) {
      const client = createClient({
        brokers,
        clientId: name,
        connectTimeoutMs: 3_000,
        requestTimeoutMs: 10_000,
      });
      try {
        await consume(client);
      } catch (error) {
        const code = error instanceof KafkaClientError ? error.code : String(error);
        this.failures.set(code, (this.failures.get(code) ?? 0) + 1);
        if (NEVER_ALLOWED.includes(code)) this.complaints.push(`${name}: ${String(error)}`);
        await pause(AGAIN_MS);
      } finally {
        await client.close({ timeoutMs: 1_000 });
      }
    }
  }

  async #consumeAsMember(name: string, client: KafkaClient): Promise<void> {
    const { recorder } = this.#options;
    /** What a member must not begin before, of partitions that it was given and has not read yet. */
    const notBefore = new Map<number, number>();
    const moved = (partitions: readonly TopicPartition[]): void =>
      recorder.repositioned(name, partitions.map(nameOf));
    recorder.repositioned(name, null);
    const consumer = client.consumer({
      groupId: GROUP,
      topics: [TOPIC],
      autoOffsetReset: 'earliest',
      sessionTimeoutMs: SESSION_TIMEOUT_MS,
      heartbeatIntervalMs: HEARTBEAT_MS,
      onAssigned: (partitions) => {
        moved(partitions);
        for (const { partition } of partitions) notBefore.set(partition, this.#committed.get(partition) ?? 0);
      },
      onRevoked: moved,
      onLost: moved,
    });
    for await (const batch of consumer.batches({ signal: this.#stopping.signal })) {
      const { partition, firstOffset, nextOffset } = batch;
      const least = notBefore.get(partition) ?? 0;
      notBefore.delete(partition);
      if (firstOffset < least) {
        this.complaints.push(
          `${name} began at offset ${firstOffset} of ${TOPIC}-${partition} after ${least} had been committed`,
        );
      }
      this.#record(name, batch);
      await this.#commit(batch, partition, nextOffset);
    }
  }

  /** A commit that is refused is one of a member that has lost the partition: somebody else reads it again. */
  async #commit(batch: { commit(): Promise<void> }, partition: number, nextOffset: number): Promise<void> {
    try {
      await batch.commit();
      this.#committed.set(partition, Math.max(nextOffset, this.#committed.get(partition) ?? 0));
    } catch (error) {
      if (!(error instanceof KafkaClientError)) throw error;
      const refusal = `commit ${error.code}`;
      this.failures.set(refusal, (this.failures.get(refusal) ?? 0) + 1);
    }
  }

  async #consumeAlone(name: string, client: KafkaClient, positions: Map<number, number>): Promise<void> {
    const consumer: Consumer = client.consumer();
    consumer.assign(
      Array.from({ length: this.#options.partitions }, (_, partition) => ({
        topic: TOPIC,
        partition,
        offset: positions.get(partition) ?? 0,
      })),
    );
    for await (const batch of consumer.batches({ signal: this.#stopping.signal })) {
      this.#record(name, batch);
      positions.set(batch.partition, batch.nextOffset);
    }
  }

  #record(name: string, batch: RecordedBatch): void {
    this.polled += batch.records.length;
    this.#options.recorder.polled(name, nameOf(batch), recordsOf(batch));
  }
}

interface RecordedBatch extends TopicPartition {
  readonly records: readonly { readonly offset: number; readonly valueBytes: Uint8Array | null }[];
}

export const nameOf = ({ topic, partition }: TopicPartition): string => `${topic}-${partition}`;

export function recordsOf({ records }: RecordedBatch): readonly PolledRecord[] {
  return records.map(({ offset, valueBytes }) => [offset, Number(Buffer.from(valueBytes ?? []).toString())]);
}
