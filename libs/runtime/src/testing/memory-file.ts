import type { SeededRandom } from './seeded-random.ts';

type PendingChange =
  | { readonly kind: 'write'; readonly position: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly size: number };

/** What a disk writes whole: a write that a power cut tears is torn between two of these. */
const SECTOR_BYTES = 512;
const SMALLEST_ROOM_BYTES = 4096;

/**
 * One file as the page cache and the disk hold it. Changes reach the cache at once and the disk at a sync; what
 * lies between is at the mercy of a power cut.
 */
export class MemoryFile {
  modifiedAt = 0;
  #cached = new Uint8Array(0);
  #durable = new Uint8Array(0);
  #pending: PendingChange[] = [];
  /** The memory that the cache lies at the start of, with room to grow, and how much of it was ever used. */
  #room = new Uint8Array(0);
  #usedRoom = 0;
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
    if (position === this.#cached.length) this.#append(own);
    else this.#cached = overlay(this.#cached, position, own);
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

  /** Drops, tears and reorders what was not synced; without chance drops all of it. */
  losePower(random: SeededRandom | null): void {
    const disk = random === null ? this.#durable : this.#leftBy(random);
    this.#cached = disk;
    this.#durable = disk;
    this.#pending = [];
    this.#lostPages = false;
  }

  #leftBy(random: SeededRandom): Uint8Array<ArrayBuffer> {
    let disk = this.#durable;
    for (const change of this.#pending) {
      if (change.kind === 'truncate') {
        if (random.oneIn(2)) disk = resized(disk, change.size);
      } else {
        disk = surviving(disk, change.position, change.bytes, random);
      }
    }
    return disk;
  }

  /** In place where there is room behind: what others see of this memory ends before it. */
  #append(bytes: Uint8Array): void {
    const start = this.#cached.length;
    const end = start + bytes.length;
    if (this.#cached.buffer !== this.#room.buffer || this.#usedRoom !== start || end > this.#room.length) {
      this.#room = resized(this.#cached, Math.max(2 * end, SMALLEST_ROOM_BYTES));
    }
    this.#room.set(bytes, start);
    this.#usedRoom = end;
    this.#cached = this.#room.subarray(0, end);
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
