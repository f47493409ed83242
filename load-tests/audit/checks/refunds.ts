/** Money: each reservation that ended is refunded once, in full, and announced; nothing else is. */
import { isLive, refundIdOf } from '@seatlog/booking';
import type { AuditFacts } from '../facts.ts';
import { type Violation, violation } from '../violation.ts';

export function checkRefunds({ database, log }: AuditFacts): readonly Violation[] {
  const ended = new Map(
    database.reservations.filter((row) => !isLive(row)).map((row) => [row.reservationId, row] as const),
  );
  const refunds = Map.groupBy(database.refunds, (refund) => refund.reservationId);
  // The relay may publish one message twice; the id tells that it is the same.
  const announced = new Set(log.refundEvents.map(({ value }) => value.refundId));
  const found: Violation[] = [];
  for (const id of ended.keys()) {
    const count = refunds.get(id)?.length ?? 0;
    if (count === 0) found.push(violation('refund-missing', `${id} ended and was not refunded`, [id]));
    if (count > 1) found.push(violation('refund-doubled', `${id} was refunded ${count} times`, [id]));
    if (!announced.has(refundIdOf(id))) {
      found.push(violation('refund-notice-missing', `${id} ended and no refund was announced`, [id]));
    }
  }
  for (const { refundId, reservationId, price } of database.refunds) {
    const reservation = ended.get(reservationId);
    if (reservation === undefined) {
      const message = `Refund ${refundId} of ${reservationId}, which has not ended`;
      found.push(violation('refund-unfounded', message, [refundId, reservationId]));
    } else if (reservation.price.amount !== price.amount || reservation.price.currency !== price.currency) {
      const message = `Refund ${refundId} is not what ${reservationId} cost`;
      found.push(violation('refund-unfounded', message, [refundId, reservationId]));
    }
  }
  return found;
}
