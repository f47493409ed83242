/**
 * What is known of each partition: which values lie at which offset, by what producers were told and by what consumers read.
 * Offsets and values are dense, so they index arrays.
 */
import type { Entry, History, Operation, PartitionName } from './history.ts';

export interface Place {
  readonly partition: PartitionName;
  readonly offset: number;
}

export class PartitionVersions {
  readonly name: PartitionName;
  /** By offset: the first value that was told of it. A hole where nothing was. */
  readonly values: number[] = [];
  /** Offsets with a second value: what else was told of them. */
  readonly contradictions = new Map<number, Set<number>>();
  highestPolled = -1;

  constructor(name: PartitionName) {
    this.name = name;
  }

  tell(offset: number, value: number): void {
    const known = this.values[offset];
    if (known === undefined) this.values[offset] = value;
    else if (known !== value) {
      const others = this.contradictions.get(offset);
      if (others === undefined) this.contradictions.set(offset, new Set([value]));
      else others.add(value);
    }
  }

  /** The first offset past this one that is known to hold a value; -1 where there is none. */
  nextAfter(offset: number): number {
    for (let next = offset + 1; next < this.values.length; next += 1) {
      if (this.values[next] !== undefined) return next;
    }
    return -1;
  }
}

export interface SentValue {
  readonly operation: Operation;
  readonly partition: PartitionName;
  readonly offset: number | null;
}

export class Versions {
  readonly partitions = new Map<PartitionName, PartitionVersions>();
  readonly sends = new Map<number, SentValue>();
  /** Values that a consumer got. */
  readonly polled = new Set<number>();

  constructor(history: History) {
    for (const entry of history) this.#take(entry);
  }

  of(partition: PartitionName): PartitionVersions {
    const known = this.partitions.get(partition);
    if (known !== undefined) return known;
    const fresh = new PartitionVersions(partition);
    this.partitions.set(partition, fresh);
    return fresh;
  }

  #take(entry: Entry): void {
    if (entry.kind !== 'operation') return;
    for (const action of entry.actions) {
      const versions = this.of(action.partition);
      if (action.kind === 'send') {
        const { value, partition } = action;
        const offset = entry.outcome === 'ok' ? action.offset : null;
        this.sends.set(value, { operation: entry, partition, offset });
        if (offset !== null) versions.tell(offset, value);
        continue;
      }
      for (const [offset, value] of action.records) {
        versions.tell(offset, value);
        this.polled.add(value);
        if (offset > versions.highestPolled) versions.highestPolled = offset;
      }
    }
  }
}
