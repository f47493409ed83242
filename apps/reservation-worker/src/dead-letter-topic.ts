/**
 * Publishes dead letters byte for byte, with the cause and where they came from in their headers (T7). One that is too large
 * for a topic with all of that goes without its bytes, which are with the parked record: it must not stop its partition.
 */
import { reservationDeadLetters } from '@seatlog/booking';
import { KafkaClientError, type Producer } from '@seatlog/kafka-client';
import type { DeadLetterCause, DeadLetters, ReservationRecord } from './ports.ts';

const LONGEST_HEADER = 1000;
/** By the client's own limit, and by the topic's. */
const TOO_LARGE: readonly string[] = ['RECORD_TOO_LARGE', 'MESSAGE_TOO_LARGE'];

type Header = [string, string | Uint8Array | null];

export class DeadLetterTopic implements DeadLetters {
  readonly #producer: Pick<Producer, 'send'>;

  constructor(producer: Pick<Producer, 'send'>) {
    this.#producer = producer;
  }

  async publish(record: ReservationRecord, cause: DeadLetterCause): Promise<void> {
    const { keyBytes, valueBytes } = record;
    const told = headersOf(record, cause);
    const own = record.headers.map(({ key, value }): Header => [key, value]);
    try {
      await this.#send(keyBytes, valueBytes, [...own, ...told]);
    } catch (error) {
      if (!(error instanceof KafkaClientError && TOO_LARGE.includes(error.code))) throw error;
      const size = (keyBytes?.length ?? 0) + (valueBytes?.length ?? 0);
      const key = keyBytes !== null && keyBytes.length <= LONGEST_HEADER ? keyBytes : null;
      await this.#send(key, null, [...told, ['dlq.left-out-bytes', String(size)]]);
    }
  }

  isPassing(error: unknown): boolean {
    return error instanceof KafkaClientError && error.retriable;
  }

  async #send(key: Uint8Array | null, value: Uint8Array | null, headers: Header[]): Promise<void> {
    await this.#producer.send({ topic: reservationDeadLetters, key, value, headers });
  }
}

function headersOf(record: ReservationRecord, cause: DeadLetterCause): Header[] {
  return [
    ['dlq.topic', record.topic],
    ['dlq.partition', String(record.partition)],
    ['dlq.offset', String(record.offset)],
    ['dlq.timestamp', String(record.timestamp)],
    ['dlq.code', cause.code],
    ['dlq.message', cause.message.slice(0, LONGEST_HEADER)],
    ['dlq.attempts', String(cause.attempts)],
  ];
}
