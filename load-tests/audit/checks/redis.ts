/** Redis follows Postgres. A seat that is held with no row is an attempt under way, and no difference. */
import { isLive } from '@seatlog/booking';
import type { AuditFacts } from '../facts.ts';
import { type Violation, violation } from '../violation.ts';

export function checkRedis({ database, locks }: AuditFacts): readonly Violation[] {
  const live = new Map(database.reservations.filter(isLive).map((row) => [row.seatId, row] as const));
  const found: Violation[] = [];
  const sold = new Set<string>();
  for (const { seatId, state, reservationId } of locks) {
    const owner = live.get(seatId)?.reservationId;
    if (state === 'SOLD') sold.add(seatId);
    if (state === 'SOLD' && owner !== reservationId) {
      const message = `${seatId}: Redis says sold as ${reservationId}, Postgres says ${owner ?? 'free'}`;
      found.push(violation('redis-differs', message, [seatId]));
    }
  }
  for (const [seatId, row] of live) {
    if (sold.has(seatId)) continue;
    const message = `${seatId}: Postgres says sold as ${row.reservationId}, Redis does not`;
    found.push(violation('redis-differs', message, [seatId]));
  }
  return found;
}
