/**
 * Logs of commit-log itself, on a file system in memory that loses, tears and reorders what was not synced. Its
 * completions come as events, one after another, as slow as the disk is.
 */
import {
  DEFAULT_LOG_CONFIG,
  type LogConfig,
  type LogDirectory,
  openLogDirectory,
  type PartitionLog,
} from '@seatlog/commit-log';
import { batchBaseOffset, batchesIn, RECORD_BATCH_OVERHEAD } from '@seatlog/kafka-protocol';
import { MemoryFileSystem, SeededRandom } from '@seatlog/runtime/testing';
import type { SimulatedProcess } from '../process/simulated-process.ts';
import { TOPIC } from '../simulation-settings.ts';
import { DiskCondition } from './disk-condition.ts';
import { CommitLogView } from './commit-log-view.ts';
import type { LogStore } from './log-store.ts';
import type { StoredBatch } from './stored-batch.ts';
import type { DiskWrites, Durability } from './simulated-log.ts';

export interface CommitLogStoreOptions {
  readonly process: SimulatedProcess;
  readonly durability: Durability;
  /** Delivers the disk's completions. */
  readonly writes: DiskWrites;
  readonly seed: number;
  /** Nothing is served from memory, which does not rot with the disk. */
  readonly readsFromDisk: boolean;
}

/** Several batches each, so that segments are rolled, sealed and recovered. */
const SEGMENT_BYTES = 700;
/** Whose growth a full disk refuses. */
const IS_FILLING = /\.log$|room\.tmp$/;

export class CommitLogStore implements LogStore {
  readonly condition = new DiskCondition();
  readonly logs = new Map<number, CommitLogView>();
  readonly #options: CommitLogStoreOptions;
  readonly #config: LogConfig;
  #files: MemoryFileSystem;
  #directory: LogDirectory | null = null;
  #isDelivering = false;
  /** While no process held the disk. */
  readonly #removed = new Set<number>();

  constructor(options: CommitLogStoreOptions) {
    this.#options = options;
    this.#files = this.#disk();
    this.#config = {
      ...DEFAULT_LOG_CONFIG,
      segmentBytes: SEGMENT_BYTES,
      flushMessages: options.durability === 'flush' ? 1 : Number.POSITIVE_INFINITY,
    };
  }

  log(partition: number): CommitLogView {
    const known = this.logs.get(partition);
    if (known !== undefined) return known;
    if (this.#directory === null) throw new Error('a log is asked for, and no process holds the disk');
    return this.#view(
      partition,
      this.#directory.create(TOPIC, partition, { topicId: null, config: this.#config }),
    );
  }

  remove(partition: number): void {
    this.logs.delete(partition);
    if (this.#directory === null) this.#removed.add(partition);
    this.#directory?.delete(TOPIC, partition);
    this.#deliverSoon();
  }

  checkpoint(): void {
    this.#directory?.checkpoint();
    this.#deliverSoon();
  }

  writeBack(): void {
    for (const log of this.#directory?.partitions() ?? []) log.flush(() => {});
    this.#deliverSoon();
  }

  processDied(): void {
    if (this.#directory !== null) for (const log of this.logs.values()) log.end();
    this.#directory = null;
    this.#files.crash({ kind: 'process' });
    this.#isDelivering = false;
  }

  powerCut(): void {
    this.#files.crash({ kind: 'power' });
  }

  /** Rot while nobody looks is found by a start if it does not trust what it finds, and is the model’s; here is the other. */
  rot(): void {}

  rotAt(partition: number, baseOffset: number, random: SeededRandom): void {
    const path = `/logs/${TOPIC}-${partition}`;
    const turn = (contents: Uint8Array): Uint8Array => {
      for (const batch of batchesIn(contents)) {
        if (batchBaseOffset(batch) !== baseOffset) continue;
        const at = RECORD_BATCH_OVERHEAD + random.below(batch.length - RECORD_BATCH_OVERHEAD);
        batch[at] = (batch[at] ?? 0) ^ (1 << random.below(8));
      }
      return contents;
    };
    for (const { name } of this.#files.stat(path) === null ? [] : this.#files.readDirectory(path)) {
      if (name.endsWith('.log')) this.#files.tamper(`${path}/${name}`, turn);
    }
  }

  wipe(): void {
    this.#files = this.#disk();
    this.logs.clear();
  }

  close(brokerEpoch: number): void {
    for (const log of this.logs.values()) log.end();
    this.#directory?.close({ brokerEpoch }, () => {});
    this.#files.deliverAll();
    this.#directory = null;
    this.processDied();
  }

  recover(): number {
    const { process, readsFromDisk } = this.#options;
    this.condition.failsNext = null;
    const directory = openLogDirectory({
      path: '/logs',
      clusterId: 'MkU3OEVBNTcwNTJENDM2Qk',
      nodeId: process.node,
      fileSystem: this.#files,
      clock: { now: () => process.moment.now, monotonic: () => process.moment.monotonic },
      timers: {
        schedule: (delayMs, action) => {
          const event = process.schedule(delayMs, 'log timer', () => this.#andDeliver(action));
          return () => process.queue.cancel(event);
        },
      },
      turns: { defer: (action) => void process.schedule(0, 'log turn', () => this.#andDeliver(action)) },
      random: new SeededRandom(this.#options.seed),
      ...(readsFromDisk ? { limits: { tailCacheBytes: 0 } } : {}),
      listener: { failed: (log) => this.logs.get(log.partition)?.failed() },
      intervals: {
        recoveryPointCheckpointMs: 500,
        logStartOffsetCheckpointMs: 500,
        highWatermarkCheckpointMs: 500,
      },
    });
    const previousBrokerEpoch = directory.previousBrokerEpoch ?? -1;
    for (const partition of this.#removed) directory.delete(TOPIC, partition);
    this.#removed.clear();
    directory.loadAll(() => this.#config);
    this.#directory = directory;
    const known = new Map(Array.from(this.logs, ([partition, { batches }]) => [partition, batches]));
    this.logs.clear();
    for (const log of directory.partitions()) {
      this.#view(log.partition, log, readsFromDisk ? known.get(log.partition) : []);
    }
    const isOtherDisk = this.#setAside(directory);
    this.#deliverSoon();
    return isOtherDisk || directory.shortened.size > 0 ? -1 : previousBrokerEpoch;
  }

  /** An operator takes rotten partitions that cannot be opened out of the way; gives whether there were any. */
  #setAside(directory: LogDirectory): boolean {
    const failures = [...directory.failures];
    for (const [name, failure] of failures) {
      if (failure.code !== 'LOG_CORRUPT') throw failure;
      directory.moveAside(TOPIC, Number(name.slice(TOPIC.length + 1)));
    }
    return failures.length > 0;
  }

  #disk(): MemoryFileSystem {
    const random = new SeededRandom(this.#options.seed);
    const files = new MemoryFileSystem({ random, completions: 'held' });
    files.fault = ({ name, path }) => {
      // A start writes nothing but what lies there already.
      const isGrowing = name === 'write' && this.#directory !== null && IS_FILLING.test(path);
      if (isGrowing && this.condition.isFull) return { code: 'ENOSPC' };
      const fails =
        (name === 'write' || name === 'sync') && path.endsWith('.log') && this.condition.fails(name);
      return fails ? { code: 'EIO' } : undefined;
    };
    return files;
  }

  #view(partition: number, log: PartitionLog, known: readonly StoredBatch[] = []): CommitLogView {
    const { process } = this.#options;
    const afterwards = (label: string, action: () => void): void => void process.schedule(0, label, action);
    const view = new CommitLogView(log, afterwards, known);
    this.logs.set(partition, view);
    return view;
  }

  #andDeliver(action: () => void): void {
    action();
    this.#deliverSoon();
  }

  /** One completion after another, for as long as there are any. */
  #deliverSoon(): void {
    if (this.#isDelivering || this.#files.heldCompletions.length === 0) return;
    this.#isDelivering = true;
    this.#options.writes('disk', () => {
      this.#isDelivering = false;
      this.#files.deliver();
      this.#deliverSoon();
    });
  }
}
