import type { LogSegment } from './log-segment.ts';

/** The segments of a log in order of their offsets; the last is the one that grows. There is always one. */
export class SegmentList {
  #segments: LogSegment[];

  constructor(segments: readonly [LogSegment, ...LogSegment[]]) {
    this.#segments = [...segments];
  }

  get active(): LogSegment {
    const last = this.#segments.at(-1);
    if (last === undefined) throw new Error('a log has at least one segment');
    return last;
  }

  get first(): LogSegment {
    return this.#segments[0] ?? this.active;
  }

  get all(): readonly LogSegment[] {
    return this.#segments;
  }

  get sizeBytes(): number {
    return this.#segments.reduce((total, segment) => total + segment.sizeBytes, 0);
  }

  isActive(segment: LogSegment): boolean {
    return segment === this.active;
  }

  /** Place of the last segment that begins at or before the offset; 0 when all begin later. */
  indexOf(offset: number): number {
    const segments = this.#segments;
    let low = 0;
    let high = segments.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      if ((segments[middle]?.baseOffset ?? 0) <= offset) low = middle + 1;
      else high = middle - 1;
    }
    return Math.max(0, high);
  }

  push(segment: LogSegment): void {
    this.#segments.push(segment);
  }

  /** Takes out the first `count` and gives them. */
  removeFirst(count: number): LogSegment[] {
    return this.#segments.splice(0, count);
  }

  /** Takes out those that begin at or after the offset and gives them. */
  removeFrom(offset: number): LogSegment[] {
    const place = this.#segments.findIndex((segment) => segment.baseOffset >= offset);
    return place < 0 ? [] : this.#segments.splice(place);
  }
}
