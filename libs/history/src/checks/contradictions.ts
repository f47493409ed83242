/** Inconsistent offsets: an offset holds one record for ever, so nobody may be told two values of it. */
import type { Anomaly } from '../anomaly.ts';
import type { Versions } from '../partition-versions.ts';

export function contradictions(versions: Versions): readonly Anomaly[] {
  return [...versions.partitions.values()].flatMap(({ name, values, contradictions: told }) =>
    [...told].map(([offset, others]): Anomaly => {
      const all = [values[offset], ...others].join(', ');
      return {
        kind: 'inconsistent-offsets',
        partition: name,
        message: `offset ${offset} of ${name} was told to hold ${all}`,
      };
    }),
  );
}
