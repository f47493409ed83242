import type { SeededRandom } from './seeded-random.ts';

type PendingChange =
  | { readonly kind: 'write'; readonly position: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly size: number };

/** What a disk writes whole: a write that a power cut tears is torn between two of these. */
const SECTOR_BYTES = 512;

/**
 * One file as the page cache and the disk hold it. Changes reach the cache at once and the disk at a sync; what
 * lies between is at the mercy of a power cut.
 */
export class MemoryFile {
  modifiedAt = 0;
  #cached = new Uint8Array(0);
  #durable = new Uint8Array(0);
  #pending: PendingChange[] = [];
  /** The cache holds pages that no sync will bring to the disk any more. */
  #lostPages = false;

  get contents(): Uint8Array {
    return this.#cached;
  }

  get size(): number {
    return this.#cached.length;
  }

  write(position: number, bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const own = bytes.slice();
    this.#cached = overlay(this.#cached, position, own);
    this.#pending.push({ kind: 'write', position, bytes: own });
  }

  truncate(size: number): void {
    this.#cached = resized(this.#cached, size);
    this.#pending.push({ kind: 'truncate', size });
  }

  sync(): void {
    if (this.#lostPages) for (const change of this.#pending) this.#durable = applied(this.#durable, change);
    else this.#durable = this.#cached;
    this.#pending = [];
  }

  /**
   * What Linux does on a failed write-back: the pages count as clean from then on, so that trying again succeeds
   * and saves nothing.
   */
  failSync(): void {
    this.#lostPages = true;
    this.#pending = [];
  }

  /** Drops, tears and reorders what was not synced. */
  losePower(random: SeededRandom): void {
    let disk = this.#durable;
    for (const change of this.#pending) {
      if (change.kind === 'truncate') {
        if (random.oneIn(2)) disk = resized(disk, change.size);
      } else {
        disk = surviving(disk, change.position, change.bytes, random);
      }
    }
    this.#cached = disk;
    this.#durable = disk;
    this.#pending = [];
    this.#lostPages = false;
  }
}

/** Lets all, none, or some sectors of a write reach the disk; what is missing before a survivor reads as zeros. */
function surviving(disk: Uint8Array<ArrayBuffer>, position: number, bytes: Uint8Array, random: SeededRandom) {
  const fate = random.below(4);
  if (fate === 0) return disk;
  if (fate === 1) return overlay(disk, position, bytes);
  if (fate === 2) return overlay(disk, position, bytes.subarray(0, random.below(bytes.length + 1)));
  let result = disk;
  for (let start = 0; start < bytes.length; ) {
    const end = Math.min(bytes.length, start + SECTOR_BYTES - ((position + start) % SECTOR_BYTES));
    if (random.oneIn(2)) result = overlay(result, position + start, bytes.subarray(start, end));
    start = end;
  }
  return result;
}

function applied(disk: Uint8Array<ArrayBuffer>, change: PendingChange): Uint8Array<ArrayBuffer> {
  return change.kind === 'write' ? overlay(disk, change.position, change.bytes) : resized(disk, change.size);
}

function overlay(base: Uint8Array, position: number, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const result = new Uint8Array(Math.max(base.length, position + bytes.length));
  result.set(base);
  result.set(bytes, position);
  return result;
}

function resized(base: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const result = new Uint8Array(size);
  result.set(base.subarray(0, size));
  return result;
}
