/** Once the system is at rest, nothing waits anywhere. */
import type { AuditFacts } from '../facts.ts';
import { type Violation, violation } from '../violation.ts';

export function checkLeftovers({ database, log, lags }: AuditFacts): readonly Violation[] {
  return [
    ...database.outbox.map((id) => violation('outbox-not-empty', `Message ${id} was not published`, [id])),
    ...database.parked.map((id) => violation('parked-record', `Record ${id} was set aside`, [id])),
    ...log.deadLetters.map(({ partition, offset }) =>
      violation('dead-letter', `Dead letter at ${partition}@${offset}`, [`${partition}@${offset}`]),
    ),
    ...lags
      .filter(({ lag }) => lag !== 0)
      .map(({ group, topic, partition, lag }) =>
        violation('lag', `${group} is ${lag} records behind on ${topic}-${partition}`, [
          group,
          `${topic}-${partition}`,
        ]),
      ),
  ];
}
