/**
 * From timestamps to offsets, sparsely: an entry (timestamp, relative offset) says that the greatest timestamp up to
 * and with the batch whose last offset it is, is this one. On disk 12 bytes an entry, big endian.
 */
export class TimeIndex {
  static readonly ENTRY_BYTES = 12;

  #timestamps = new Float64Array(INITIAL_ENTRIES);
  #offsets = new Uint32Array(INITIAL_ENTRIES);
  #count = 0;

  get entryCount(): number {
    return this.#count;
  }

  /** -1 when there is no entry. */
  get lastTimestamp(): number {
    return this.#count === 0 ? -1 : (this.#timestamps[this.#count - 1] ?? -1);
  }

  /** Relative; -1 when there is no entry. */
  get lastOffset(): number {
    return this.#count === 0 ? -1 : (this.#offsets[this.#count - 1] ?? -1);
  }

  get memoryBytes(): number {
    return this.#timestamps.byteLength + this.#offsets.byteLength;
  }

  /** Adds an entry if the timestamp is above the last one. */
  maybeAppend(timestamp: number, relativeOffset: number): void {
    if (timestamp <= this.lastTimestamp || relativeOffset < this.lastOffset) return;
    if (this.#count === this.#timestamps.length) this.#grow();
    this.#timestamps[this.#count] = timestamp;
    this.#offsets[this.#count] = relativeOffset;
    this.#count += 1;
  }

  /** The relative offset of the greatest entry not above the timestamp: what is before it is older. 0 for none. */
  lookup(timestamp: number): number {
    let low = 0;
    let high = this.#count - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      if ((this.#timestamps[middle] ?? 0) <= timestamp) low = middle + 1;
      else high = middle - 1;
    }
    return high < 0 ? 0 : (this.#offsets[high] ?? 0);
  }

  /** Keeps entries of batches that end before the offset. */
  truncate(relativeOffset: number): void {
    while (this.#count > 0 && this.lastOffset >= relativeOffset) this.#count -= 1;
  }

  /** The entries from `first` on, as they stand in the file. */
  encode(first = 0): Uint8Array {
    const bytes = new Uint8Array((this.#count - first) * TimeIndex.ENTRY_BYTES);
    const view = new DataView(bytes.buffer);
    for (let entry = first, at = 0; entry < this.#count; entry += 1, at += TimeIndex.ENTRY_BYTES) {
      const timestamp = this.#timestamps[entry] ?? 0;
      view.setUint32(at, Math.floor(timestamp / TWO_POW_32));
      view.setUint32(at + 4, timestamp % TWO_POW_32);
      view.setUint32(at + 8, this.#offsets[entry] ?? 0);
    }
    return bytes;
  }

  /** Null unless it is whole entries, timestamps rising, offsets not falling. */
  static decode(bytes: Uint8Array): TimeIndex | null {
    if (bytes.length % TimeIndex.ENTRY_BYTES !== 0) return null;
    const index = new TimeIndex();
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at < bytes.length; at += TimeIndex.ENTRY_BYTES) {
      const timestamp = view.getInt32(at) * TWO_POW_32 + view.getUint32(at + 4);
      const relativeOffset = view.getInt32(at + 8);
      if (timestamp <= index.lastTimestamp || relativeOffset < index.lastOffset || relativeOffset < 0)
        return null;
      index.maybeAppend(timestamp, relativeOffset);
    }
    return index;
  }

  #grow(): void {
    const timestamps = new Float64Array(this.#timestamps.length * 2);
    const offsets = new Uint32Array(this.#offsets.length * 2);
    timestamps.set(this.#timestamps);
    offsets.set(this.#offsets);
    this.#timestamps = timestamps;
    this.#offsets = offsets;
  }
}

const INITIAL_ENTRIES = 16;
const TWO_POW_32 = 2 ** 32;
