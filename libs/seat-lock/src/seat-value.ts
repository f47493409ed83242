/** The value of a seat's key, as lua/prelude.lua writes it. */
export type SeatState =
  | { readonly state: 'FREE' }
  | {
      readonly state: 'HELD';
      readonly epoch: number;
      readonly orderId: string;
      readonly userId: string;
      /** Milliseconds since the epoch, by the clock of Redis. */
      readonly lockedUntil: number;
    }
  | {
      readonly state: 'SOLD';
      readonly epoch: number;
      readonly orderId: string;
      readonly reservationId: string;
    };

const FREE: SeatState = { state: 'FREE' };

export function parseSeatValue(value: string | null): SeatState {
  if (value === null) return FREE;
  const [kind, epoch, orderId = '', owner = '', , , lockedUntil] = value.split('|');
  if (kind === 'S') return { state: 'SOLD', epoch: Number(epoch), orderId, reservationId: owner };
  return {
    state: 'HELD',
    epoch: Number(epoch),
    orderId,
    userId: owner,
    lockedUntil: Number(lockedUntil),
  };
}
