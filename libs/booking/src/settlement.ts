/** What the database decided about a seat, for those who keep a copy: the seat lock, the seat map. */
interface SeatOfReservation {
  readonly seatId: string;
  readonly orderId: string;
  readonly reservationId: string;
  readonly epoch: number;
}

export type SeatSettlement =
  /** The reservation holds the seat. */
  | ({ readonly kind: 'sold' } & SeatOfReservation)
  /** The reservation was cancelled. */
  | ({ readonly kind: 'freed' } & SeatOfReservation)
  /** The reservation was refused; `owner` is who has the seat, if anyone. */
  | ({ readonly kind: 'refused'; readonly owner: SeatOwner | null } & SeatOfReservation);

export interface SeatOwner {
  readonly orderId: string;
  readonly reservationId: string;
  readonly epoch: number;
}
