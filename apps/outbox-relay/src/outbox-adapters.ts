/** The relay's ports on PostgreSQL and the broker. */
import {
  claimOutbox,
  deleteFromOutbox,
  postponeOutbox,
  type BookingDatabase,
  type ClaimOptions,
  type OutboxMessage,
} from '@seatlog/booking-database';
import type { Producer } from '@seatlog/kafka-client';
import type { Outbox, RelayTopic } from './relay-round.ts';

export class PostgresOutbox implements Outbox {
  readonly #database: BookingDatabase;
  readonly #claim: ClaimOptions;

  constructor(database: BookingDatabase, claim: ClaimOptions) {
    this.#database = database;
    this.#claim = claim;
  }

  claim(): Promise<readonly OutboxMessage[]> {
    return claimOutbox(this.#database, this.#claim);
  }

  delete(ids: readonly number[]): Promise<unknown> {
    return deleteFromOutbox(this.#database, this.#claim.claimant, ids);
  }

  postpone(ids: readonly number[], delayMs: number): Promise<void> {
    return postponeOutbox(this.#database, this.#claim.claimant, ids, delayMs);
  }
}

/** The message id travels in a header as well, so that a consumer can tell a duplicate without reading the value. */
export class BrokerTopic implements RelayTopic {
  readonly #producer: Producer;

  constructor(producer: Producer) {
    this.#producer = producer;
  }

  async publish({ topic, recordKey, payload, messageId }: OutboxMessage): Promise<void> {
    await this.#producer.send({
      topic,
      key: recordKey,
      value: JSON.stringify(payload),
      headers: { 'message-id': messageId },
    });
  }
}
