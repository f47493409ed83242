import type { FileSystem, FileSystemError } from '@seatlog/runtime';
import { LogError } from './log-error.ts';
import type { LogSegment } from './log-segment.ts';
import type { FlushCompletion } from './partition-log.ts';

export interface SyncerOwner {
  /** Everything below the offset is on the device. */
  synced(offset: number): void;
  /** What was not synced is in doubt for good. */
  syncFailed(error: LogError): void;
}

interface Waiter {
  readonly offset: number;
  readonly done: FlushCompletion;
}

/**
 * Brings what is written to the device: one sync at a time, in which all who came before it share. A failed sync is
 * never tried again: the kernel may have dropped the pages and would answer the next one with success.
 */
export class LogSyncer {
  readonly #files: FileSystem;
  readonly #directory: string;
  /** Directories whose entries changed since the last sync. */
  readonly #changedDirectories = new Set<string>();
  readonly #owner: SyncerOwner;
  /** Segments with unsynced bytes, oldest first. */
  readonly #dirty = new Set<LogSegment>();
  #syncedOffset: number;
  #wantedOffset: number;
  #running = false;
  #paused = false;
  #failure: LogError | null = null;
  #waiters: Waiter[] = [];
  #idle: (() => void)[] = [];

  constructor(files: FileSystem, directory: string, owner: SyncerOwner, syncedOffset: number) {
    this.#files = files;
    this.#directory = directory;
    this.#owner = owner;
    this.#syncedOffset = syncedOffset;
    this.#wantedOffset = syncedOffset;
  }

  get syncedOffset(): number {
    return this.#syncedOffset;
  }

  noteWritten(segment: LogSegment): void {
    segment.dirty = true;
    this.#dirty.add(segment);
  }

  /** A file was created or renamed: its name must last as well as its contents. */
  noteNames(): void {
    this.#changedDirectories.add(this.#directory);
  }

  /** The directory itself is fresh, and its name stands in this one. */
  noteParent(parentDirectory: string): void {
    this.#changedDirectories.add(parentDirectory);
  }

  isSynced(segment: LogSegment): boolean {
    return !this.#dirty.has(segment);
  }

  /** Asks for everything below the offset to be synced; it must be written. */
  request(offset: number, done?: FlushCompletion): void {
    if (this.#failure !== null) return done?.(this.#failure);
    if (done !== undefined) this.#waiters.push({ offset, done });
    this.#wantedOffset = Math.max(this.#wantedOffset, offset);
    return this.#run();
  }

  /** Begins no sync until `resume`; those that are asked for wait. */
  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#run();
  }

  /** Runs the action when no sync is in flight; those that are asked for and not begun wait for it. */
  whenIdle(action: () => void): void {
    if (this.#running) this.#idle.push(action);
    else action();
  }

  /** Syncs everything before returning; nothing may be in flight. */
  syncNow(offset: number): void {
    for (const segment of this.#dirty) segment.file.syncNow();
    for (const directory of this.#changedDirectories) this.#files.syncDirectory(directory);
    for (const segment of this.#dirty) segment.dirty = false;
    this.#dirty.clear();
    this.#changedDirectories.clear();
    this.#syncedOffset = offset;
    this.#wantedOffset = offset;
    this.#release();
  }

  /** The log ends here now; nothing may be in flight. Whoever waits for what is gone is told the error. */
  truncate(offset: number, error: LogError): void {
    this.#syncedOffset = Math.min(this.#syncedOffset, offset);
    this.#wantedOffset = Math.min(this.#wantedOffset, offset);
    const lost = this.#waiters.filter((waiter) => waiter.offset > offset);
    this.#waiters = this.#waiters.filter((waiter) => waiter.offset <= offset);
    for (const { done } of lost) done(error);
  }

  /** The segment is on its way out: what it holds need not last. */
  forget(segment: LogSegment): void {
    this.#dirty.delete(segment);
    segment.dirty = false;
  }

  /** Fails whoever waits; nothing is synced from then on. */
  fail(error: LogError): void {
    this.#failure = error;
    for (const { done } of this.#waiters.splice(0)) done(error);
  }

  #run(): void {
    if (this.#running || this.#paused || this.#failure !== null) return;
    if (this.#wantedOffset <= this.#syncedOffset) return this.#release();
    this.#running = true;
    const target = this.#wantedOffset;
    const segments = [...this.#dirty].filter((segment) => segment.baseOffset < target);
    return this.#syncNext(segments, 0, target);
  }

  #syncNext(segments: readonly LogSegment[], place: number, target: number): void {
    const segment = segments[place];
    if (segment === undefined) return this.#syncNames([...this.#changedDirectories], target);
    // What is written from here on is another sync's matter.
    this.forget(segment);
    segment.hold();
    return segment.file.sync((error) => {
      segment.unhold();
      if (error !== null) this.#fail(error);
      else if (this.#failure !== null) this.#stop();
      else this.#syncNext(segments, place + 1, target);
    });
  }

  #syncNames(directories: readonly string[], target: number): void {
    const [directory, ...others] = directories;
    if (directory === undefined) return this.#finish(target);
    this.#changedDirectories.delete(directory);
    return this.#files.syncDirectoryInBackground(directory, (error) => {
      if (error !== null) this.#fail(error);
      else if (this.#failure !== null) this.#stop();
      else this.#syncNames(others, target);
    });
  }

  #finish(target: number): void {
    this.#running = false;
    this.#syncedOffset = Math.max(this.#syncedOffset, target);
    this.#owner.synced(this.#syncedOffset);
    this.#release();
    if (this.#idle.length > 0) this.#runIdle();
    else this.#run();
  }

  #fail(cause: FileSystemError): void {
    this.#running = false;
    this.#owner.syncFailed(new LogError('LOG_FENCED', `a sync failed: ${cause.message}`, { cause }));
    this.#runIdle();
  }

  /** The log failed or was removed meanwhile: the files that would come next may be gone. */
  #stop(): void {
    this.#running = false;
    this.#runIdle();
  }

  #release(): void {
    const ready = this.#waiters.filter((waiter) => waiter.offset <= this.#syncedOffset);
    if (ready.length === 0) return;
    this.#waiters = this.#waiters.filter((waiter) => waiter.offset > this.#syncedOffset);
    for (const { done } of ready) done(null);
  }

  #runIdle(): void {
    for (const action of this.#idle.splice(0)) action();
    this.#run();
  }
}
