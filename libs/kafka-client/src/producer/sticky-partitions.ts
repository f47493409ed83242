/**
 * Records without a key go to one partition until its batch is closed, then to the next one that has a leader (K12): batches
 * stay large and partitions get equal shares. Pure.
 */
export class StickyPartitions {
  readonly #fraction: () => number;
  #partition = -1;
  #batch: object | null = null;

  constructor(fraction: () => number) {
    this.#fraction = fraction;
  }

  /** `openBatch` tells the batch that is open for a partition, if there is one. */
  choose(
    available: readonly number[],
    partitionCount: number,
    openBatch: (partition: number) => object | null,
  ): number {
    if (this.#partition >= 0) {
      const open = openBatch(this.#partition);
      if (open !== null && open === this.#batch && available.includes(this.#partition))
        return this.#partition;
      this.#partition = this.#next(available, partitionCount);
    } else {
      this.#partition = this.#first(available, partitionCount);
    }
    return this.#partition;
  }

  /** Told which batch the record went into. */
  wentInto(partition: number, batch: object): void {
    if (partition === this.#partition) this.#batch = batch;
  }

  #first(available: readonly number[], partitionCount: number): number {
    const pick = Math.floor(this.#fraction() * (available.length || partitionCount));
    return available[pick] ?? pick;
  }

  #next(available: readonly number[], partitionCount: number): number {
    if (available.length === 0) return (this.#partition + 1) % partitionCount;
    return available.find((partition) => partition > this.#partition) ?? (available[0] as number);
  }
}
