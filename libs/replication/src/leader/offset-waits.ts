/**
 * Requests that wait until an offset that only rises has reached theirs: produces for the high watermark, record
 * deletions for the lowest log start. In the order of their offsets; each is given out once.
 */
export interface OffsetWait {
  /** The caller's name for the request; no two waits of a partition have the same. */
  readonly token: number;
  readonly requiredOffset: number;
}

export class OffsetWaits {
  #waiting: OffsetWait[] = [];

  get count(): number {
    return this.#waiting.length;
  }

  add(wait: OffsetWait): void {
    // Offsets mostly rise from call to call; a producer's retry may wait for an earlier one.
    let place = this.#waiting.length;
    while (place > 0 && (this.#waiting[place - 1]?.requiredOffset ?? 0) > wait.requiredOffset) place -= 1;
    this.#waiting.splice(place, 0, wait);
  }

  /** Takes out what the offset has reached. */
  takeReached(offset: number): readonly OffsetWait[] {
    let reached = 0;
    while ((this.#waiting[reached]?.requiredOffset ?? Number.POSITIVE_INFINITY) <= offset) reached += 1;
    return reached === 0 ? [] : this.#waiting.splice(0, reached);
  }

  /** Takes one out; undefined if it is no longer there. */
  take(token: number): OffsetWait | undefined {
    const place = this.#waiting.findIndex((wait) => wait.token === token);
    return place < 0 ? undefined : this.#waiting.splice(place, 1)[0];
  }

  takeAll(): readonly OffsetWait[] {
    return this.#waiting.splice(0);
  }
}
