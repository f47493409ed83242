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
import { MemoryFileSystem, SeededRandom } from '@seatlog/runtime/testing';
import type { SimulatedProcess } from '../process/simulated-process.ts';
import { TOPIC } from '../simulation-settings.ts';
import { CommitLogView } from './commit-log-view.ts';
import type { LogStore } from './log-store.ts';
import type { DiskWrites, Durability } from './simulated-log.ts';

export interface CommitLogStoreOptions {
  readonly process: SimulatedProcess;
  readonly durability: Durability;
  /** Delivers the disk's completions. */
  readonly writes: DiskWrites;
  readonly seed: number;
}

/** Several batches each, so that segments are rolled, sealed and recovered. */
const SEGMENT_BYTES = 700;

export class CommitLogStore implements LogStore {
  readonly logs = new Map<number, CommitLogView>();
  readonly #options: CommitLogStoreOptions;
  readonly #config: LogConfig;
  #files: MemoryFileSystem;
  #directory: LogDirectory | null = null;
  #isDelivering = false;

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

  /** Rot under a running log is a matter of its own; here disks only lose. */
  rot(): void {}

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
    const { process } = this.#options;
    this.#directory = openLogDirectory({
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
      intervals: {
        recoveryPointCheckpointMs: 500,
        logStartOffsetCheckpointMs: 500,
        highWatermarkCheckpointMs: 500,
      },
    });
    const previousBrokerEpoch = this.#directory.previousBrokerEpoch ?? -1;
    this.#directory.loadAll(() => this.#config);
    this.logs.clear();
    for (const log of this.#directory.partitions()) this.#view(log.partition, log);
    const [failure] = this.#directory.failures.values();
    if (failure !== undefined) throw failure;
    this.#deliverSoon();
    return this.#directory.shortened.size > 0 ? -1 : previousBrokerEpoch;
  }

  #disk(): MemoryFileSystem {
    return new MemoryFileSystem({ random: new SeededRandom(this.#options.seed), completions: 'held' });
  }

  #view(partition: number, log: PartitionLog): CommitLogView {
    const { process } = this.#options;
    const view = new CommitLogView(log, (label, action) => void process.schedule(0, label, action));
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
