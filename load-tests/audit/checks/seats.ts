/** Seats and reservations as Postgres has them: nothing sold twice, nothing recorded twice. */
import { isLive } from '@seatlog/booking';
import type { AuditFacts } from '../facts.ts';
import { type Violation, violation } from '../violation.ts';

export function checkSeats({ database }: AuditFacts): readonly Violation[] {
  const { reservations, seatIds } = database;
  const live = Map.groupBy(reservations.filter(isLive), (row) => row.seatId);
  const byId = Map.groupBy(reservations, (row) => row.reservationId);
  const seats = new Set(seatIds);
  return [
    ...[...live]
      .filter(([, rows]) => rows.length > 1)
      .map(([seatId, rows]) =>
        violation('double-sold', `${seatId} is sold ${rows.length} times`, [
          seatId,
          ...rows.map((row) => row.reservationId),
        ]),
      ),
    ...[...byId]
      .filter(([, rows]) => rows.length > 1)
      .map(([id, rows]) => violation('row-doubled', `${id} is recorded ${rows.length} times`, [id])),
    ...reservations
      .filter((row) => !seats.has(row.seatId))
      .map((row) =>
        violation('unknown-seat', `${row.seatId} does not exist`, [row.seatId, row.reservationId]),
      ),
  ];
}
