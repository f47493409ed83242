/** Publishes dead letters byte for byte, with the cause and where they came from in their headers (T7). */
import { reservationDeadLetters } from '@seatlog/booking';
import { KafkaClientError, type Producer } from '@seatlog/kafka-client';
import type { DeadLetterCause, DeadLetters, ReservationRecord } from './ports.ts';

const LONGEST_HEADER = 1000;

export class DeadLetterTopic implements DeadLetters {
  readonly #producer: Producer;

  constructor(producer: Producer) {
    this.#producer = producer;
  }

  async publish(record: ReservationRecord, cause: DeadLetterCause): Promise<void> {
    const headers: [string, string | Uint8Array | null][] = record.headers.map(({ key, value }) => [
      key,
      value,
    ]);
    headers.push(
      ['dlq.topic', record.topic],
      ['dlq.partition', String(record.partition)],
      ['dlq.offset', String(record.offset)],
      ['dlq.timestamp', String(record.timestamp)],
      ['dlq.code', cause.code],
      ['dlq.message', cause.message.slice(0, LONGEST_HEADER)],
      ['dlq.attempts', String(cause.attempts)],
    );
    await this.#producer.send({
      topic: reservationDeadLetters,
      key: record.keyBytes,
      value: record.valueBytes,
      headers,
    });
  }

  isPassing(error: unknown): boolean {
    return error instanceof KafkaClientError && error.retriable;
  }
}
