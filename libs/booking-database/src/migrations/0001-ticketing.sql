-- Times are timestamptz; money is in minor units; epochs are the fencing numbers of the seat lock.

CREATE TABLE events (
  id         text PRIMARY KEY,
  name       text NOT NULL,
  starts_at  timestamptz NOT NULL,
  currency   text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  -- Rises with every change of the event or of its seats, so that a copy in memory knows when it is old.
  revision   bigint NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE seats (
  id       text PRIMARY KEY,
  event_id text NOT NULL REFERENCES events (id),
  section  text NOT NULL,
  row_name text NOT NULL,
  number   integer NOT NULL CHECK (number > 0),
  price    integer NOT NULL CHECK (price >= 0),
  UNIQUE (event_id, section, row_name, number)
);

-- One order is one request of a buyer: one to six seats, all of them or none.
CREATE TABLE orders (
  id                uuid PRIMARY KEY,
  event_id          text NOT NULL,
  user_id           text NOT NULL,
  -- [{"seatId": ..., "epoch": ..., "amount": ...}]: all seats of the order, also those of which nothing has come yet.
  seats             jsonb NOT NULL,
  currency          text NOT NULL,
  status            text NOT NULL CHECK (status IN ('PENDING', 'CONFIRMED', 'REJECTED', 'CANCELLED')),
  reason            text,
  payment_reference text,
  created_at        timestamptz NOT NULL DEFAULT now(),
  -- When it left PENDING.
  settled_at        timestamptz
);

-- For the sweep of orders whose missing seats do not come.
CREATE INDEX orders_pending ON orders (created_at) WHERE status = 'PENDING';

CREATE TABLE reservations (
  id               uuid PRIMARY KEY,
  order_id         uuid NOT NULL REFERENCES orders (id),
  event_id         text NOT NULL,
  -- No foreign key: the statement that inserts has locked the seat's row, and so knows that it is there.
  seat_id          text NOT NULL,
  user_id          text NOT NULL,
  epoch            bigint NOT NULL CHECK (epoch > 0),
  status           text NOT NULL CHECK (status IN ('CONFIRMED', 'REJECTED', 'CANCELLED')),
  reason           text,
  price            integer NOT NULL,
  currency         text NOT NULL,
  occurred_at      timestamptz NOT NULL,
  -- The record that first spoke of it.
  source_partition integer,
  source_offset    bigint,
  recorded_at      timestamptz NOT NULL DEFAULT now(),
  -- When it became REJECTED or CANCELLED.
  ended_at         timestamptz,
  CHECK ((status = 'CONFIRMED') = (reason IS NULL))
);

-- Whatever goes wrong elsewhere, no seat is sold twice.
CREATE UNIQUE INDEX reservations_one_live_per_seat ON reservations (seat_id) WHERE status = 'CONFIRMED';
CREATE INDEX reservations_of_order ON reservations (order_id);
CREATE INDEX reservations_latest_of_seat ON reservations (seat_id, epoch DESC);

-- Messages that are owed to a topic; a row goes once the broker has it.
CREATE TABLE outbox (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Stays the same however often the message is published: what consumers tell duplicates by.
  message_id    uuid NOT NULL UNIQUE,
  topic         text NOT NULL,
  -- Messages of one key are published in the order of their ids.
  record_key    text NOT NULL,
  payload       jsonb NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  attempts      integer NOT NULL DEFAULT 0,
  claimed_by    text,
  claimed_until timestamptz
);

CREATE INDEX outbox_of_key ON outbox (topic, record_key, id);

-- Messages that a consumer has applied.
CREATE TABLE inbox (
  consumer    text NOT NULL,
  message_id  uuid NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (consumer, message_id)
);

CREATE TABLE refunds (
  id                uuid PRIMARY KEY,
  reservation_id    uuid NOT NULL UNIQUE,
  order_id          uuid NOT NULL,
  user_id           text NOT NULL,
  seat_id           text NOT NULL,
  amount            integer NOT NULL,
  currency          text NOT NULL,
  reason            text NOT NULL,
  payment_reference text,
  requested_at      timestamptz NOT NULL,
  notified_at       timestamptz NOT NULL DEFAULT now()
);

-- Records that could not be handled, and those of the same key that came after them.
CREATE TABLE parked_records (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  topic         text NOT NULL,
  partition     integer NOT NULL,
  record_offset bigint NOT NULL,
  record_key    bytea,
  record_value  bytea,
  headers       jsonb NOT NULL DEFAULT '{}',
  code          text NOT NULL,
  message       text NOT NULL,
  attempts      integer NOT NULL,
  parked_at     timestamptz NOT NULL DEFAULT now(),
  replayed_at   timestamptz,
  UNIQUE (topic, partition, record_offset)
);

CREATE INDEX parked_records_waiting ON parked_records (topic, record_key) WHERE replayed_at IS NULL;
