/** The tables, as Kysely types. `migrations/` is what makes them. bigint columns are read as numbers, see database.ts. */
import type { EndReason, OrderSeat, OrderStatus, ReservationStatus } from '@seatlog/booking';
import type { ColumnType, Generated, JSONColumnType } from 'kysely';

type CreatedAt = ColumnType<Date, Date | undefined, never>;

export interface EventsTable {
  id: string;
  name: string;
  starts_at: Date;
  currency: string;
  revision: Generated<number>;
  created_at: CreatedAt;
}

export interface SeatsTable {
  id: string;
  event_id: string;
  section: string;
  row_name: string;
  number: number;
  price: number;
}

export interface OrdersTable {
  id: string;
  event_id: string;
  user_id: string;
  seats: JSONColumnType<OrderSeat[]>;
  currency: string;
  status: OrderStatus;
  reason: EndReason | null;
  payment_reference: string | null;
  created_at: CreatedAt;
  settled_at: Date | null;
}

export interface ReservationsTable {
  id: string;
  order_id: string;
  event_id: string;
  seat_id: string;
  user_id: string;
  epoch: number;
  status: ReservationStatus;
  reason: EndReason | null;
  price: number;
  currency: string;
  occurred_at: Date;
  source_partition: number | null;
  source_offset: number | null;
  recorded_at: CreatedAt;
  ended_at: Date | null;
}

export interface OutboxTable {
  id: Generated<number>;
  message_id: string;
  topic: string;
  record_key: string;
  payload: JSONColumnType<object>;
  created_at: CreatedAt;
  attempts: Generated<number>;
  claimed_by: string | null;
  claimed_until: Date | null;
}

export interface InboxTable {
  consumer: string;
  message_id: string;
  received_at: CreatedAt;
}

export interface RefundsTable {
  id: string;
  reservation_id: string;
  order_id: string;
  user_id: string;
  seat_id: string;
  amount: number;
  currency: string;
  reason: string;
  payment_reference: string | null;
  requested_at: Date;
  notified_at: CreatedAt;
}

export interface ParkedRecordsTable {
  id: Generated<number>;
  topic: string;
  partition: number;
  record_offset: number;
  record_key: Buffer | null;
  record_value: Buffer | null;
  headers: JSONColumnType<Record<string, string>>;
  code: string;
  message: string;
  attempts: number;
  parked_at: CreatedAt;
  replayed_at: Date | null;
}

export interface Schema {
  events: EventsTable;
  seats: SeatsTable;
  orders: OrdersTable;
  reservations: ReservationsTable;
  outbox: OutboxTable;
  inbox: InboxTable;
  refunds: RefundsTable;
  parked_records: ParkedRecordsTable;
}
