/** What one process sends to one partition lies there in the order in which it was sent. */
import type { Anomaly } from '../anomaly.ts';
import type { History } from '../history.ts';
import type { Versions } from '../partition-versions.ts';

export function sendOrder(_versions: Versions, history: History): readonly Anomaly[] {
  const found: Anomaly[] = [];
  const last = new Map<string, { readonly value: number; readonly offset: number }>();
  for (const entry of history) {
    if (entry.kind !== 'operation' || entry.outcome !== 'ok') continue;
    for (const action of entry.actions) {
      if (action.kind !== 'send' || action.offset === null) continue;
      const { partition, value, offset } = action;
      const lane = `${entry.process} ${partition}`;
      const before = last.get(lane);
      if (before !== undefined && offset <= before.offset) {
        found.push({
          kind: 'nonmonotonic-send',
          partition,
          message: `${entry.process} sent ${before.value} and then ${value} to ${partition}: offsets ${before.offset} and ${offset}`,
        });
      }
      last.set(lane, { value, offset });
    }
  }
  return found;
}
