/** Reads of what should not be there: aborted or refused, or never sent at all. */
import type { Anomaly } from '../anomaly.ts';
import type { History } from '../history.ts';
import type { Versions } from '../partition-versions.ts';

export function groundlessReads(versions: Versions, history: History): readonly Anomaly[] {
  const found = new Map<number, Anomaly>();
  for (const entry of history) {
    if (entry.kind !== 'operation') continue;
    for (const action of entry.actions) {
      if (action.kind !== 'poll') continue;
      for (const [offset, value] of action.records) {
        const sent = versions.sends.get(value);
        if (sent !== undefined && sent.operation.outcome !== 'failed') continue;
        const why =
          sent === undefined ? 'which nobody sent' : `whose send by ${sent.operation.process} failed`;
        found.set(value, {
          kind: sent === undefined ? 'unsent-read' : 'aborted-read',
          partition: action.partition,
          message: `${entry.process} read ${value} at offset ${offset} of ${action.partition}, ${why}`,
        });
      }
    }
  }
  return [...found.values()];
}
