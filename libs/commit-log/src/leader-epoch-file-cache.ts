import { type FileSystem, FileSystemError } from '@seatlog/runtime';
import type { BackgroundWrites } from './background-writes.ts';
import { decodeCheckpoint, encodeCheckpoint, parseCount } from './checkpoint-text.ts';
import { LeaderEpochCache } from './leader-epoch-cache.ts';
import type { LogEnvironment } from './log-environment.ts';
import type { LeaderEpochEntry } from './partition-log.ts';

const FILE_NAME = 'leader-epoch-checkpoint';

/**
 * A leader epoch cache with its file, `leader-epoch-checkpoint`. Changes are written in the background, one write
 * at a time, the latest state winning; until it is on disk the recovery point stays where it is, so that a start
 * after a crash finds the missing epochs again in the batches behind it.
 */
export class LeaderEpochFileCache {
  readonly cache: LeaderEpochCache;
  readonly #files: FileSystem;
  readonly #writes: BackgroundWrites;
  readonly #path: string;
  readonly #settled: (error: FileSystemError | null) => void;
  #dirty = false;
  #writing = false;
  #idle: (() => void)[] = [];

  /** `settled` is called after each background write, with its error. */
  constructor(
    { files, backgroundWrites }: Pick<LogEnvironment, 'files' | 'backgroundWrites'>,
    directory: string,
    entries: readonly LeaderEpochEntry[],
    settled: (error: FileSystemError | null) => void,
  ) {
    this.cache = new LeaderEpochCache(entries);
    this.#files = files;
    this.#writes = backgroundWrites;
    this.#path = leaderEpochPath(directory);
    this.#settled = settled;
  }

  /** Whether the file holds what the cache holds. */
  get saved(): boolean {
    return !this.#dirty && !this.#writing;
  }

  /** To be called after a change of the cache. */
  saveInBackground(): void {
    this.#dirty = true;
    if (!this.#writing) this.#write();
  }

  /** Brings the file up to date before returning; nothing may be in flight (`whenIdle`). */
  save(): void {
    this.#files.replaceFile(this.#path, encodeLeaderEpochs(this.cache.entries));
    this.#dirty = false;
  }

  whenIdle(action: () => void): void {
    if (this.#writing) this.#idle.push(action);
    else action();
  }

  #write(): void {
    this.#writing = true;
    this.#writes.run((over) => {
      this.#dirty = false;
      this.#files.replaceFileInBackground(this.#path, encodeLeaderEpochs(this.cache.entries), (error) => {
        this.#writing = false;
        this.#written(error);
        over();
      });
    });
  }

  #written(error: FileSystemError | null): void {
    if (error !== null) this.#dirty = true;
    else if (this.#dirty && this.#idle.length === 0) return this.#write();
    this.#settled(error);
    for (const action of this.#idle.splice(0)) action();
    return undefined;
  }
}

export function encodeLeaderEpochs(entries: readonly LeaderEpochEntry[]): Uint8Array {
  return encodeCheckpoint(entries.map((entry) => `${entry.epoch} ${entry.startOffset}`));
}

/** Null when the bytes are no such checkpoint, or its entries do not rise. */
export function decodeLeaderEpochs(bytes: Uint8Array): LeaderEpochEntry[] | null {
  const rows = decodeCheckpoint(bytes, 2);
  if (rows === null) return null;
  const entries: LeaderEpochEntry[] = [];
  for (const [epochText, offsetText] of rows) {
    const epoch = parseCount(epochText);
    const startOffset = parseCount(offsetText);
    const last = entries.at(-1);
    if (epoch === null || startOffset === null) return null;
    if (last !== undefined && (epoch <= last.epoch || startOffset <= last.startOffset)) return null;
    entries.push({ epoch, startOffset });
  }
  return entries;
}

export type StoredEpochs =
  | { readonly kind: 'found'; readonly entries: readonly LeaderEpochEntry[] }
  | { readonly kind: 'missing' }
  | { readonly kind: 'garbled' };

export function readLeaderEpochs(files: FileSystem, directory: string): StoredEpochs {
  let bytes: Uint8Array;
  try {
    bytes = files.readFile(leaderEpochPath(directory));
  } catch (error) {
    if (error instanceof FileSystemError && error.code === 'ENOENT') return { kind: 'missing' };
    throw error;
  }
  const entries = decodeLeaderEpochs(bytes);
  return entries === null ? { kind: 'garbled' } : { kind: 'found', entries };
}

function leaderEpochPath(directory: string): string {
  return `${directory}/${FILE_NAME}`;
}
