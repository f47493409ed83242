/** The consumer: joins the parts. Membership runs in the background, fetching ahead, the loop at its own pace. */
import type { Cluster } from '../cluster/cluster.ts';
import { KafkaClientError } from '../errors.ts';
import type { AnyTopic } from '../topics/topic.ts';
import { within } from '../waiting.ts';
import { BatchLoop, type TakenBatch } from './batch-loop.ts';
import { CommitBook } from './commit-book.ts';
import { Committer } from './committer.ts';
import { consumerClosed, misuse, noGroup, notAssigned } from './consumer-errors.ts';
import type { ConsumerSettings } from './consumer-options.ts';
import { Coordinator } from './coordinator.ts';
import { FetchedBatch, FetchedRound } from './fetched-batch.ts';
import { Fetcher } from './fetcher.ts';
import { GroupSession } from './group-session.ts';
import { runHandler } from './handler-run.ts';
import { loopTurns } from './loop-turns.ts';
import { OffsetStore, type OffsetToCommit } from './offset-store.ts';
import { PartitionReader, type StartingPoint } from './partition-reader.ts';
import { PositionFinder } from './position-finder.ts';
import type {
  BatchesOptions,
  ConsumerHealth,
  ConsumerState,
  PartitionLag,
  PartitionsCallback,
  RunOptions,
  TopicPartition,
  TopicPartitionOffset,
} from './types.ts';

const DEFAULT_CLOSE_TIMEOUT_MS = 30_000;

export class KafkaConsumer implements AsyncDisposable {
  readonly #cluster: Cluster;
  readonly #settings: ConsumerSettings;
  readonly #purpose: string;
  readonly #declared: ReadonlyMap<string, AnyTopic | null>;
  readonly #loop: BatchLoop;
  readonly #fetcher: Fetcher;
  readonly #finder: PositionFinder;
  readonly #committer: Committer | null;
  readonly #session: GroupSession | null;
  readonly #book = new CommitBook();
  #state: 'idle' | 'running' | 'closing' | 'closed' | 'failed' = 'idle';
  #lastError: KafkaClientError | null = null;
  #lastAutoCommitAt: number;
  #autoCommit: Promise<void> = Promise.resolve();
  #left: () => void = () => undefined;
  #ending: Promise<void> | null = null;
  readonly #onClosed: (consumer: KafkaConsumer) => void;

  constructor(
    cluster: Cluster,
    settings: ConsumerSettings,
    purpose: string,
    onClosed: (consumer: KafkaConsumer) => void,
  ) {
    this.#onClosed = onClosed;
    this.#cluster = cluster;
    this.#settings = settings;
    this.#purpose = purpose;
    this.#declared = new Map(
      settings.topics.map((topic) => (typeof topic === 'string' ? [topic, null] : [topic.name, topic])),
    );
    const { ports, retryBackoff } = cluster.settings;
    this.#lastAutoCommitAt = ports.clock.monotonic();
    this.#loop = new BatchLoop(ports, () => this.#fetcher.readers, settings.maxPollRecords, {
      cameRound: (batch) => this.#cameRound(batch),
      polled: (busy) => this.#session?.polled(busy),
      roomMade: () => this.#fetcher.wake(),
    });
    this.#fetcher = new Fetcher(cluster, settings, `${purpose}-fetch`, {
      arrived: () => this.#loop.wake(),
      unplaced: () => this.#finder.wake(),
      failed: (error) => this.#fail(error),
    });
    const { groupId } = settings;
    const coordinator = groupId === null ? null : new Coordinator(cluster, groupId);
    const offsets =
      groupId === null || coordinator === null
        ? null
        : new OffsetStore(cluster, coordinator, groupId, `${purpose}-offsets`);
    this.#session =
      groupId === null || coordinator === null || this.#declared.size === 0
        ? null
        : new GroupSession(
            cluster,
            coordinator,
            { ...settings, groupId },
            [...this.#declared.keys()],
            `${purpose}-group`,
            {
              revoke: (partitions, lost) => this.#revoke(partitions, lost),
              assign: (partitions) => this.#assigned(partitions),
              failed: (error) => this.#fail(error),
              done: () => this.#left(),
            },
          );
    this.#committer =
      offsets === null
        ? null
        : new Committer(offsets, this.#session, settings.groupInstanceId, ports, retryBackoff);
    this.#finder = new PositionFinder(cluster, settings, offsets, () => this.#fetcher.readers, {
      placed: () => this.#fetcher.pump(),
      failed: (error) => this.#fail(error),
    });
  }

  batches(options: BatchesOptions = {}): AsyncIterableIterator<FetchedBatch> {
    // A round of one batch is never empty.
    return this.#iterate(options, 1, ([batch]) => this.#fetched(batch as TakenBatch));
  }

  rounds(options: BatchesOptions = {}): AsyncIterableIterator<FetchedRound> {
    return this.#iterate(options, Infinity, (taken) => {
      const batches = taken.map((batch) => this.#fetched(batch));
      return new FetchedRound(batches, () => this.#commitTaken(taken));
    });
  }

  run(options: RunOptions): Promise<void> {
    return runHandler(this, options, (offsets) => this.commit(offsets));
  }

  async commit(offsets: readonly TopicPartitionOffset[]): Promise<void> {
    await this.#commit(
      offsets.map(({ topic, partition, offset }) => ({ topic, partition, offset, leaderEpoch: -1 })),
    );
  }

  assign(
    partitions: readonly (TopicPartition & { readonly offset?: number | 'earliest' | 'latest' })[],
  ): void {
    if (this.#session !== null)
      throw misuse('a member of a group is assigned by it', 'leave `topics` or `groupId` out');
    if (this.#state === 'closing' || this.#state === 'closed') throw consumerClosed();
    for (const reader of this.#fetcher.readers) {
      if (
        !partitions.some(({ topic, partition }) => topic === reader.topic && partition === reader.partition)
      ) {
        this.#drop(reader);
      }
    }
    for (const partition of partitions) {
      const start = this.#startOf(partition.offset);
      const known = this.#fetcher.reader(partition);
      if (known === undefined) this.#fetcher.add(this.#newReader(partition, start));
      else if (partition.offset !== undefined) known.jumpTo(start);
    }
    this.#fetcher.wake();
  }

  get assignment(): readonly TopicPartition[] {
    return this.#fetcher.readers
      .filter(({ ending }) => !ending)
      .map(({ topic, partition }) => ({ topic, partition }));
  }

  pause(partitions: readonly TopicPartition[]): void {
    for (const partition of partitions) this.#reader(partition).paused = true;
  }

  resume(partitions: readonly TopicPartition[]): void {
    for (const partition of partitions) this.#reader(partition).paused = false;
    this.#fetcher.wake();
    this.#loop.wake();
  }

  seek({ topic, partition, offset }: TopicPartitionOffset): void {
    if (!Number.isSafeInteger(offset) || offset < 0)
      throw misuse(`${offset} is no offset`, 'offsets are whole numbers from 0 on');
    this.#reader({ topic, partition }).jumpTo({ kind: 'offset', offset, leaderEpoch: -1 });
    this.#fetcher.wake();
  }

  lag(): readonly PartitionLag[] {
    return this.#fetcher.readers.map(({ topic, partition, position, highWatermark }) => {
      const lag = position === null || highWatermark === null ? null : Math.max(highWatermark - position, 0);
      return { topic, partition, position, highWatermark, lag };
    });
  }

  health(): ConsumerHealth {
    const state = this.#stateName();
    const member = this.#session?.member;
    const since = this.#session?.sinceHeartbeatMs ?? null;
    const live = member === undefined || (since !== null && since < this.#settings.sessionTimeoutMs);
    return {
      state,
      healthy: (state === 'stable' || state === 'assigned' || state === 'joining') && live,
      groupId: this.#settings.groupId,
      memberId: member === undefined || member.memberId === '' ? null : member.memberId,
      generation: member === undefined || member.generation < 0 ? null : member.generation,
      assignment: this.assignment,
      sinceHeartbeatMs: since,
      lastError: this.#lastError,
    };
  }

  async close(options: { readonly timeoutMs?: number } = {}): Promise<void> {
    const timeoutMs = options.timeoutMs ?? DEFAULT_CLOSE_TIMEOUT_MS;
    this.#loop.end();
    const { inHand } = this.#loop;
    const { clock } = this.#cluster.settings.ports;
    const begin = clock.monotonic();
    if (inHand.length > 0) await this.#atMost(this.#loop.free(inHand), timeoutMs);
    await this.#end(Math.max(timeoutMs - (clock.monotonic() - begin), 0));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #iterate<Turn>(
    { signal }: BatchesOptions,
    mostBatches: number,
    turnOf: (taken: readonly TakenBatch[]) => Turn,
  ): AsyncIterableIterator<Turn> {
    this.#begin(mostBatches);
    return loopTurns(this.#loop, signal, {
      taken: (batches) => {
        this.#commitByItself();
        return turnOf(batches);
      },
      ended: () => this.#end(DEFAULT_CLOSE_TIMEOUT_MS),
    });
  }

  #fetched(taken: TakenBatch): FetchedBatch {
    return new FetchedBatch(taken, () => this.#commitTaken([taken]));
  }

  #begin(mostBatches: number): void {
    if (this.#state === 'closing' || this.#state === 'closed') throw consumerClosed();
    if (this.#loop.isActive)
      throw misuse('another loop consumes already', 'use one loop, or another consumer');
    this.#loop.begin(mostBatches);
    if (this.#state !== 'idle') return;
    this.#state = 'running';
    if (this.#session !== null) this.#session.start();
    else if (this.#fetcher.readers.length === 0 && this.#settings.groupId !== null) {
      throw misuse('neither topics nor partitions are given', 'name `topics`, or call assign()');
    }
    this.#fetcher.wake();
  }

  /** Drains, commits, leaves, closes: once. */
  #end(timeoutMs: number): Promise<void> {
    this.#ending ??= this.#shutDown(timeoutMs);
    return this.#ending;
  }

  async #shutDown(timeoutMs: number): Promise<void> {
    if (this.#state !== 'failed') this.#state = 'closing';
    const session = this.#session;
    if (session !== null) {
      const left = new Promise<void>((resolve) => {
        this.#left = resolve;
      });
      session.close();
      // One that has failed is out of the group already: what it held may be held by others.
      const isOut = session.member.state === 'failed';
      if (isOut) await this.#callBack(this.#settings.onLost, this.#fetcher.readers).catch(() => undefined);
      else if (session.member.state !== 'left') await this.#atMost(left, timeoutMs);
    } else {
      await this.#atMost(this.#commitPassed(), timeoutMs);
    }
    const reason = consumerClosed();
    for (const reader of this.#fetcher.readers) this.#drop(reader);
    this.#finder.close();
    this.#fetcher.close(reason);
    for (const part of ['group', 'offsets']) this.#cluster.closeLanes(`${this.#purpose}-${part}`, reason);
    if (this.#state !== 'failed') this.#state = 'closed';
    this.#onClosed(this);
  }

  #fail(error: KafkaClientError): void {
    if (this.#state === 'failed' || this.#state === 'closed') return;
    this.#lastError = error;
    this.#state = 'failed';
    for (const reader of this.#fetcher.readers) reader.ending = true;
    this.#loop.fail(error);
    void this.#end(DEFAULT_CLOSE_TIMEOUT_MS);
  }

  async #assigned(partitions: readonly TopicPartition[]): Promise<void> {
    const readers = partitions.map((partition) => this.#newReader(partition, { kind: 'committed' }));
    for (const reader of readers) {
      // The callback may seek: nothing is fetched before it is through.
      reader.notBefore = Infinity;
      this.#fetcher.add(reader);
    }
    await this.#callBack(this.#settings.onAssigned, partitions);
    for (const reader of readers) reader.notBefore = 0;
    this.#fetcher.wake();
  }

  async #revoke(partitions: readonly TopicPartition[], lost: boolean): Promise<void> {
    const readers = partitions.flatMap((partition) => this.#fetcher.reader(partition) ?? []);
    for (const reader of readers) reader.ending = true;
    if (lost) {
      for (const reader of readers) reader.abort.abort();
      await this.#callBack(this.#settings.onLost, partitions);
    } else {
      await this.#loop.free(readers);
      await this.#autoCommit;
      await this.#commitPassed(partitions);
      await this.#callBack(this.#settings.onRevoked, partitions);
    }
    for (const reader of readers) this.#drop(reader);
    this.#book.forget(partitions);
  }

  async #callBack(callback: PartitionsCallback | null, partitions: readonly TopicPartition[]): Promise<void> {
    if (callback === null || partitions.length === 0) return;
    await callback(partitions.map(({ topic, partition }) => ({ topic, partition })));
  }

  #drop(reader: PartitionReader): void {
    reader.ending = true;
    reader.abort.abort();
    this.#fetcher.remove(reader);
  }

  #newReader({ topic, partition }: TopicPartition, start: StartingPoint): PartitionReader {
    const source = { topic, partition, declared: this.#declared.get(topic) ?? null };
    return new PartitionReader(source, start, this.#settings.maxPartitionFetchBytes, this.#settings);
  }

  #startOf(offset: number | 'earliest' | 'latest' | undefined): StartingPoint {
    if (typeof offset === 'number') return { kind: 'offset', offset, leaderEpoch: -1 };
    if (offset !== undefined) return { kind: 'reset', to: offset };
    return this.#committer === null
      ? { kind: 'reset', to: this.#settings.autoOffsetReset }
      : { kind: 'committed' };
  }

  #reader(partition: TopicPartition): PartitionReader {
    const reader = this.#fetcher.reader(partition);
    if (reader === undefined) throw notAssigned(partition);
    return reader;
  }

  #cameRound({ reader, nextOffset, leaderEpoch }: TakenBatch): void {
    if (this.#settings.autoCommitIntervalMs === null) return;
    const { topic, partition } = reader;
    this.#book.passed({ topic, partition, offset: nextOffset, leaderEpoch });
  }

  #commitTaken(taken: readonly TakenBatch[]): Promise<void> {
    return this.#commit(
      taken.map(({ reader: { topic, partition }, nextOffset: offset, leaderEpoch }) => ({
        topic,
        partition,
        offset,
        leaderEpoch,
      })),
    );
  }

  async #commit(offsets: readonly OffsetToCommit[]): Promise<void> {
    if (this.#committer === null) throw noGroup();
    await this.#committer.commit(offsets, this.#cluster.settings.requestTimeoutMs);
    this.#book.committed(offsets);
  }

  /** What the loop has gone past, without holding it up. */
  #commitByItself(): void {
    const { autoCommitIntervalMs } = this.#settings;
    const now = this.#cluster.settings.ports.clock.monotonic();
    if (autoCommitIntervalMs === null || now - this.#lastAutoCommitAt < autoCommitIntervalMs) return;
    this.#lastAutoCommitAt = now;
    this.#autoCommit = this.#autoCommit.then(() => this.#commitPassed());
  }

  /** Never rejects: what could not be committed is read again. */
  async #commitPassed(partitions?: readonly TopicPartition[]): Promise<void> {
    const open = this.#book.open(partitions);
    if (open.length === 0) return;
    try {
      await this.#commit(open);
    } catch (error) {
      if (error instanceof KafkaClientError) this.#lastError = error;
    }
  }

  /** Waits no longer than this: what does not end is left behind. */
  async #atMost(promise: Promise<void>, timeoutMs: number): Promise<void> {
    const { ports } = this.#cluster.settings;
    const deadline = ports.clock.monotonic() + timeoutMs;
    await within(promise, { deadline }, ports, consumerClosed).catch(() => undefined);
  }

  #stateName(): ConsumerState {
    if (this.#state !== 'running') return this.#state;
    if (this.#session === null) return 'assigned';
    return this.#session.member.state === 'stable' ? 'stable' : 'joining';
  }
}
