/**
 * The batches of one partition: the open one, those that wait, those under way. Pure; every transition of a batch is made
 * here:
 *
 *     open -> waiting -> under way -> written | failed
 *                ^            |
 *                +-- retry ---+
 *
 * Order. Batches wait in the order of their records and a retry goes back to its place. Under idempotence a batch gets its
 * sequence number when it is first sent; one that is sent again must be the oldest of those that have numbers and are not
 * answered, so the broker can never see it behind a younger one. Of five batches that got numbers one after another the
 * oldest must be answered before the next gets one, since a broker tells repetitions among the last five only; and until the
 * first is written just one is under way, since a broker that does not know the producer takes any number.
 *
 * Gaps. A batch that fails for good may leave a number that the broker still waits for:
 *  - surely not written, nothing numbered after it: the number is used again;
 *  - surely not written, others numbered after it: `broken` (the broker refuses those, so they are not written either);
 *  - perhaps written: `unresolved`; those after it are sent as they are, and either the broker takes them (then it was
 *    written), or it refuses the oldest (then it was not: `broken`), or none is left to tell (`broken`, to be safe).
 * `broken` is mended when nothing is under way and the oldest batch is not one whose number must tell whether it was written:
 * the epoch of this partition goes up by one, sequences begin at 0, and waiting batches are numbered anew.
 */
import { errorByCode, ErrorCode } from '@seatlog/kafka-protocol';
import { brokerError } from '../broker-error.ts';
import { KafkaClientError } from '../errors.ts';
import type { ProducerBatch } from './producer-batch.ts';
import { retriesUsedUp } from './delivery-errors.ts';
import { judge } from './refusals.ts';
import { advanceSequence, MAX_PRODUCER_EPOCH } from './sequence-numbers.ts';

/** A broker keeps the last five batches of a producer to tell a repetition from news. */
const WINDOW = 5;

export interface ProducerIdentity {
  readonly producerId: number;
  readonly producerEpoch: number;
}

export type Answer =
  | { readonly kind: 'written'; readonly baseOffset: number; readonly logAppendTime: number }
  | { readonly kind: 'refused'; readonly errorCode: number; readonly message: string | null }
  /** It was put on the wire and no answer came. */
  | { readonly kind: 'lost'; readonly error: KafkaClientError }
  /** It never left this process. */
  | { readonly kind: 'unsent'; readonly error: KafkaClientError };

export interface QueueSettings {
  readonly acks: -1 | 0 | 1;
  readonly idempotent: boolean;
  /** How often a batch may be sent again, within its delivery time. */
  readonly retries: number;
  /** Pause before a batch that was sent `attempts` times is sent again. */
  readonly retryPauseMs: (attempts: number) => number;
}

export type Outcome = 'settled' | 'retry' | 'split';

export class PartitionQueue {
  readonly topic: string;
  readonly partition: number;
  /** The broker that the last batch was sent to. Kept here for the sender, of no matter to the queue. */
  lastLeader = -1;
  readonly #settings: QueueSettings;
  readonly #waiting: ProducerBatch[] = [];
  readonly #underWay: ProducerBatch[] = [];
  #open: ProducerBatch | null = null;
  /** The open batch is closed as soon as none waits before it. */
  #closesInTurn = false;
  #identity: ProducerIdentity | null = null;
  #nextSequence = 0;
  /** Counts the batches that got a number. */
  #nextTurn = 0;
  /** The sequence after the last one that is known to be written; -1 before the first of an epoch. */
  #writtenUpTo = -1;
  #unresolved = false;
  #broken = false;
  #spentProducerId = -1;
  #notBefore = 0;

  constructor(topic: string, partition: number, settings: QueueSettings) {
    this.topic = topic;
    this.partition = partition;
    this.#settings = settings;
  }

  get openBatch(): ProducerBatch | null {
    return this.#open;
  }

  /** Batches that were closed and are not under way. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  get isEmpty(): boolean {
    return this.#open === null && this.#waiting.length === 0 && this.#underWay.length === 0;
  }

  get underWay(): readonly ProducerBatch[] {
    return this.#underWay;
  }

  /** The moment before which nothing is sent, after a failure. */
  get notBefore(): number {
    return this.#notBefore;
  }

  /** The earliest deadline of a batch whose senders have not been told yet. */
  get nextDeadline(): number {
    let earliest = this.#open?.deadline ?? Infinity;
    for (const batch of this.#waiting) earliest = Math.min(earliest, batch.deadline);
    for (const batch of this.#underWay) if (!batch.isSettled) earliest = Math.min(earliest, batch.deadline);
    return earliest;
  }

  /** Batches whose senders have not been told, in order. */
  unsettled(): ProducerBatch[] {
    const closed = [...this.#underWay, ...this.#waiting].filter((batch) => !batch.isSettled);
    return this.#open === null ? closed : [...closed, this.#open];
  }

  open(batch: ProducerBatch): void {
    this.#open = batch;
  }

  /** Closes the open batch. */
  close(): void {
    this.#closesInTurn = false;
    if (this.#open === null) return;
    this.#waiting.push(this.#open);
    this.#open = null;
  }

  /** The same once no other waits before it; until then it takes further records. */
  closeInTurn(): void {
    this.#closesInTurn = true;
    this.#nextInTurn();
  }

  /** The leader changed: there is no reason to wait for the old one. */
  forgetPause(): void {
    this.#notBefore = 0;
  }

  /** Whether batches wait for a producer id other than this one. */
  needsIdentity(current: ProducerIdentity | null): boolean {
    if (!this.#settings.idempotent || this.#identity !== null || this.#waiting.length === 0) return false;
    return current === null || current.producerId === this.#spentProducerId;
  }

  /** The size of the batch that `take` would give, or null if it would give none. */
  peek(now: number, identity: ProducerIdentity | null): number | null {
    const [head] = this.#waiting;
    if (head === undefined || now < this.#notBefore) return null;
    if (this.#settings.idempotent && !this.#mayNumber(head, identity)) return null;
    return head.sizeInBytes;
  }

  /** The next batch, numbered and under way from now on. Only after `peek` gave a size. */
  take(): ProducerBatch {
    const batch = this.#waiting.shift();
    if (batch === undefined) throw new Error('take() without a batch that may be sent');
    if (this.#settings.idempotent && !batch.hasNumbers) this.#number(batch);
    batch.attempts += 1;
    this.#underWay.push(batch);
    this.#nextInTurn();
    return batch;
  }

  answer(batch: ProducerBatch, answer: Answer, now: number): Outcome {
    this.#remove(this.#underWay, batch);
    switch (answer.kind) {
      case 'written':
        return this.#written(batch, answer.baseOffset, answer.logAppendTime);
      case 'refused':
        return this.#refused(batch, answer.errorCode, answer.message, now);
      case 'lost':
        batch.maybeWritten = true;
        batch.keepsNumbers = true;
        return this.#retry(batch, answer.error, now);
      case 'unsent':
        return this.#retry(batch, answer.error, now);
    }
  }

  /** Fails what is closed and past its deadline. Gives the batches that are gone for good. */
  expire(now: number, late: (batch: ProducerBatch, underWay: boolean) => KafkaClientError): ProducerBatch[] {
    const gone: ProducerBatch[] = [];
    if (this.#closesInTurn && this.#open !== null && this.#open.deadline <= now) this.close();
    for (const batch of this.#waiting.slice()) {
      if (batch.deadline > now) continue;
      this.#remove(this.#waiting, batch);
      this.#gone(batch);
      batch.settleFailed(late(batch, false), this.partition);
      gone.push(batch);
    }
    for (const batch of this.#underWay) {
      if (batch.deadline <= now && !batch.isSettled) batch.settleFailed(late(batch, true), this.partition);
    }
    this.#nextInTurn();
    return gone;
  }

  /** Takes out a batch that is given up, wherever it is. */
  drop(batch: ProducerBatch): void {
    if (this.#open === batch) this.#open = null;
    this.#remove(this.#waiting, batch);
    this.#remove(this.#underWay, batch);
    this.#gone(batch);
    this.#nextInTurn();
  }

  /** Waiting batches that were never sent, taken out. */
  removeUnsent(): ProducerBatch[] {
    const unsent = this.#waiting.filter((batch) => batch.attempts === 0);
    for (const batch of unsent) this.#remove(this.#waiting, batch);
    this.#nextInTurn();
    return unsent;
  }

  /** Puts the parts of a batch that was too large back in its place. */
  replace(parts: readonly ProducerBatch[], now: number): void {
    for (const part of parts) this.#putBack(part);
    this.#notBefore = Math.max(this.#notBefore, now);
  }

  #nextInTurn(): void {
    if (this.#closesInTurn && this.#waiting.length === 0) this.close();
  }

  #written(batch: ProducerBatch, baseOffset: number, logAppendTime: number): Outcome {
    if (batch.hasNumbers && this.#isCurrent(batch)) {
      this.#writtenUpTo = advanceSequence(batch.numbers.baseSequence, batch.recordCount);
    }
    batch.settleWritten({ topic: this.topic, partition: this.partition, baseOffset, logAppendTime });
    return 'settled';
  }

  #refused(batch: ProducerBatch, errorCode: number, message: string | null, now: number): Outcome {
    if (errorCode === ErrorCode.DUPLICATE_SEQUENCE_NUMBER) return this.#written(batch, -1, -1);
    const error = (): KafkaClientError =>
      brokerError(errorCode, {
        what: `${this.topic}-${this.partition} was not written`,
        message,
        outcome: batch.maybeWritten ? 'unknown' : 'not-written',
      });
    if (errorCode === ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER && this.#settings.idempotent) {
      if (this.#isOldestNumbered(batch)) {
        this.#broken = true;
        // Had a copy been written, the broker would have known its number.
        batch.maybeWritten = false;
        batch.keepsNumbers = false;
      }
      return this.#retry(batch, error(), now);
    }
    if (errorCode === ErrorCode.UNKNOWN_PRODUCER_ID && this.#settings.idempotent) {
      this.#broken = true;
      // The broker has forgotten all numbers: they tell nothing any more.
      batch.keepsNumbers = false;
      return this.#retry(batch, error(), now);
    }
    const judgement = judge(errorCode, this.#settings.acks);
    if (judgement.maybeWritten) {
      batch.maybeWritten = true;
      batch.keepsNumbers = true;
    }
    if (errorCode === ErrorCode.MESSAGE_TOO_LARGE && batch.recordCount > 1 && !batch.isSettled)
      return 'split';
    if (judgement.retry) return this.#retry(batch, error(), now);
    this.#gone(batch);
    if (errorCode === ErrorCode.INVALID_PRODUCER_EPOCH) this.#broken = true;
    batch.settleFailed(error(), this.partition);
    return 'settled';
  }

  #retry(batch: ProducerBatch, error: KafkaClientError, now: number): Outcome {
    batch.lastError = error;
    if (batch.attempts > this.#settings.retries && !batch.isSettled) {
      batch.settleFailed(retriesUsedUp(batch, error), this.partition);
    }
    if (batch.isSettled) {
      this.#gone(batch);
      return 'settled';
    }
    this.#putBack(batch);
    this.#notBefore = now + this.#settings.retryPauseMs(batch.attempts);
    return 'retry';
  }

  /** Back to its place in the order of records. */
  #putBack(batch: ProducerBatch): void {
    let place = 0;
    while (place < this.#waiting.length && (this.#waiting[place] as ProducerBatch).ordinal <= batch.ordinal)
      place++;
    this.#waiting.splice(place, 0, batch);
  }

  /** A batch has failed for good: see to the number that it leaves. */
  #gone(batch: ProducerBatch): void {
    if (!batch.hasNumbers || !this.#isCurrent(batch)) return;
    if (batch.maybeWritten) this.#unresolved = true;
    else if (this.#hasNumberedAfter(batch)) this.#broken = true;
    else this.#nextSequence = batch.numbers.baseSequence;
  }

  #mayNumber(head: ProducerBatch, identity: ProducerIdentity | null): boolean {
    if (this.#broken && !head.keepsNumbers) {
      if (this.#underWay.length > 0) return false;
      this.#mend();
    }
    if (head.hasNumbers) return this.#underWay.every((other) => other.ordinal > head.ordinal);
    if (this.#unresolved && !this.#resolve()) return false;
    if (this.#identity === null) {
      if (identity === null || identity.producerId === this.#spentProducerId) return false;
      this.#identity = identity;
      this.#nextSequence = 0;
    }
    return (
      this.#underWay.length === 0 || (this.#writtenUpTo >= 0 && this.#nextTurn - this.#oldestTurn() < WINDOW)
    );
  }

  /** Nothing new is numbered while it is open whether a number was used up. */
  #resolve(): boolean {
    if (this.#underWay.length > 0) return false;
    if (this.#writtenUpTo !== this.#nextSequence) this.#mend();
    this.#unresolved = false;
    return true;
  }

  /** Raises the epoch and numbers anew what waits. Only while nothing is under way. */
  #mend(): void {
    this.#broken = false;
    this.#unresolved = false;
    this.#writtenUpTo = -1;
    this.#nextSequence = 0;
    this.#raiseEpoch();
    for (const batch of this.#waiting) {
      if (!batch.hasNumbers) break;
      if (this.#identity === null) batch.forgetNumbers();
      else this.#number(batch);
    }
  }

  #raiseEpoch(): void {
    if (this.#identity === null) return;
    const { producerId, producerEpoch } = this.#identity;
    if (producerEpoch < MAX_PRODUCER_EPOCH) {
      this.#identity = { producerId, producerEpoch: producerEpoch + 1 };
      return;
    }
    this.#identity = null;
    this.#spentProducerId = producerId;
  }

  #number(batch: ProducerBatch): void {
    const { producerId, producerEpoch } = this.#identity as ProducerIdentity;
    batch.number({ producerId, producerEpoch, baseSequence: this.#nextSequence });
    batch.turn = this.#nextTurn++;
    this.#nextSequence = advanceSequence(this.#nextSequence, batch.recordCount);
  }

  #oldestTurn(): number {
    let oldest = Infinity;
    for (const { turn } of this.#underWay) oldest = Math.min(oldest, turn);
    return oldest;
  }

  #isCurrent(batch: ProducerBatch): boolean {
    const { producerId, producerEpoch } = batch.numbers;
    return producerId === this.#identity?.producerId && producerEpoch === this.#identity.producerEpoch;
  }

  #isOldestNumbered(batch: ProducerBatch): boolean {
    const older = (other: ProducerBatch): boolean => other.hasNumbers && other.ordinal < batch.ordinal;
    return !this.#underWay.some(older) && !this.#waiting.some(older);
  }

  #hasNumberedAfter(batch: ProducerBatch): boolean {
    const younger = (other: ProducerBatch): boolean => other.hasNumbers && other.ordinal > batch.ordinal;
    return this.#underWay.some(younger) || this.#waiting.some(younger);
  }

  #remove(from: ProducerBatch[], batch: ProducerBatch): void {
    const place = from.indexOf(batch);
    if (place >= 0) from.splice(place, 1);
  }
}

/** Whether the error tells that the metadata is out of date. */
export function pointsElsewhere(answer: Answer): boolean {
  if (answer.kind === 'written') return false;
  if (answer.kind !== 'refused') return true;
  return judge(answer.errorCode, -1).refreshMetadata;
}

export function nameOfAnswer(answer: Answer): string {
  if (answer.kind === 'written') return 'NONE';
  return answer.kind === 'refused' ? errorByCode(answer.errorCode).name : answer.error.code;
}
