/**
 * A consumer gets the records of a partition in their order and none is passed over, within a poll and from poll to poll. A
 * rebalance or a seek may take it anywhere: it begins anew there.
 */
import type { Anomaly } from '../anomaly.ts';
import type { History, PartitionName } from '../history.ts';
import type { Versions } from '../partition-versions.ts';

export function pollOrder(versions: Versions, history: History): readonly Anomaly[] {
  const found: Anomaly[] = [];
  const positions = new Positions();
  for (const entry of history) {
    if (entry.kind === 'repositioning') {
      positions.forget(entry.process, entry.partitions);
      continue;
    }
    for (const action of entry.actions) {
      if (action.kind !== 'poll') continue;
      const { partition } = action;
      for (const [offset] of action.records) {
        const last = positions.of(entry.process, partition);
        positions.move(entry.process, partition, offset);
        if (last === undefined) continue;
        const reads = `${entry.process} read offset ${offset} of ${partition} after ${last}`;
        if (offset <= last) {
          found.push({ kind: 'nonmonotonic-poll', partition, message: reads });
          continue;
        }
        const next = versions.of(partition).nextAfter(last);
        if (next >= 0 && next < offset) {
          found.push({ kind: 'poll-skip', partition, message: `${reads}, and passed over ${next}` });
        }
      }
    }
  }
  return found;
}

/** The last offset that each process read of each partition. */
class Positions {
  readonly #byProcess = new Map<string, Map<PartitionName, number>>();

  of(process: string, partition: PartitionName): number | undefined {
    return this.#byProcess.get(process)?.get(partition);
  }

  move(process: string, partition: PartitionName, offset: number): void {
    const own = this.#byProcess.get(process);
    if (own === undefined) this.#byProcess.set(process, new Map([[partition, offset]]));
    else own.set(partition, offset);
  }

  forget(process: string, partitions: readonly PartitionName[] | null): void {
    if (partitions === null) this.#byProcess.delete(process);
    else for (const partition of partitions) this.#byProcess.get(process)?.delete(partition);
  }
}
