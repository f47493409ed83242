/** How many partitions the topics of a group have, as its leader last dealt them out. */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { Cluster } from '../cluster/cluster.ts';

/** Of a topic that is not there; with any other error what was known before still holds. */
const GONE: ReadonlySet<number> = new Set([ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID]);
const METADATA_TIMEOUT_MS = 10_000;

export class PartitionCounts {
  readonly #cluster: Cluster;
  #dealt: ReadonlyMap<string, number> = new Map();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Fresh from the cluster. Topics that do not exist (yet) are left out: their coming is a change. */
  async of(topics: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const names = [...new Set(topics)];
    const deadline = this.#cluster.settings.ports.clock.monotonic() + METADATA_TIMEOUT_MS;
    for (const name of names) this.#cluster.usableTopic(name);
    await this.#cluster.refresh({ deadline });
    const counts = new Map<string, number>();
    for (const name of names) {
      const count = this.#countOf(name);
      if (count > 0) counts.set(name, count);
    }
    this.#dealt = new Map(names.map((name) => [name, counts.get(name) ?? 0]));
    return counts;
  }

  /** Whether the metadata shows other counts than those dealt out. */
  haveChanged(): boolean {
    for (const [name, count] of this.#dealt) if (this.#countOf(name) !== count) return true;
    return false;
  }

  /** Whether a topic was missing when the partitions were dealt out. */
  get someMissing(): boolean {
    return [...this.#dealt.values()].includes(0);
  }

  #countOf(name: string): number {
    const state = this.#cluster.metadata.topic(name);
    return state === undefined || GONE.has(state.errorCode) ? 0 : state.partitions.length;
  }
}
