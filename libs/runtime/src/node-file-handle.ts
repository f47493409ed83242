import * as fs from 'node:fs';
import type { Completion, FileHandle, WriteCompletion } from './file-system.ts';
import { asFileSystemError } from './node-errors.ts';

/**
 * Up to this many bytes a write is made at once: the hop to the thread pool costs more than it. Above, the pool
 * takes it, so that no single write keeps the event loop for long.
 */
const SYNCHRONOUS_WRITE_LIMIT_BYTES = 256 * 1024;

/** POSIX promises no more buffers than this in one vectored write. */
const BUFFERS_PER_WRITE = 1024;

export class NodeFileHandle implements FileHandle {
  readonly path: string;
  readonly #descriptor: number;

  constructor(path: string, descriptor: number) {
    this.path = path;
    this.#descriptor = descriptor;
  }

  size(): number {
    return this.#attempt('fstat', () => fs.fstatSync(this.#descriptor).size);
  }

  read(
    buffer: Uint8Array,
    position: number,
    bufferOffset = 0,
    length = buffer.length - bufferOffset,
  ): number {
    let total = 0;
    try {
      while (total < length) {
        const count = fs.readSync(
          this.#descriptor,
          buffer,
          bufferOffset + total,
          length - total,
          position + total,
        );
        if (count === 0) break;
        total += count;
      }
    } catch (cause) {
      throw asFileSystemError('read', this.path, cause);
    }
    return total;
  }

  write(chunks: readonly Uint8Array[], position: number, done: WriteCompletion): void {
    if (totalLength(chunks) > SYNCHRONOUS_WRITE_LIMIT_BYTES) {
      this.#writeInPool(chunks, position, 0, done);
      return;
    }
    const written = { bytes: 0 };
    try {
      this.#writeAtOnce(chunks, position, written);
    } catch (cause) {
      done(asFileSystemError('write', this.path, cause), written.bytes);
      return;
    }
    done(null, written.bytes);
  }

  writeNow(chunks: readonly Uint8Array[], position: number): void {
    this.#attempt('write', () => this.#writeAtOnce(chunks, position, { bytes: 0 }));
  }

  truncate(size: number): void {
    this.#attempt('truncate', () => fs.ftruncateSync(this.#descriptor, size));
  }

  sync(done: Completion): void {
    fs.fdatasync(this.#descriptor, (cause) => {
      done(cause === null ? null : asFileSystemError('fdatasync', this.path, cause));
    });
  }

  syncNow(): void {
    this.#attempt('fdatasync', () => fs.fdatasyncSync(this.#descriptor));
  }

  close(): void {
    this.#attempt('close', () => fs.closeSync(this.#descriptor));
  }

  /** Out of room, the system first answers with a short count and only then with the error: hence the loop. */
  #writeAtOnce(chunks: readonly Uint8Array[], position: number, written: { bytes: number }): void {
    let rest = chunks;
    while (rest.length > 0) {
      const only = rest.length === 1 ? rest[0] : undefined;
      const count =
        only === undefined
          ? fs.writevSync(this.#descriptor, rest.slice(0, BUFFERS_PER_WRITE), position + written.bytes)
          : fs.writeSync(this.#descriptor, only, 0, only.length, position + written.bytes);
      written.bytes += count;
      rest = after(rest, count);
    }
  }

  #writeInPool(
    chunks: readonly Uint8Array[],
    position: number,
    written: number,
    done: WriteCompletion,
  ): void {
    const part = chunks.length > BUFFERS_PER_WRITE ? chunks.slice(0, BUFFERS_PER_WRITE) : chunks;
    fs.writev(this.#descriptor, part, position, (cause, count) => {
      if (cause !== null) {
        done(asFileSystemError('write', this.path, cause), written);
        return;
      }
      const rest = after(chunks, count);
      if (rest.length === 0) done(null, written + count);
      else this.#writeInPool(rest, position + count, written + count, done);
    });
  }

  #attempt<Result>(operation: string, action: () => Result): Result {
    try {
      return action();
    } catch (cause) {
      throw asFileSystemError(operation, this.path, cause);
    }
  }
}

function totalLength(chunks: readonly Uint8Array[]): number {
  let total = 0;
  for (const chunk of chunks) total += chunk.length;
  return total;
}

/** What remains of the chunks once `count` bytes of them are written; empty chunks at its head are dropped. */
function after(chunks: readonly Uint8Array[], count: number): readonly Uint8Array[] {
  let remaining = count;
  for (let index = 0; index < chunks.length; index += 1) {
    const chunk = chunks[index];
    if (chunk === undefined) break;
    if (remaining < chunk.length) return [chunk.subarray(remaining), ...chunks.slice(index + 1)];
    remaining -= chunk.length;
  }
  return [];
}
