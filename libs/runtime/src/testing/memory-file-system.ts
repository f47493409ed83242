import {
  type Completion,
  type DirectoryEntry,
  type FileHandle,
  type FileLock,
  type FileStat,
  type FileSystem,
  FileSystemError,
  type OpenMode,
} from '../file-system.ts';
import { MemoryFile } from './memory-file.ts';
import { type MemoryDisk, MemoryFileHandle, type WriteOutcome } from './memory-file-handle.ts';
import { concatenate, type MemoryFault, type MemoryOperation, poweredOff } from './memory-operation.ts';
import { MemoryDirectory, MemoryTree, namesOf } from './memory-tree.ts';
import { SeededRandom } from './seeded-random.ts';

export interface MemoryFileSystemOptions {
  /** Decides what survives a crash. */
  readonly random?: SeededRandom;
  /** Completions come at once, or are held until `deliver` is called. */
  readonly completions?: 'at once' | 'held';
  /** Room for file contents; writes beyond it come short and fail with ENOSPC. */
  readonly capacityBytes?: number;
}

export interface CrashOptions {
  /** `process`: all that was written stays. `power`: what was not synced may be lost, torn or reordered. */
  readonly kind: 'process' | 'power';
  /** What a power cut does to what was not synced: chance decides (the default), or all of it is lost. */
  readonly unsynced?: 'by chance' | 'lost';
}

interface HeldCompletion {
  readonly operation: MemoryOperation;
  /** Does the work and calls the completion. */
  readonly deliver: () => void;
  /** What a crash leaves of it. */
  readonly abandon: () => void;
}

/**
 * A disk in memory with the page cache in front of it, with faults and crashes by a seeded choice.
 *
 * A crash is either asked for (`crash`) or set up to fall upon the n-th change from now (`powerOffAfter`): from
 * then on each call throws `EPOWEROFF` and completions stay away, until `crash` brings the machine back.
 * Handles and locks from before a crash are dead.
 */
export class MemoryFileSystem implements FileSystem {
  /** Asked before each operation; gives the fault that it meets, if any. */
  fault: (operation: MemoryOperation) => MemoryFault | undefined = () => undefined;
  completions: 'at once' | 'held';
  capacityBytes: number;

  readonly #random: SeededRandom;
  readonly #tree = new MemoryTree();
  #held: HeldCompletion[] = [];
  #locks = new Set<string>();
  #life = 0;
  #changes = 0;
  #powerOffAt = Number.POSITIVE_INFINITY;

  constructor(options: MemoryFileSystemOptions = {}) {
    this.#random = options.random ?? new SeededRandom(1);
    this.completions = options.completions ?? 'at once';
    this.capacityBytes = options.capacityBytes ?? Number.POSITIVE_INFINITY;
  }

  /** How many changes the disk was asked for so far: the crash points of a run that is repeated. */
  get changes(): number {
    return this.#changes;
  }

  get heldCompletions(): readonly MemoryOperation[] {
    return this.#held.map((held) => held.operation);
  }

  /** Does the held operation (the oldest unless told otherwise) and calls its completion. */
  deliver(index = 0): void {
    this.#held.splice(index, 1)[0]?.deliver();
  }

  deliverAll(): void {
    while (this.#held.length > 0) this.deliver();
  }

  powerOffAfter(changes: number): void {
    this.#powerOffAt = this.#changes + changes;
  }

  get isOff(): boolean {
    return this.#changes > this.#powerOffAt;
  }

  crash(options: CrashOptions): void {
    const random = options.kind === 'power' && options.unsynced === 'lost' ? null : this.#random;
    if (random !== null) for (const held of this.#held) held.abandon();
    this.#held = [];
    this.#locks = new Set();
    this.#life += 1;
    this.#powerOffAt = Number.POSITIVE_INFINITY;
    if (options.kind === 'power') this.#tree.losePower(random);
  }

  open(path: string, mode: OpenMode): FileHandle {
    this.#requirePower('open', path);
    if (this.#tree.find(path) === null && mode === 'create') {
      this.#change({ name: 'create', path, bytes: 0 });
      this.#tree.put(path, new MemoryFile(), 'open');
    }
    return new MemoryFileHandle(path, this.#tree.file(path, 'open'), this.#disk);
  }

  readFile(path: string): Uint8Array {
    this.#requirePower('read', path);
    const file = this.#tree.file(path, 'read');
    this.#meetFault({ name: 'read', path, bytes: file.size });
    return file.contents.slice();
  }

  replaceFile(path: string, bytes: Uint8Array): void {
    const handle = this.open(`${path}.tmp`, 'create');
    handle.truncate(0);
    handle.writeNow([bytes], 0);
    handle.syncNow();
    this.rename(`${path}.tmp`, path);
    this.syncDirectory(parentOf(path));
  }

  replaceFileInBackground(path: string, bytes: Uint8Array, done: Completion): void {
    this.#inBackground(
      { name: 'rename', path, bytes: bytes.length },
      () => this.replaceFile(path, bytes),
      done,
    );
  }

  stat(path: string): FileStat | null {
    this.#requirePower('stat', path);
    const node = this.#tree.find(path);
    if (node === null) return null;
    if (node instanceof MemoryDirectory) return { kind: 'directory', size: 0, modifiedAt: 0 };
    return { kind: 'file', size: node.size, modifiedAt: node.modifiedAt };
  }

  readDirectory(path: string): readonly DirectoryEntry[] {
    this.#requirePower('readdir', path);
    return [...this.#tree.directory(path, 'readdir').cached]
      .map(([name, node]) => ({
        name,
        kind: node instanceof MemoryDirectory ? ('directory' as const) : ('file' as const),
      }))
      .sort((left, right) => (left.name < right.name ? -1 : 1));
  }

  makeDirectory(path: string): void {
    const names = namesOf(path);
    for (let depth = 1; depth <= names.length; depth += 1) {
      const part = `/${names.slice(0, depth).join('/')}`;
      if (this.#tree.find(part) !== null) continue;
      this.#change({ name: 'mkdir', path: part, bytes: 0 });
      this.#tree.put(part, new MemoryDirectory(), 'mkdir');
    }
  }

  syncDirectory(path: string): void {
    const directory = this.#tree.directory(path, 'fsync');
    this.#change({ name: 'syncDirectory', path, bytes: 0 });
    this.#tree.sync(directory);
  }

  syncDirectoryInBackground(path: string, done: Completion): void {
    this.#inBackground({ name: 'syncDirectory', path, bytes: 0 }, () => this.syncDirectory(path), done);
  }

  rename(from: string, to: string): void {
    this.#change({ name: 'rename', path: from, bytes: 0 });
    this.#tree.rename(from, to);
  }

  unlink(path: string): void {
    if (this.#tree.find(path) === null) return;
    this.#change({ name: 'unlink', path, bytes: 0 });
    this.#tree.put(path, null, 'unlink');
  }

  unlinkInBackground(path: string, done: Completion): void {
    this.#inBackground({ name: 'unlink', path, bytes: 0 }, () => this.unlink(path), done);
  }

  removeDirectory(path: string): void {
    if (this.#tree.directory(path, 'rmdir').cached.size > 0) {
      throw new FileSystemError('ENOTEMPTY', 'rmdir', path, 'directory not empty');
    }
    this.#change({ name: 'rmdir', path, bytes: 0 });
    this.#tree.put(path, null, 'rmdir');
  }

  lock(path: string): FileLock {
    if (this.#locks.has(path)) throw new FileSystemError('ELOCKED', 'lock', path, 'held by this process');
    this.open(path, 'create');
    const locks = this.#locks;
    locks.add(path);
    return { release: () => locks.delete(path) };
  }

  /** Edits a file from outside, past faults and crash points, as rot or an operator would; it lasts at once. */
  tamper(path: string, edit: (contents: Uint8Array) => Uint8Array): void {
    const found = this.#tree.find(path);
    const file = found instanceof MemoryFile ? found : new MemoryFile();
    const contents = edit(file.contents.slice());
    file.truncate(0);
    file.write(0, contents);
    file.sync();
    if (found === null) this.#tree.put(path, file, 'tamper');
    this.#tree.syncAll();
  }

  /** What handles ask of the disk that they belong to. */
  readonly #disk: MemoryDisk = {
    life: () => this.#life,
    change: (operation) => this.#change(operation),
    read: (operation) => this.#meetFault(operation),
    write: (file, operation, chunks, position) => this.#write(file, operation, chunks, position),
    sync: (file, path) => this.#sync(file, path),
    inBackground: (operation, action, done) => this.#inBackground(operation, action, done),
    background: (operation, deliver, abandon) => this.#background({ operation, deliver, abandon }),
    random: () => this.#random,
  };

  #write(
    file: MemoryFile,
    operation: MemoryOperation,
    chunks: readonly Uint8Array[],
    position: number,
  ): WriteOutcome {
    this.#requirePower('write', operation.path);
    const bytes = concatenate(chunks);
    this.#changes += 1;
    if (this.isOff) {
      file.write(position, bytes.subarray(0, this.#random.below(bytes.length + 1)));
      throw poweredOff('write', operation.path);
    }
    const fault = this.fault(operation) ?? this.#shortage(file, position + bytes.length);
    if (fault === undefined) {
      file.write(position, bytes);
      return { error: null, written: bytes.length };
    }
    const written = Math.min(fault.written ?? 0, bytes.length);
    file.write(position, bytes.subarray(0, written));
    return { error: faultError(fault, operation), written };
  }

  #shortage(file: MemoryFile, sizeAfter: number): MemoryFault | undefined {
    const growth = Math.max(0, sizeAfter - file.size);
    const room = this.capacityBytes - this.#bytesHeld('/');
    return growth > room ? { code: 'ENOSPC', written: Math.max(0, room) } : undefined;
  }

  #bytesHeld(path: string): number {
    if (this.capacityBytes === Number.POSITIVE_INFINITY) return 0;
    let total = 0;
    for (const [name, node] of this.#tree.directory(path, 'stat').cached) {
      total += node instanceof MemoryFile ? node.size : this.#bytesHeld(`${path}/${name}`);
    }
    return total;
  }

  #sync(file: MemoryFile, path: string): void {
    try {
      this.#change({ name: 'sync', path, bytes: 0 });
    } catch (error) {
      if (!this.isOff) file.failSync();
      throw error;
    }
    file.sync();
  }

  #change(operation: MemoryOperation): void {
    this.#requirePower(operation.name, operation.path);
    this.#changes += 1;
    this.#requirePower(operation.name, operation.path);
    this.#meetFault(operation);
  }

  #meetFault(operation: MemoryOperation): void {
    const fault = this.fault(operation);
    if (fault !== undefined) throw faultError(fault, operation);
  }

  #requirePower(operation: string, path: string): void {
    if (this.isOff) throw poweredOff(operation, path);
  }

  /** Runs the action now or on delivery; after a power cut in the midst of it the completion stays away. */
  #inBackground(operation: MemoryOperation, action: () => void, done: Completion): void {
    this.#background({
      operation,
      deliver: () => {
        const error = this.#outcomeOf(action);
        if (!this.isOff) done(error);
      },
      abandon: () => {
        if (this.#random.oneIn(2)) this.#outcomeOf(action);
      },
    });
  }

  #outcomeOf(action: () => void): FileSystemError | null {
    try {
      action();
      return null;
    } catch (error) {
      if (error instanceof FileSystemError) return error;
      throw error;
    }
  }

  #background(held: HeldCompletion): void {
    if (this.completions === 'held') this.#held.push(held);
    else held.deliver();
  }
}

function parentOf(path: string): string {
  return `/${namesOf(path).slice(0, -1).join('/')}`;
}

function faultError(fault: MemoryFault, operation: MemoryOperation): FileSystemError {
  return new FileSystemError(fault.code, operation.name, operation.path, 'injected fault');
}
