/** Duplicates: a value that was sent once lies at two places. */
import type { Anomaly } from '../anomaly.ts';
import type { Place, PartitionVersions, Versions } from '../partition-versions.ts';

export function duplicates(versions: Versions): readonly Anomaly[] {
  const places = new Map<number, Place>();
  const again = new Map<number, Place[]>();
  for (const partition of versions.partitions.values()) {
    for (const [offset, value] of toldOf(partition)) {
      const place = { partition: partition.name, offset };
      const first = places.get(value);
      if (first === undefined) places.set(value, place);
      else again.set(value, [...(again.get(value) ?? [first]), place]);
    }
  }
  return [...again].map(([value, all]) => ({
    kind: 'duplicate',
    partition: all[0]?.partition ?? null,
    message: `${value} lies at ${all.map(({ partition, offset }) => `${partition}@${offset}`).join(' and ')}`,
  }));
}

function* toldOf({ values, contradictions }: PartitionVersions): Generator<readonly [number, number]> {
  for (const [offset, value] of values.entries()) if (value !== undefined) yield [offset, value];
  for (const [offset, others] of contradictions) for (const value of others) yield [offset, value];
}
