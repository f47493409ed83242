/**
 * Fetches that wait for data, watched at each partition they read. A fetch is looked at again when something happens
 * to one of its partitions that may matter to it: its bound moved (the log end for followers, the high watermark for
 * consumers), or the partition can no longer be read as before. Never by polling; its deadline is the one timer.
 */

/** What a waiting fetch is told by a partition that it watches. */
export interface PartitionWatcher {
  /** The bound that the watcher reads to has moved. */
  dataAvailable(): void;
  /** The partition must be looked at anew: leadership, epoch, log start or existence changed. */
  changed(): void;
}

export class WaitingReads {
  readonly #atLogEnd = new Set<PartitionWatcher>();
  readonly #atHighWatermark = new Set<PartitionWatcher>();

  get count(): number {
    return this.#atLogEnd.size + this.#atHighWatermark.size;
  }

  watchLogEnd(watcher: PartitionWatcher): void {
    this.#atLogEnd.add(watcher);
  }

  watchHighWatermark(watcher: PartitionWatcher): void {
    this.#atHighWatermark.add(watcher);
  }

  forget(watcher: PartitionWatcher): void {
    this.#atLogEnd.delete(watcher);
    this.#atHighWatermark.delete(watcher);
  }

  logEndAdvanced(): void {
    wake(this.#atLogEnd);
  }

  highWatermarkRaised(): void {
    wake(this.#atHighWatermark);
  }

  partitionChanged(): void {
    for (const watcher of [...this.#atLogEnd, ...this.#atHighWatermark]) watcher.changed();
  }
}

/** A watcher that completes leaves the set, and its client's next fetch may join it: both while we go through it. */
function wake(watchers: Set<PartitionWatcher>): void {
  if (watchers.size === 0) return;
  const present = Array.from(watchers);
  for (const watcher of present) watcher.dataAvailable();
}
