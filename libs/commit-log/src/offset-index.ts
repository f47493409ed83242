/**
 * From offsets to file positions, sparsely: an entry is a batch's LAST offset, relative to the segment's base, and
 * the position of that batch. On disk 8 bytes an entry, big endian. Kept in memory in two typed arrays, so that a
 * lookup touches no file.
 */
export class OffsetIndex {
  static readonly ENTRY_BYTES = 8;

  #offsets = new Uint32Array(INITIAL_ENTRIES);
  #positions = new Uint32Array(INITIAL_ENTRIES);
  #count = 0;

  get entryCount(): number {
    return this.#count;
  }

  /** Relative; -1 when there is no entry. */
  get lastOffset(): number {
    return this.#count === 0 ? -1 : this.offsetAt(this.#count - 1);
  }

  /** -1 when there is no entry. */
  get lastPosition(): number {
    return this.#count === 0 ? -1 : this.positionAt(this.#count - 1);
  }

  get memoryBytes(): number {
    return this.#offsets.byteLength + this.#positions.byteLength;
  }

  offsetAt(entry: number): number {
    return this.#offsets[entry] ?? 0;
  }

  positionAt(entry: number): number {
    return this.#positions[entry] ?? 0;
  }

  append(relativeOffset: number, position: number): void {
    if (this.#count === this.#offsets.length) this.#grow();
    this.#offsets[this.#count] = relativeOffset;
    this.#positions[this.#count] = position;
    this.#count += 1;
  }

  /** The position of the greatest entry not above the offset; 0, the segment's beginning, when there is none. */
  lookup(relativeOffset: number): number {
    const entry = this.#greatestNotAbove(relativeOffset);
    return entry < 0 ? 0 : this.positionAt(entry);
  }

  /** Keeps entries of batches that end before the offset. */
  truncate(relativeOffset: number): void {
    while (this.#count > 0 && this.lastOffset >= relativeOffset) this.#count -= 1;
  }

  /** The entries from `first` on, as they stand in the file. */
  encode(first = 0): Uint8Array {
    const bytes = new Uint8Array((this.#count - first) * OffsetIndex.ENTRY_BYTES);
    const view = new DataView(bytes.buffer);
    for (let entry = first, at = 0; entry < this.#count; entry += 1, at += OffsetIndex.ENTRY_BYTES) {
      view.setUint32(at, this.offsetAt(entry));
      view.setUint32(at + 4, this.positionAt(entry));
    }
    return bytes;
  }

  /** Null unless it is whole entries, rising in offset and position. */
  static decode(bytes: Uint8Array): OffsetIndex | null {
    if (bytes.length % OffsetIndex.ENTRY_BYTES !== 0) return null;
    const count = bytes.length / OffsetIndex.ENTRY_BYTES;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const offsets = new Uint32Array(Math.max(count, INITIAL_ENTRIES));
    const positions = new Uint32Array(Math.max(count, INITIAL_ENTRIES));
    let previousOffset = -1;
    let previousPosition = -1;
    for (let entry = 0, at = 0; entry < count; entry += 1, at += OffsetIndex.ENTRY_BYTES) {
      const offset = view.getInt32(at);
      const position = view.getInt32(at + 4);
      if (offset <= previousOffset || position <= previousPosition) return null;
      offsets[entry] = previousOffset = offset;
      positions[entry] = previousPosition = position;
    }
    const index = new OffsetIndex();
    index.#offsets = offsets;
    index.#positions = positions;
    index.#count = count;
    return index;
  }

  #greatestNotAbove(relativeOffset: number): number {
    const offsets = this.#offsets;
    let low = 0;
    let high = this.#count - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      if ((offsets[middle] ?? 0) <= relativeOffset) low = middle + 1;
      else high = middle - 1;
    }
    return high;
  }

  #grow(): void {
    const offsets = new Uint32Array(this.#offsets.length * 2);
    const positions = new Uint32Array(this.#positions.length * 2);
    offsets.set(this.#offsets);
    positions.set(this.#positions);
    this.#offsets = offsets;
    this.#positions = positions;
  }
}

const INITIAL_ENTRIES = 16;
