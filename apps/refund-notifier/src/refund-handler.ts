/**
 * Handles a round of refund requests and resolves when their notices are recorded: the offsets may then be committed.
 * Each refund is notified once, however often its request comes (T6): the inbox and the notice are one statement. A request
 * that cannot be read, or that the database refuses, is parked with its cause, and the partition moves on (T7).
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

interface ReadableRefund {
  readonly record: RefundRecord;
  readonly refund: RefundRequested;
}

export class RefundHandler {
  readonly #ports: RefundHandlerPorts;
  readonly #retrying: Retrying;

  constructor(ports: RefundHandlerPorts) {
    this.#ports = ports;
    this.#retrying = retrying(ports);
  }

  async handle(records: readonly RefundRecord[], signal: AbortSignal): Promise<void> {
    const readable: ReadableRefund[] = [];
    for (const record of records) {
      const refund = valueOrError(record);
      if (refund instanceof Error) await this.#park(record, 'DECODE_FAILED', refund, signal);
      else readable.push({ record, refund });
    }
    await this.#notify(readable, signal);
  }

  async #notify(readable: readonly ReadableRefund[], signal: AbortSignal): Promise<void> {
    const [first] = readable;
    if (first === undefined) return;
    const { store, meters, logger } = this.#ports;
    const refunds = readable.map(({ refund }) => refund);
    let outcome: RecordedRefunds;
    try {
      outcome = await this.#retrying('record refunds', store, signal, () => store.record(refunds));
    } catch (error) {
      if (signal.aborted) throw error;
      // By halves, until the one that is refused stands alone.
      const middle = readable.length >> 1;
      if (middle === 0) return this.#park(first.record, 'DATABASE_REFUSED', error, signal);
      await this.#notify(readable.slice(0, middle), signal);
      return this.#notify(readable.slice(middle), signal);
    }
    const { recorded, duplicates } = outcome;
    meters.notified(recorded.length);
    meters.duplicates(duplicates);
    const fresh = new Set(recorded);
    for (const { refundId, reservationId, userId, price, reason } of refunds) {
      if (!fresh.delete(refundId)) continue;
      logger.info({ refundId, reservationId, userId, price, reason }, 'refund notice given');
    }
  }

  async #park(record: RefundRecord, code: string, error: unknown, signal: AbortSignal): Promise<void> {
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
        code,
        message: error instanceof Error ? error.message : String(error),
        attempts: 1,
      }),
    );
    meters.parked();
    logger.error({ error, code, topic, partition, offset }, 'refund request parked: it cannot be handled');
  }
}

function valueOrError(record: RefundRecord): RefundRequested | Error {
  try {
    return record.value;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
