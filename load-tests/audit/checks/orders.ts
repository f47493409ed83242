/** An order stands or falls as a whole, and each has ended. */
import { hasFailed, isLive } from '@seatlog/booking';
import type { AuditFacts } from '../facts.ts';
import { type Violation, violation } from '../violation.ts';

export function checkOrders({ database }: AuditFacts): readonly Violation[] {
  const rows = Map.groupBy(database.reservations, (row) => row.orderId);
  const unknown = new Set(rows.keys());
  const found: Violation[] = [];
  for (const order of database.orders) {
    const { orderId, status } = order;
    unknown.delete(orderId);
    const live = (rows.get(orderId) ?? []).filter(isLive).length;
    const wrong = (status === 'CONFIRMED' && live !== order.seats.length) || (hasFailed(order) && live > 0);
    if (status === 'PENDING') {
      found.push(violation('order-unfinished', `Order ${orderId} is PENDING`, [orderId]));
    } else if (wrong) {
      const message = `Order ${orderId} is ${status} with ${live} of ${order.seats.length} seats`;
      found.push(violation('order-inconsistent', message, [orderId]));
    }
  }
  for (const orderId of unknown) {
    found.push(
      violation('order-inconsistent', `Reservations of order ${orderId}, which has no row`, [orderId]),
    );
  }
  return found;
}
