/**
 * Handles the records of a round, those of each partition in their order, and resolves when all of it is durable: the offsets
 * may then be committed. Handling a round again, whole or in part, has no second effect (the statements see to that), so a crash at any
 * point loses nothing and doubles nothing (T3).
 *
 * A fault that passes is waited out, in place, so that the order holds. A record that can never be handled goes to the
 * dead letters with its cause, its key is parked, and its partition moves on (T7).
 */
import type { Decision, ReservationEvent } from '@seatlog/booking';
import { parkedKeyOf, type AppliedEvents, type SourcedEvent } from '@seatlog/booking-database';
import type { Logger } from '@seatlog/observability';
import { retrying, type Retrying } from '@seatlog/kafka-nest';
import type { RetryPolicy } from '@seatlog/runtime';
import type {
  DeadLetterCause,
  DeadLetters,
  ReservationRecord,
  ReservationStore,
  SeatMarks,
  WorkerMeters,
} from './ports.ts';

export interface BatchHandlerPorts {
  readonly store: ReservationStore;
  readonly deadLetters: DeadLetters;
  readonly seats: SeatMarks;
  readonly meters: WorkerMeters;
  readonly logger: Logger;
  readonly pause: RetryPolicy['pause'];
  readonly chance: () => number;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonic: () => number;
}

interface ReadableRecord {
  readonly record: ReservationRecord;
  readonly event: ReservationEvent;
}

export class BatchHandler {
  readonly #ports: BatchHandlerPorts;
  readonly #retrying: Retrying;
  /** Read from the database before the first batch, then kept up by what this process parks. */
  #parkedKeys: Set<string> | null = null;

  constructor(ports: BatchHandlerPorts) {
    this.#ports = ports;
    const { logger, pause, chance, meters } = ports;
    this.#retrying = retrying({ logger, pause, chance, onRetry: (what) => meters.retried(what) });
  }

  /** Another process may have parked keys, or replayed them, while the partition was its. */
  forgetParkedKeys(): void {
    this.#parkedKeys = null;
  }

  async handle(records: readonly ReservationRecord[], signal: AbortSignal): Promise<void> {
    const parked = await this.#knownParkedKeys(signal);
    let readable: ReadableRecord[] = [];
    for (const record of records) {
      const cause = isParked(parked, record) ? keyIsParked : decodeOrCause(record, readable);
      if (cause === null) continue;
      // What came before it goes first: the dead letters of a key never overtake its good records.
      await this.#apply(readable, signal);
      readable = [];
      await this.#bury(record, cause, parked, signal);
    }
    await this.#apply(readable, signal);
  }

  async #knownParkedKeys(signal: AbortSignal): Promise<Set<string>> {
    const { store } = this.#ports;
    this.#parkedKeys ??= new Set(
      await this.#retrying('parked keys', store, signal, () => store.parkedKeys()),
    );
    return this.#parkedKeys;
  }

  async #apply(readable: readonly ReadableRecord[], signal: AbortSignal): Promise<void> {
    if (readable.length === 0) return;
    const { store, seats, meters } = this.#ports;
    const started = this.#ports.monotonic();
    const events = readable.map(sourced);
    let applied: AppliedEvents;
    try {
      applied = await this.#retrying('apply', store, signal, () => store.apply(events));
    } catch (error) {
      if (signal.aborted) throw error;
      return this.#isolate(readable, error, signal);
    }
    meters.applied(events.length, (this.#ports.monotonic() - started) / 1000);
    await seats.settle(applied.settlements);
    for (const [index, decision] of applied.decisions.entries()) {
      const subject = readable[index];
      if (subject !== undefined) await this.#report(subject, decision, signal);
    }
  }

  /** Finds the record that the database refuses, by halves, so that the others are not held up by it. */
  async #isolate(readable: readonly ReadableRecord[], error: unknown, signal: AbortSignal): Promise<void> {
    const [only] = readable;
    if (readable.length === 1 && only !== undefined) {
      const message = error instanceof Error ? error.message : String(error);
      const parked = await this.#knownParkedKeys(signal);
      await this.#bury(only.record, { code: 'DATABASE_REFUSED', message, attempts: 1 }, parked, signal);
      return;
    }
    const middle = readable.length >> 1;
    await this.#apply(readable.slice(0, middle), signal);
    await this.#apply(readable.slice(middle), signal);
  }

  async #report({ record, event }: ReadableRecord, decision: Decision, signal: AbortSignal): Promise<void> {
    const { meters, logger } = this.#ports;
    meters.decided(decision.kind);
    const { reservationId, orderId, seatId } = event;
    const routine = decision.kind === 'confirm' || decision.kind === 'duplicate';
    logger[routine ? 'debug' : 'info'](
      {
        reservationId,
        orderId,
        seatId,
        type: event.type,
        decision,
        partition: record.partition,
        offset: record.offset,
      },
      'event decided',
    );
    if (decision.kind !== 'unprocessable') return;
    const parked = await this.#knownParkedKeys(signal);
    const cause = { code: decision.reason, message: `seat ${seatId} does not exist`, attempts: 1 };
    await this.#bury(record, cause, parked, signal);
  }

  async #bury(
    record: ReservationRecord,
    cause: DeadLetterCause,
    parked: Set<string>,
    signal: AbortSignal,
  ): Promise<void> {
    const { deadLetters, store, meters, logger } = this.#ports;
    await this.#retrying('dead letter', deadLetters, signal, () => deadLetters.publish(record, cause));
    await this.#retrying('park', store, signal, () =>
      store.park({
        topic: record.topic,
        partition: record.partition,
        offset: record.offset,
        key: record.keyBytes,
        value: record.valueBytes,
        headers: {},
        ...cause,
      }),
    );
    if (record.keyBytes !== null) parked.add(parkedKeyOf(record.keyBytes));
    meters.deadLettered(cause.code);
    logger.error(
      { ...cause, topic: record.topic, partition: record.partition, offset: record.offset },
      'record sent to the dead letters',
    );
  }
}

const keyIsParked: DeadLetterCause = {
  code: 'KEY_PARKED',
  message: 'an earlier record of this key waits among the dead letters',
  attempts: 0,
};

function isParked(parked: ReadonlySet<string>, record: ReservationRecord): boolean {
  return record.keyBytes !== null && parked.has(parkedKeyOf(record.keyBytes));
}

/** Adds the record to the readable ones, or gives the cause for which it is none. */
function decodeOrCause(record: ReservationRecord, readable: ReadableRecord[]): DeadLetterCause | null {
  try {
    readable.push({ record, event: record.value });
    return null;
  } catch (error) {
    return {
      code: 'DECODE_FAILED',
      message: error instanceof Error ? error.message : String(error),
      attempts: 1,
    };
  }
}

function sourced({ record, event }: ReadableRecord): SourcedEvent {
  return { event, source: { partition: record.partition, offset: record.offset } };
}
