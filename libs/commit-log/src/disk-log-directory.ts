import { uuidFromBytes } from '@seatlog/kafka-protocol';
import { type Cancel, type FileLock, FileSystemError } from '@seatlog/runtime';
import { takeCleanShutdownMarker, writeCleanShutdownMarker } from './clean-shutdown-marker.ts';
import { DirectoryCheckpoints } from './directory-checkpoints.ts';
import { DirectoryRemoval } from './directory-removal.ts';
import { asLogFailure, attempted, failureOf } from './log-failure.ts';
import type { LogConfig } from './log-config.ts';
import {
  type CloseOptions,
  type CreatePartitionOptions,
  DEFAULT_LOG_INTERVALS,
  DEFAULT_LOG_LIMITS,
  type LogDirectory,
  type LogDirectoryOptions,
  type PartitionOnDisk,
} from './log-directory.ts';
import { createLogEnvironment, type LogEnvironment } from './log-environment.ts';
import { LogError } from './log-error.ts';
import { readMetaProperties, requireOwn, writeMetaProperties } from './meta-properties.ts';
import type { FlushCompletion, PartitionLog } from './partition-log.ts';
import { readTopicId, writeTopicId } from './partition-metadata.ts';
import {
  type AsideReason,
  asideDirectoryName,
  asideReasonOf,
  parsePartitionName,
  partitionName,
  requirePartitionName,
} from './partition-name.ts';
import { openPartitionLog, type OpenedFrom } from './partition-opening.ts';
import { RetentionClock } from './retention-clock.ts';
import type { SegmentedLog } from './segmented-log.ts';
import { atOnce, inTurns, type SlicedWork } from './sliced-work.ts';

/** Takes a log directory; the contract stands at `LogDirectory`. Throws LOG_DIRECTORY_LOCKED or LOG_DIRECTORY_FOREIGN. */
export function openLogDirectory(options: LogDirectoryOptions): LogDirectory {
  const { fileSystem: files, path, random } = options;
  return attempted(() => {
    // Looked at before anything is touched: a foreign directory is left exactly as it was.
    const before = readMetaProperties(files, path);
    if (before !== null) requireOwn(path, before, options);
    files.makeDirectory(path);
    const lock = takeLock(options);
    try {
      const directoryId = before?.directoryId ?? uuidFromBytes(random.bytes(16), 0);
      if (before?.directoryId !== directoryId) {
        writeMetaProperties(files, path, {
          clusterId: options.clusterId,
          nodeId: options.nodeId,
          directoryId,
        });
      }
      return new DiskLogDirectory(options, lock, directoryId);
    } catch (error) {
      lock.release();
      throw error;
    }
  });
}

function takeLock({ fileSystem, path }: LogDirectoryOptions): FileLock {
  try {
    return fileSystem.lock(`${path}/.lock`);
  } catch (cause) {
    if (!(cause instanceof FileSystemError) || cause.code !== 'ELOCKED') throw cause;
    throw new LogError('LOG_DIRECTORY_LOCKED', `${path} is in use: ${cause.message}`, { cause });
  }
}

class DiskLogDirectory implements LogDirectory {
  readonly path: string;
  readonly clusterId: string;
  readonly nodeId: number;
  readonly directoryId: string;
  readonly cleanStart: boolean;
  readonly previousBrokerEpoch: number | null;
  readonly failures = new Map<string, LogError>();
  readonly shortened = new Set<string>();
  readonly #options: LogDirectoryOptions;
  readonly #environment: LogEnvironment;
  readonly #lock: FileLock;
  readonly #checkpoints: DirectoryCheckpoints;
  readonly #removal: DirectoryRemoval;
  readonly #retentionClock: RetentionClock;
  readonly #logs = new Map<string, SegmentedLog>();
  readonly #onDisk = new Map<string, PartitionOnDisk>();
  #repeating: Cancel[] = [];
  #closed = false;

  constructor(options: LogDirectoryOptions, lock: FileLock, directoryId: string) {
    const { fileSystem: files, path, timers, listener = {} } = options;
    this.path = path;
    this.clusterId = options.clusterId;
    this.nodeId = options.nodeId;
    this.directoryId = directoryId;
    this.#options = options;
    this.#lock = lock;
    const shutdown = takeCleanShutdownMarker(files, path);
    this.cleanStart = shutdown !== null;
    this.#environment = createLogEnvironment(options, { ...DEFAULT_LOG_LIMITS, ...options.limits }, listener);
    this.#checkpoints = new DirectoryCheckpoints(files, path, {
      logs: () => this.#logs,
      warn: (message) => this.#warn(message),
    });
    this.#removal = new DirectoryRemoval(files, timers, listener);
    this.#retentionClock = new RetentionClock(options.clock);
    this.#survey();
    this.previousBrokerEpoch = shutdown === null || this.#hasLostPartitions() ? null : shutdown.brokerEpoch;
    if (!this.cleanStart) files.syncDirectory(path);
    this.#startRepeating();
  }

  get queuedBytes(): number {
    let total = 0;
    for (const log of this.#logs.values()) total += log.queuedBytes;
    return total;
  }

  notLoaded(): readonly PartitionOnDisk[] {
    return [...this.#onDisk.values()];
  }

  load(topic: string, partition: number, config: LogConfig): PartitionLog | null {
    const name = requirePartitionName(topic, partition);
    const found = this.#onDisk.get(name);
    if (found === undefined) return this.#logs.get(name) ?? null;
    return atOnce(this.#load(name, found, config));
  }

  loadAll(configOf: (found: PartitionOnDisk) => LogConfig): void {
    atOnce(this.#loadEach(configOf));
  }

  loadAllInTurns(configOf: (found: PartitionOnDisk) => LogConfig, done: () => void): void {
    const { turns, clock } = this.#options;
    inTurns(this.#loadEach(configOf), { turns, clock, isOver: () => this.#closed }, done);
  }

  /** It counts as not loaded until it is: a stop in between leaves it as it was found. */
  *#load(name: string, found: PartitionOnDisk, config: LogConfig): SlicedWork<PartitionLog> {
    try {
      const checkpointed = this.#checkpoints.of(name);
      const log = yield* this.#open(found, config, { clean: this.cleanStart, ...checkpointed });
      // A clean stop syncs everything first, so its recovery point is where the log ended.
      if (this.cleanStart && log.logEndOffset < checkpointed.recoveryPoint) this.shortened.add(name);
      return log;
    } catch (cause) {
      const failure = asLogFailure(cause);
      this.failures.set(name, failure);
      throw failure;
    } finally {
      this.#onDisk.delete(name);
    }
  }

  *#loadEach(configOf: (found: PartitionOnDisk) => LogConfig): SlicedWork<void> {
    for (const found of this.notLoaded()) {
      yield null;
      const name = partitionName(found.topic, found.partition);
      try {
        yield* this.#load(name, found, configOf(found));
      } catch (error) {
        if (!(error instanceof LogError)) throw error;
        this.#environment.listener.report?.({
          level: 'error',
          partition: name,
          message: `Not loaded: ${error.message}`,
        });
      }
    }
  }

  get(topic: string, partition: number): PartitionLog | undefined {
    return this.#logs.get(partitionName(topic, partition));
  }

  partitions(): Iterable<PartitionLog> {
    return this.#logs.values();
  }

  create(topic: string, partition: number, { topicId, config }: CreatePartitionOptions): PartitionLog {
    const name = requirePartitionName(topic, partition);
    if (this.#logs.has(name) || this.#onDisk.has(name) || this.failures.has(name)) {
      throw new LogError('PARTITION_EXISTS', `${name} exists in ${this.path}`);
    }
    return attempted(() => {
      const { fileSystem: files } = this.#options;
      files.makeDirectory(this.#directoryOf(name));
      if (topicId !== null) writeTopicId(files, this.#directoryOf(name), topicId);
      this.#checkpoints.forget(name);
      const start = { clean: true, fresh: true, recoveryPoint: 0, logStartOffset: 0, highWatermark: 0 };
      const log = atOnce(this.#open({ topic, partition, topicId }, config, start));
      log.noteCreated(this.path);
      return log;
    });
  }

  delete(topic: string, partition: number): void {
    const name = requirePartitionName(topic, partition);
    const log = this.#logs.get(name);
    const directory = this.#setAside(name, 'delete');
    if (directory !== null) this.#removal.removeLater(directory, log?.config.fileDeleteDelayMs ?? 0);
  }

  moveAside(topic: string, partition: number): void {
    this.#setAside(requirePartitionName(topic, partition), 'stray');
  }

  checkpoint(done: FlushCompletion = () => undefined): void {
    this.#checkpoints.saveAll(done);
  }

  applyRetention(): number {
    let deleted = 0;
    for (const log of this.#logs.values()) deleted += log.applyRetention(this.#retentionClock.now());
    return deleted;
  }

  close(options: CloseOptions, done: FlushCompletion): void {
    if (this.#closed) return done(null);
    this.#closed = true;
    for (const cancel of this.#repeating) cancel();
    this.#environment.removal.finish();
    this.#removal.stop();
    const logs = [...this.#logs.values()];
    let failure: LogError | null = null;
    let open = logs.length;
    const closed = (error: LogError | null): void => {
      failure ??= error;
      open -= 1;
      if (open <= 0) this.#finishClose(options, failure, done);
    };
    if (logs.length === 0) return closed(null);
    for (const log of logs) log.close(closed);
    return undefined;
  }

  #finishClose(options: CloseOptions, failure: LogError | null, done: FlushCompletion): void {
    this.#checkpoints.saveAll((error) => {
      let outcome = failure ?? error;
      // Partitions that were never loaded are as clean as they were found.
      const allClean =
        outcome === null &&
        this.failures.size === 0 &&
        this.shortened.size === 0 &&
        (this.cleanStart || this.#onDisk.size === 0);
      if (allClean)
        outcome = failureOf(() => writeCleanShutdownMarker(this.#options.fileSystem, this.path, options));
      this.#lock.release();
      done(outcome);
    });
  }

  *#open(found: PartitionOnDisk, config: LogConfig, from: OpenedFrom): SlicedWork<SegmentedLog> {
    const name = partitionName(found.topic, found.partition);
    const identity = { ...found, directory: this.#directoryOf(name) };
    const log = yield* openPartitionLog(identity, config, from, this.#environment, (done) =>
      this.#checkpoints.saveRecoveryPoints(done),
    );
    this.#logs.set(name, log);
    return log;
  }

  /** Renames a partition's directory out of the way; gives where it is then, null when there is none. */
  #setAside(name: string, reason: AsideReason): string | null {
    const directory = this.#directoryOf(name);
    this.#logs.get(name)?.abandon();
    this.#logs.delete(name);
    this.#onDisk.delete(name);
    this.failures.delete(name);
    this.#checkpoints.forget(name);
    const { fileSystem: files, random } = this.#options;
    return attempted(() => {
      if (files.stat(directory) === null) return null;
      const target = this.#directoryOf(asideDirectoryName(name, random.bytes(16), reason));
      files.rename(directory, target);
      return target;
    });
  }

  /** Whether a clean stop left partitions here that somebody took away since. */
  #hasLostPartitions(): boolean {
    const lost = this.#checkpoints.withRecords().filter((name) => !this.#onDisk.has(name));
    for (const name of lost) this.#warn(`${name} was here at the last clean stop, and is gone`);
    return lost.length > 0;
  }

  /** Looks through the directory: partitions, removals that a crash interrupted, and what is none of ours. */
  #survey(): void {
    const { fileSystem: files } = this.#options;
    for (const { name, kind } of files.readDirectory(this.path)) {
      if (kind !== 'directory') continue;
      const parsed = parsePartitionName(name);
      const aside = asideReasonOf(name);
      if (parsed !== null) {
        this.#onDisk.set(name, { ...parsed, topicId: readTopicId(files, this.#directoryOf(name)) });
      } else if (aside === 'delete') {
        this.#removal.removeLater(this.#directoryOf(name), 0);
      } else {
        this.#warn(`${this.#directoryOf(name)} is no partition; it is left alone`);
      }
    }
  }

  #startRepeating(): void {
    const intervals = { ...DEFAULT_LOG_INTERVALS, ...this.#options.intervals };
    const warned: FlushCompletion = (error) => {
      if (error !== null) this.#warn(`A checkpoint could not be written: ${error.message}`);
    };
    this.#repeat(intervals.retentionCheckMs, () => {
      this.applyRetention();
      for (const log of this.#logs.values()) log.removeExpiredProducers(intervals.producerIdExpirationMs);
    });
    this.#repeat(intervals.recoveryPointCheckpointMs, () => this.#checkpoints.saveRecoveryPoints(warned));
    this.#repeat(intervals.logStartOffsetCheckpointMs, () => this.#checkpoints.saveLogStartOffsets(warned));
    this.#repeat(intervals.highWatermarkCheckpointMs, () => this.#checkpoints.saveHighWatermarks(warned));
  }

  #repeat(intervalMs: number, action: () => void): void {
    const place = this.#repeating.length;
    const arm = (): void => {
      this.#repeating[place] = this.#options.timers.schedule(intervalMs, () => {
        arm();
        action();
      });
    };
    arm();
  }

  #directoryOf(name: string): string {
    return `${this.path}/${name}`;
  }

  #warn(message: string): void {
    this.#environment.listener.report?.({ level: 'warn', message });
  }
}
