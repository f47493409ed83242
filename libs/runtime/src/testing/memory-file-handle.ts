import { type Completion, type FileHandle, FileSystemError, type WriteCompletion } from '../file-system.ts';
import type { MemoryFile } from './memory-file.ts';
import { concatenate, type MemoryOperation, poweredOff } from './memory-operation.ts';
import type { SeededRandom } from './seeded-random.ts';

export interface WriteOutcome {
  readonly error: FileSystemError | null;
  readonly written: number;
}

/** What a handle asks of the disk that it belongs to. */
export interface MemoryDisk {
  life(): number;
  change(operation: MemoryOperation): void;
  read(operation: MemoryOperation): void;
  write(
    file: MemoryFile,
    operation: MemoryOperation,
    chunks: readonly Uint8Array[],
    position: number,
  ): WriteOutcome;
  sync(file: MemoryFile, path: string): void;
  inBackground(operation: MemoryOperation, action: () => void, done: Completion): void;
  background(operation: MemoryOperation, deliver: () => void, abandon: () => void): void;
  random(): SeededRandom;
}

/** A file that was opened; dead after a crash. */
export class MemoryFileHandle implements FileHandle {
  readonly path: string;
  readonly #file: MemoryFile;
  readonly #disk: MemoryDisk;
  readonly #life: number;
  #open = true;

  constructor(path: string, file: MemoryFile, disk: MemoryDisk) {
    this.path = path;
    this.#file = file;
    this.#disk = disk;
    this.#life = disk.life();
  }

  size(): number {
    this.#requireAlive('fstat');
    return this.#file.size;
  }

  read(
    buffer: Uint8Array,
    position: number,
    bufferOffset = 0,
    length = buffer.length - bufferOffset,
  ): number {
    this.#requireAlive('read');
    this.#disk.read({ name: 'read', path: this.path, bytes: length });
    const bytes = this.#file.contents.subarray(position, position + length);
    buffer.set(bytes, bufferOffset);
    return bytes.length;
  }

  write(chunks: readonly Uint8Array[], position: number, done: WriteCompletion): void {
    this.#requireAlive('write');
    const operation = this.#operation('write', chunks);
    const deliver = (): void => {
      let outcome: WriteOutcome;
      try {
        outcome = this.#disk.write(this.#file, operation, chunks, position);
      } catch (error) {
        if (error instanceof FileSystemError) return;
        throw error;
      }
      done(outcome.error, outcome.written);
    };
    const abandon = (): void => {
      const bytes = concatenate(chunks);
      this.#file.write(position, bytes.subarray(0, this.#disk.random().below(bytes.length + 1)));
    };
    this.#disk.background(operation, deliver, abandon);
  }

  writeNow(chunks: readonly Uint8Array[], position: number): void {
    this.#requireAlive('write');
    const { error } = this.#disk.write(this.#file, this.#operation('write', chunks), chunks, position);
    if (error !== null) throw error;
  }

  truncate(size: number): void {
    this.#requireAlive('truncate');
    this.#disk.change(this.#operation('truncate', []));
    this.#file.truncate(size);
  }

  sync(done: Completion): void {
    this.#requireAlive('fdatasync');
    this.#disk.inBackground(this.#operation('sync', []), () => this.#disk.sync(this.#file, this.path), done);
  }

  syncNow(): void {
    this.#requireAlive('fdatasync');
    this.#disk.sync(this.#file, this.path);
  }

  close(): void {
    this.#requireAlive('close');
    this.#open = false;
  }

  #operation(name: 'write' | 'truncate' | 'sync', chunks: readonly Uint8Array[]): MemoryOperation {
    return { name, path: this.path, bytes: chunks.reduce((total, chunk) => total + chunk.length, 0) };
  }

  #requireAlive(operation: string): void {
    if (this.#life !== this.#disk.life()) throw poweredOff(operation, this.path);
    if (!this.#open) throw new FileSystemError('EBADF', operation, this.path, 'the handle is closed');
  }
}
