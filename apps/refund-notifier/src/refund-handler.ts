/**
 * Handles a round of refund requests and resolves when their notices are recorded: the offsets may then be committed.
 * Each refund is notified once, however often its request comes (T6): the inbox and the notice are one statement. A request
 * that cannot be read is parked with its cause, and the partition moves on.
 */
import type { RefundRequested, refundEvents } from '@seatlog/booking';
import type { ParkedRecord, RecordedRefunds } from '@seatlog/booking-database';
import type { ConsumedRecord } from '@seatlog/kafka-client';
import type { Logger } from '@seatlog/observability';
import { retrying, type Retrying } from '@seatlog/kafka-nest';
import type { RetryPolicy } from '@seatlog/runtime';

export type RefundRecord = ConsumedRecord<typeof refundEvents>;

export interface RefundStore {
  record(refunds: readonly RefundRequested[]): Promise<RecordedRefunds>;
  park(record: ParkedRecord): Promise<unknown>;
  isPassing(error: unknown): boolean;
}

export interface RefundMeters {
  notified(count: number): void;
  duplicates(count: number): void;
  parked(): void;
}

export interface RefundHandlerPorts {
  readonly store: RefundStore;
  readonly meters: RefundMeters;
  readonly logger: Logger;
  readonly pause: RetryPolicy['pause'];
  readonly chance: () => number;
}

export class RefundHandler {
  readonly #ports: RefundHandlerPorts;
  readonly #retrying: Retrying;

  constructor(ports: RefundHandlerPorts) {
    this.#ports = ports;
    this.#retrying = retrying(ports);
  }

  async handle(records: readonly RefundRecord[], signal: AbortSignal): Promise<void> {
    const refunds: RefundRequested[] = [];
    for (const record of records) {
      const refund = valueOrError(record);
      if (refund instanceof Error) await this.#park(record, refund, signal);
      else refunds.push(refund);
    }
    if (refunds.length > 0) await this.#notify(refunds, signal);
  }

  async #notify(refunds: readonly RefundRequested[], signal: AbortSignal): Promise<void> {
    const { store, meters, logger } = this.#ports;
    const { recorded, duplicates } = await this.#retrying('record refunds', store, signal, () =>
      store.record(refunds),
    );
    meters.notified(recorded.length);
    meters.duplicates(duplicates);
    const fresh = new Set(recorded);
    for (const { refundId, reservationId, userId, price, reason } of refunds) {
      if (!fresh.delete(refundId)) continue;
      logger.info({ refundId, reservationId, userId, price, reason }, 'refund notice given');
    }
  }

  async #park(record: RefundRecord, error: Error, signal: AbortSignal): Promise<void> {
    const { store, meters, logger } = this.#ports;
    const { topic, partition, offset, keyBytes, valueBytes } = record;
    await this.#retrying('park', store, signal, () =>
      store.park({
        topic,
        partition,
        offset,
        key: keyBytes,
        value: valueBytes,
        headers: {},
        code: 'DECODE_FAILED',
        message: error.message,
        attempts: 1,
      }),
    );
    meters.parked();
    logger.error({ error, topic, partition, offset }, 'refund request parked: it cannot be read');
  }
}

function valueOrError(record: RefundRecord): RefundRequested | Error {
  try {
    return record.value;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
