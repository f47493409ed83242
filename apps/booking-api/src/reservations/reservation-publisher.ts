/** Puts reservation events on their topic, and tells what became of them. */
import {
  partitionKey,
  reservationEvents,
  type PartitionKeyKind,
  type ReservationEvent,
} from '@seatlog/booking';
import { KafkaClientError, type Producer } from '@seatlog/kafka-client';
import type { Logger } from '@seatlog/observability';

export interface WrittenRecord {
  readonly partition: number;
  readonly offset: number;
}

/** For all records of one call together. */
export type PublishOutcome =
  /** All are in the log, as `acks` asks. */
  | { readonly kind: 'written'; readonly records: readonly WrittenRecord[] }
  /** Not one of them is in the log, nor will be. */
  | { readonly kind: 'not-written'; readonly code: string }
  /** Some of them may be. */
  | { readonly kind: 'unknown'; readonly code: string };

export abstract class ReservationPublisher {
  /** Never rejects, and answers within the producer's delivery timeout. */
  abstract publish(events: readonly ReservationEvent[]): Promise<PublishOutcome>;
}

export interface KafkaPublisherOptions {
  /** Its delivery timeout is what bounds `publish`. */
  readonly producer: Pick<Producer, 'send'>;
  readonly keyKind: PartitionKeyKind;
  readonly logger: Logger;
}

export class KafkaReservationPublisher extends ReservationPublisher {
  readonly #options: KafkaPublisherOptions;

  constructor(options: KafkaPublisherOptions) {
    super();
    this.#options = options;
  }

  async publish(events: readonly ReservationEvent[]): Promise<PublishOutcome> {
    const { logger } = this.#options;
    // Each record on its own: the seats of an order go to several partitions, and single sends share batches with those of
    // other orders. All are under way before the first is waited for, and none rejects.
    const sends = events.map((event) => this.#send(event));
    const records: WrittenRecord[] = [];
    const failures: unknown[] = [];
    for (const send of sends) {
      const result = await send;
      if ('offset' in result) records.push(result);
      else failures.push(result.failure);
    }
    if (failures.length === 0) return { kind: 'written', records };
    const [error] = failures;
    const code = error instanceof KafkaClientError ? error.code : 'UNEXPECTED';
    const surelyNot = records.length === 0 && failures.every(isSurelyNotWritten);
    const kind = surelyNot ? 'not-written' : 'unknown';
    const cause = error instanceof Error ? error.message : String(error);
    const fields = { code, cause, kind, reservationId: events[0]?.orderId, failed: failures.length };
    logger.warn(fields, 'publishing failed');
    return { kind, code };
  }

  async #send(event: ReservationEvent): Promise<WrittenRecord | { readonly failure: unknown }> {
    const { producer, keyKind } = this.#options;
    try {
      return await producer.send({
        topic: reservationEvents,
        key: partitionKey(keyKind, event),
        value: event,
        timestamp: event.occurredAt,
      });
    } catch (failure) {
      return { failure };
    }
  }
}

function isSurelyNotWritten(error: unknown): boolean {
  return error instanceof KafkaClientError && error.outcome === 'not-written';
}
