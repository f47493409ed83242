/** Lost and unseen writes: the producer was told that they are written, and no consumer ever got them. */
import type { Anomaly } from '../anomaly.ts';
import type { Versions } from '../partition-versions.ts';

export function acknowledgedButNotRead(versions: Versions): readonly Anomaly[] {
  const found: Anomaly[] = [];
  for (const [value, { operation, partition, offset }] of versions.sends) {
    if (operation.outcome !== 'ok' || versions.polled.has(value)) continue;
    const { highestPolled } = versions.of(partition);
    const isPassed = offset !== null && offset < highestPolled;
    const where = offset === null ? 'without an offset' : `at offset ${offset}`;
    found.push({
      kind: isPassed ? 'lost-write' : 'unseen',
      partition,
      message: `${operation.process} was told that ${value} is written ${where}; it was never read, and ${partition} was read up to ${highestPolled}`,
    });
  }
  return found;
}
