/**
 * One Produce request over its partitions (R16, R29): when it is answered, and with what.
 *
 *     acks 0     no answer; an error closes the connection
 *     acks 1     answered once every partition's leader has written, or refused
 *     acks -1    answered once every partition is replicated, refused, or out of time: only those still pending then
 *                get REQUEST_TIMED_OUT, and what was written stays written
 *     other      INVALID_REQUIRED_ACKS, nothing is appended
 *
 * Partitions go by their place in the request. `started` is the first event; each partition is then `refused` or
 * `written`, and, where `await-replication` was asked for, `replicated`. What comes after the answer is ignored.
 */
import { ErrorCode, errorByCode } from '@seatlog/kafka-protocol';

export interface ProduceOutcome {
  readonly errorCode: number;
  readonly errorMessage: string | null;
  /** -1 on an error. */
  readonly baseOffset: number;
  readonly logAppendTime: number;
  readonly logStartOffset: number;
}

export interface WrittenBatch {
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly logAppendTime: number;
  readonly logStartOffset: number;
}

export type ProduceEvent =
  | { readonly type: 'started' }
  | {
      readonly type: 'refused';
      readonly place: number;
      readonly errorCode: number;
      readonly errorMessage: string | null;
    }
  | { readonly type: 'written'; readonly place: number; readonly batch: WrittenBatch }
  /** The end of a wait, as the partition's leader tells it. */
  | { readonly type: 'replicated'; readonly place: number; readonly errorCode: number }
  | { readonly type: 'timed-out' };

/**
 * - `append`: append the batch of that place.
 * - `await-replication`: let the partition's leader wait for the offset; when the request is answered before, the wait
 *   is expired (`forget-wait`).
 * - `arm-timeout`, `cancel-timeout`: the request's own time.
 * - `respond`: one outcome for each place. With acks 0 it is `close-connection` (say no more to this client) after an
 *   error, else `stay-silent`. The last effect of a request is one of these.
 */
export type ProduceEffect =
  | { readonly type: 'append'; readonly place: number }
  | { readonly type: 'await-replication'; readonly place: number; readonly requiredOffset: number }
  | { readonly type: 'forget-wait'; readonly place: number }
  | { readonly type: 'arm-timeout'; readonly delayMs: number }
  | { readonly type: 'cancel-timeout' }
  | { readonly type: 'respond'; readonly outcomes: readonly ProduceOutcome[] }
  | { readonly type: 'close-connection'; readonly errorCode: number }
  | { readonly type: 'stay-silent' };

/** What a partition is at: its append is out, its wait is on, or it is done. */
type Progress =
  | { readonly kind: 'appending' }
  | { readonly kind: 'replicating'; readonly batch: WrittenBatch }
  | { readonly kind: 'done'; readonly outcome: ProduceOutcome };

const APPENDING: Progress = { kind: 'appending' };

export class PendingProduce {
  readonly #acks: number;
  readonly #timeoutMs: number;
  readonly #progress: Progress[] = [];
  #undone: number;
  #isAnswered = false;

  constructor(acks: number, timeoutMs: number, partitionCount: number) {
    this.#acks = acks;
    this.#timeoutMs = timeoutMs;
    this.#undone = partitionCount;
    for (let place = 0; place < partitionCount; place++) this.#progress.push(APPENDING);
  }

  step(event: ProduceEvent): readonly ProduceEffect[] {
    if (this.#isAnswered) return [];
    const effects: ProduceEffect[] = [];
    this.#take(event, effects);
    if (this.#undone === 0) this.#answer(effects);
    return effects;
  }

  #take(event: ProduceEvent, effects: ProduceEffect[]): void {
    switch (event.type) {
      case 'started':
        this.#start(effects);
        return;
      case 'refused':
        this.#finish(event.place, failedOutcome(event.errorCode, event.errorMessage));
        return;
      case 'written':
        this.#noteWritten(event.place, event.batch, effects);
        return;
      case 'replicated':
        this.#noteReplicated(event.place, event.errorCode);
        return;
      case 'timed-out':
        this.#expire(effects);
    }
  }

  #start(effects: ProduceEffect[]): void {
    const count = this.#progress.length;
    if (this.#acks !== -1 && this.#acks !== 0 && this.#acks !== 1) {
      const message = `acks is ${this.#acks}; it can be -1, 0 or 1.`;
      for (let place = 0; place < count; place++) {
        this.#finish(place, failedOutcome(ErrorCode.INVALID_REQUIRED_ACKS, message));
      }
      return;
    }
    if (this.#acks === -1 && count > 0)
      effects.push({ type: 'arm-timeout', delayMs: Math.max(0, this.#timeoutMs) });
    for (let place = 0; place < count; place++) effects.push({ type: 'append', place });
  }

  #noteWritten(place: number, batch: WrittenBatch, effects: ProduceEffect[]): void {
    if (this.#progress[place]?.kind !== 'appending') return;
    if (this.#acks === -1) {
      this.#progress[place] = { kind: 'replicating', batch };
      effects.push({ type: 'await-replication', place, requiredOffset: batch.lastOffset + 1 });
      return;
    }
    this.#finish(place, writtenOutcome(batch));
  }

  #noteReplicated(place: number, errorCode: number): void {
    const progress = this.#progress[place];
    if (progress?.kind !== 'replicating') return;
    this.#finish(place, replicatedOutcome(progress.batch, errorCode));
  }

  #expire(effects: ProduceEffect[]): void {
    this.#progress.forEach((progress, place) => {
      if (progress.kind === 'replicating') effects.push({ type: 'forget-wait', place });
      this.#finish(place, failedOutcome(ErrorCode.REQUEST_TIMED_OUT, null));
    });
  }

  #finish(place: number, outcome: ProduceOutcome): void {
    const progress = this.#progress[place];
    if (progress === undefined || progress.kind === 'done') return;
    this.#progress[place] = { kind: 'done', outcome };
    this.#undone -= 1;
  }

  #answer(effects: ProduceEffect[]): void {
    this.#isAnswered = true;
    const outcomes = this.#progress.flatMap((progress) =>
      progress.kind === 'done' ? [progress.outcome] : [],
    );
    if (this.#acks === -1) effects.push({ type: 'cancel-timeout' });
    if (this.#acks !== 0) {
      effects.push({ type: 'respond', outcomes });
      return;
    }
    const failed = outcomes.find((outcome) => outcome.errorCode !== ErrorCode.NONE);
    effects.push(
      failed === undefined
        ? { type: 'stay-silent' }
        : { type: 'close-connection', errorCode: failed.errorCode },
    );
  }
}

/** Of a batch that is as durable as its request asked. */
export function writtenOutcome({ baseOffset, logAppendTime, logStartOffset }: WrittenBatch): ProduceOutcome {
  return { errorCode: ErrorCode.NONE, errorMessage: null, baseOffset, logAppendTime, logStartOffset };
}

export function failedOutcome(errorCode: number, errorMessage: string | null): ProduceOutcome {
  return { errorCode, errorMessage, baseOffset: -1, logAppendTime: -1, logStartOffset: -1 };
}

/** Of a batch whose wait for replication has ended so. */
export function replicatedOutcome(batch: WrittenBatch, errorCode: number): ProduceOutcome {
  return errorCode === ErrorCode.NONE
    ? writtenOutcome(batch)
    : failedOutcome(errorCode, messageOf(errorCode));
}

/** R17: clients show the text that comes with these. */
function messageOf(errorCode: number): string | null {
  switch (errorCode) {
    case ErrorCode.NOT_ENOUGH_REPLICAS:
    case ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND:
      return errorByCode(errorCode).message;
    default:
      return null;
  }
}
