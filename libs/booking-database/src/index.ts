/**
 * PostgreSQL of ticketing: schema, migrations, and a function for each statement. Here it is decided who gets a seat; the
 * rules are those of `@seatlog/booking`, and a partial unique index stands behind them.
 *
 * ```ts
 * await migrate(url);
 * const database = openDatabase({ url, applicationName: 'reservation-worker' });
 * const { decisions, settlements } = await applyReservationEvents(database, batch, { now: Date.now() });
 * ```
 */
export { openDatabase, type BookingDatabase, type DatabaseOptions } from './database.ts';
export { ConcurrentChangeError, isTransientDatabaseError } from './database-error.ts';
export { migrate, MigrationError, readMigrations, type Migration } from './migrate.ts';
export type {
  EventsTable,
  InboxTable,
  OrdersTable,
  OutboxTable,
  ParkedRecordsTable,
  RefundsTable,
  ReservationsTable,
  Schema,
  SeatsTable,
} from './schema.ts';
export {
  applyReservationEvents,
  type AppliedEvents,
  type ApplyOptions,
  type SourcedEvent,
} from './statements/apply-reservation-events.ts';
export { writeLedger } from './statements/write-ledger.ts';
export {
  rejectIncompleteOrders,
  type RejectedOrders,
  type RejectIncompleteOptions,
} from './statements/reject-incomplete-orders.ts';
export {
  claimOutbox,
  deleteFromOutbox,
  outboxBacklog,
  postponeOutbox,
  type ClaimOptions,
  type OutboxBacklog,
  type OutboxMessage,
} from './statements/outbox.ts';
export { listenForOutbox, type OutboxListener, type OutboxListenerOptions } from './listen-for-outbox.ts';
export { recordRefunds, type RecordedRefunds } from './statements/record-refunds.ts';
export { readOrder, type OrderState, type SeatOfOrder } from './statements/read-order.ts';
export {
  readEvents,
  readLiveReservations,
  readSeats,
  type CatalogueEvent,
  type CatalogueSeat,
  type LiveReservation,
} from './statements/read-catalogue.ts';
export {
  markReplayed,
  parkedKeyOf,
  parkedKeys,
  parkRecord,
  readParkedRecords,
  type ParkedRecord,
  type StoredParkedRecord,
} from './statements/parked-records.ts';
export {
  seedEvent,
  type EventToSeed,
  type SectionToSeed,
  type SeededEvent,
} from './statements/seed-event.ts';
export {
  audit,
  ordersWithoutOutcome,
  type AuditReport,
  type AuditTotals,
  type AuditViolations,
} from './statements/audit.ts';
