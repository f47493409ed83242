import type { FileSystem } from '@seatlog/runtime';
import { CheckpointFile } from './checkpoint-file.ts';
import type { LogError } from './log-error.ts';
import type { FlushCompletion, PartitionLog } from './partition-log.ts';

/** What the checkpoints say of one partition. */
export interface CheckpointedOffsets {
  readonly recoveryPoint: number;
  readonly logStartOffset: number;
  readonly highWatermark: number;
}

/** The logs that are loaded, by name, and how to warn. */
export interface CheckpointSource {
  logs(): Iterable<readonly [string, PartitionLog]>;
  warn(message: string): void;
}

/**
 * Kafka's three checkpoint files of a log directory. What they say of partitions that are not loaded is kept; a
 * garbled file counts as empty, which costs a longer recovery and loses nothing.
 */
export class DirectoryCheckpoints {
  readonly #source: CheckpointSource;
  readonly #recoveryPoints: CheckpointFile;
  readonly #logStartOffsets: CheckpointFile;
  readonly #highWatermarks: CheckpointFile;
  readonly #stored: ReadonlyMap<CheckpointFile, Map<string, number>>;

  constructor(files: FileSystem, directory: string, source: CheckpointSource) {
    this.#source = source;
    const fileOf = (name: string, offsetOf: (log: PartitionLog) => number): CheckpointFile => {
      const file: CheckpointFile = new CheckpointFile(files, `${directory}/${name}`, () =>
        this.#offsets(file, offsetOf),
      );
      return file;
    };
    this.#recoveryPoints = fileOf('recovery-point-offset-checkpoint', (log) => log.recoveryPoint);
    this.#logStartOffsets = fileOf('log-start-offset-checkpoint', (log) => log.logStartOffset);
    this.#highWatermarks = fileOf('replication-offset-checkpoint', (log) => log.highWatermark);
    this.#stored = new Map(this.#all().map((file) => [file, this.#read(file)]));
  }

  of(name: string): CheckpointedOffsets {
    return {
      recoveryPoint: this.#stored.get(this.#recoveryPoints)?.get(name) ?? 0,
      logStartOffset: this.#stored.get(this.#logStartOffsets)?.get(name) ?? 0,
      highWatermark: this.#stored.get(this.#highWatermarks)?.get(name) ?? 0,
    };
  }

  /** Partitions that had records when the checkpoint was written. */
  withRecords(): readonly string[] {
    const recoveryPoints = this.#stored.get(this.#recoveryPoints) ?? new Map<string, number>();
    return [...recoveryPoints]
      .filter(([name, end]) => end > this.of(name).logStartOffset)
      .map(([name]) => name);
  }

  /** The partition is gone: nothing is to be kept of it. */
  forget(name: string): void {
    for (const offsets of this.#stored.values()) offsets.delete(name);
  }

  saveRecoveryPoints(done: FlushCompletion): void {
    this.#recoveryPoints.write(done);
  }

  saveLogStartOffsets(done: FlushCompletion): void {
    this.#logStartOffsets.write(done);
  }

  saveHighWatermarks(done: FlushCompletion): void {
    this.#highWatermarks.write(done);
  }

  saveAll(done: FlushCompletion): void {
    let first: LogError | null = null;
    let open = this.#all().length;
    for (const file of this.#all()) {
      file.write((error) => {
        first ??= error;
        open -= 1;
        if (open === 0) done(first);
      });
    }
  }

  #all(): CheckpointFile[] {
    return [this.#recoveryPoints, this.#logStartOffsets, this.#highWatermarks];
  }

  #read(file: CheckpointFile): Map<string, number> {
    const offsets = file.read();
    if (offsets === null) this.#source.warn(`${file.path} is garbled and taken to be empty`);
    return offsets ?? new Map();
  }

  #offsets(file: CheckpointFile, offsetOf: (log: PartitionLog) => number): Map<string, number> {
    const offsets = new Map(this.#stored.get(file));
    for (const [name, log] of this.#source.logs()) offsets.set(name, offsetOf(log));
    return offsets;
  }
}
