/**
 * Reservation rules: seat ids, events and their topics, the rule book of the worker, ids, tokens, refusals. Pure: no I/O, no
 * clock, no randomness; times come in as milliseconds since the epoch.
 */
export { IDEMPOTENCY_KEY_LENGTH, SEATS_PER_ORDER, USER_ID_LENGTH } from './limits.ts';
export {
  eventIdOf,
  eventIdSchema,
  formatSeatId,
  parseSeatId,
  seatIdSchema,
  seatLabelOf,
  sectionOf,
  type SeatPlace,
} from './seat-id.ts';
export { amountSchema, currencySchema, moneySchema, type Money } from './money.ts';
export {
  orderSeatSchema,
  refundRequestedSchema,
  reservationCancelledSchema,
  reservationCreatedSchema,
  reservationEventSchema,
  userIdSchema,
  type OrderSeat,
  type RefundRequested,
  type ReservationCancelled,
  type ReservationCreated,
  type ReservationEvent,
} from './reservation-events.ts';
export { refundEvents, reservationDeadLetters, reservationEvents } from './topics.ts';
export { partitionKey, partitionKeyKinds, type PartitionKeyKind } from './partition-key.ts';
export {
  orderIdOf,
  refundIdOf,
  requestFingerprint,
  reservationIdOf,
  type RequestIdentity,
} from './identifiers.ts';
export {
  hasFailed,
  isLive,
  orderStatuses,
  reservationStatuses,
  type CancellationReason,
  type EndReason,
  type OrderStatus,
  type RejectionReason,
  type ReservationStatus,
  type StoredOrder,
  type StoredReservation,
} from './reservation-state.ts';
export { decide, type Decision, type IgnoreReason, type Standing } from './decision.ts';
export {
  ReservationLedger,
  type EventSource,
  type LedgerChanges,
  type RecordedReservation,
  type StoredState,
} from './reservation-ledger.ts';
export type { SeatOwner, SeatSettlement } from './settlement.ts';
export {
  normalizeSeatChoice,
  reservationCancelledEvents,
  reservationCreatedEvents,
  type PlacedOrder,
} from './order-request.ts';
export {
  signStatusToken,
  TOKEN_MAX_LENGTH,
  TOKEN_SECRET_MIN_LENGTH,
  verifyStatusToken,
} from './status-token.ts';
export {
  BookingProblem,
  problems,
  type ProblemCode,
  type ProblemDefinition,
  type ProblemDocument,
} from './problems.ts';
