/** Who waits at a partition, by the token that names the wait to its leader. */

/** `lowWatermark` counts for deletions alone. */
export type WaitEnd = (errorCode: number, lowWatermark: number) => void;

export class PartitionWaits {
  readonly #ends = new Map<number, WaitEnd>();
  #lastToken = 0;

  add(end: WaitEnd): number {
    this.#lastToken += 1;
    this.#ends.set(this.#lastToken, end);
    return this.#lastToken;
  }

  has(token: number): boolean {
    return this.#ends.has(token);
  }

  take(token: number): WaitEnd | undefined {
    const end = this.#ends.get(token);
    this.#ends.delete(token);
    return end;
  }
}
