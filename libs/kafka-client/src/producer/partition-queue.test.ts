import { ErrorCode, RecordBatchWriter } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { KafkaClientError } from '../errors.ts';
import { PartitionQueue, type Answer, type ProducerIdentity } from './partition-queue.ts';
import { ProducerBatch } from './producer-batch.ts';
import { splitBatch } from './split-batch.ts';

const IDENTITY: ProducerIdentity = { producerId: 7, producerEpoch: 0 };
const LOST = new KafkaClientError('CONNECTION_CLOSED', 'closed', { retriable: true, hint: '' });
const lost: Answer = { kind: 'lost', error: LOST };
const written = (baseOffset = 0): Answer => ({ kind: 'written', baseOffset, logAppendTime: -1 });
const refused = (errorCode: number): Answer => ({ kind: 'refused', errorCode, message: null });

/** A queue on a clock that the test moves, with batches of so many records. */
class Queue {
  readonly queue: PartitionQueue;
  identity: ProducerIdentity | null = IDENTITY;
  now = 0;
  #ordinal = 0;

  constructor(retries = 1000) {
    this.queue = new PartitionQueue('t', 0, { acks: -1, idempotent: true, retries, retryPauseMs: () => 10 });
  }

  add(records = 1): ProducerBatch {
    const batch = this.openBatch(records);
    this.queue.close();
    return batch;
  }

  openBatch(records = 1): ProducerBatch {
    const batch = new ProducerBatch(new RecordBatchWriter(), this.now, this.now + 1000, {
      ordinal: this.#ordinal++,
      ordinalWidth: 1,
    });
    for (let index = 0; index < records; index++)
      batch.append(1, null, `${batch.ordinal}-${index}`, undefined);
    this.queue.open(batch);
    return batch;
  }

  /** Sends what may be sent; tells epoch and sequence of each. */
  send(): string[] {
    const sent: string[] = [];
    while (this.queue.peek(this.now, this.identity) !== null) {
      const { producerEpoch, baseSequence } = this.queue.take().numbers;
      sent.push(`${producerEpoch}:${baseSequence}`);
    }
    return sent;
  }

  answer(batch: ProducerBatch, answer: Answer): string {
    const outcome = this.queue.answer(batch, answer, this.now);
    this.now += 10;
    return outcome;
  }

  /** The broker knows the producer from now on. */
  begin(): this {
    const first = this.add();
    this.send();
    this.answer(first, written());
    return this;
  }
}

describe('partition queue', () => {
  /** A batch that is open behind whatever waits, and is to be closed in its turn. */
  const gathering = (at: Queue): ProducerBatch => {
    const batch = at.openBatch();
    at.queue.closeInTurn();
    return batch;
  };

  it('lets a batch gather records while others wait before it, and no longer', () => {
    const at = new Queue().begin();
    at.add();
    const batch = gathering(at);
    expect(at.queue.openBatch).toBe(batch);
    expect(at.send()).toHaveLength(2);
    expect(at.queue.openBatch).toBeNull();
    expect(at.queue.underWay).toContain(batch);
  });

  it('closes a batch at once where none waits', () => {
    const at = new Queue().begin();
    gathering(at);
    expect(at.queue.openBatch).toBeNull();
    expect(at.queue.waitingCount).toBe(1);
  });

  it('closes a batch when those before it are gone without having been sent', () => {
    const at = new Queue();
    const [first] = [at.add()];
    at.now = 500;
    const batch = gathering(at);
    const late = (): KafkaClientError => LOST;
    expect(at.queue.expire(1000, late)).toEqual([first]);
    expect(at.queue.openBatch).toBeNull();
    expect(at.queue.waitingCount).toBe(1);
    expect(at.queue.expire(1500, late)).toEqual([batch]);
    expect(at.queue.isEmpty).toBe(true);
  });

  it('fails a batch at its deadline although it still gathers', () => {
    const at = new Queue();
    const first = at.add();
    const batch = gathering(at);
    expect(at.queue.expire(1000, () => LOST)).toEqual([first, batch]);
    expect(at.queue.isEmpty).toBe(true);
  });

  it('sends a batch again as often as it may, and then tells the answer', () => {
    const at = new Queue(1);
    const batch = at.add();
    at.send();
    expect(at.answer(batch, refused(ErrorCode.NOT_ENOUGH_REPLICAS))).toBe('retry');
    at.send();
    expect(at.answer(batch, refused(ErrorCode.NOT_ENOUGH_REPLICAS))).toBe('settled');
    expect(batch.failure).toMatchObject({ code: 'NOT_ENOUGH_REPLICAS', outcome: 'not-written' });
  });

  it('without retries tells at once that an answer was lost', () => {
    const at = new Queue(0);
    const batch = at.add();
    at.send();
    expect(at.answer(batch, lost)).toBe('settled');
    expect(batch.failure).toMatchObject({ code: 'CONNECTION_CLOSED', outcome: 'unknown' });
  });

  it('K15: sends one batch until the broker knows the producer, then five', () => {
    const at = new Queue();
    const [first] = Array.from({ length: 8 }, () => at.add(2)) as [ProducerBatch];
    expect(at.send()).toEqual(['0:0']);
    at.answer(first, written());
    expect(at.send()).toEqual(['0:2', '0:4', '0:6', '0:8', '0:10']);
  });

  it('K15: a batch that was lost goes again under its number, alone and before the younger ones', () => {
    const at = new Queue().begin();
    const [a, b, c] = [at.add(), at.add(), at.add()];
    expect(at.send()).toEqual(['0:1', '0:2', '0:3']);
    for (const batch of [a, b, c]) expect(at.answer(batch, lost)).toBe('retry');
    expect(at.send()).toEqual(['0:1']);
    at.answer(a, written());
    expect(at.send()).toEqual(['0:2']);
    at.answer(b, refused(ErrorCode.DUPLICATE_SEQUENCE_NUMBER));
    expect(at.send()).toEqual(['0:3']);
  });

  it('K15: closes the gap of a refused batch under another epoch, once all answers are in', () => {
    const at = new Queue().begin();
    const [a, b, c] = [at.add(), at.add(), at.add()];
    at.send();
    expect(at.answer(a, refused(ErrorCode.INVALID_RECORD))).toBe('settled');
    expect(a.failure).toMatchObject({ code: 'INVALID_RECORD', outcome: 'not-written' });
    at.answer(b, refused(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER));
    expect(at.send()).toEqual([]);
    at.answer(c, refused(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER));
    expect(at.send()).toEqual(['1:0']);
    at.answer(b, written());
    expect(at.send()).toEqual(['1:1']);
  });

  it('K15: uses the number of a refused batch again when nothing was numbered after it', () => {
    const at = new Queue().begin();
    const a = at.add(3);
    at.send();
    at.answer(a, refused(ErrorCode.INVALID_RECORD));
    at.add();
    expect(at.send()).toEqual(['0:1']);
  });

  it('K15: a batch that was lost before the gap keeps its number until the broker has told about it', () => {
    const at = new Queue().begin();
    const [a, b, c] = [at.add(), at.add(), at.add()];
    at.send();
    at.answer(b, refused(ErrorCode.INVALID_RECORD));
    at.answer(a, lost);
    at.answer(c, refused(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER));
    expect(at.send()).toEqual(['0:1']);
    at.answer(a, written());
    expect(at.send()).toEqual(['1:0']);
  });

  it('T2: expired while it may lie in the log is unknown; the next batches tell whether its number was used', () => {
    const at = new Queue().begin();
    const a = at.add();
    at.send();
    at.answer(a, lost);
    at.now = 5000;
    const late = (batch: ProducerBatch): KafkaClientError =>
      new KafkaClientError('DELIVERY_TIMEOUT', 'late', {
        retriable: true,
        hint: '',
        outcome: batch.maybeWritten ? 'unknown' : 'not-written',
      });
    expect(at.queue.expire(at.now, late)).toEqual([a]);
    expect(a.failure).toMatchObject({ outcome: 'unknown' });
    at.add();
    expect(at.send()).toEqual(['1:0']);
  });

  it('a batch in flight that expires is told so, and its late answer still counts', () => {
    const at = new Queue().begin();
    const a = at.add();
    at.send();
    at.now = 5000;
    at.queue.expire(at.now, () => LOST);
    expect(a.isSettled).toBe(true);
    expect(at.answer(a, written())).toBe('settled');
    at.add();
    expect(at.send()).toEqual(['0:2']);
  });

  it('fails a batch whose epoch is fenced, and goes on under another', () => {
    const at = new Queue().begin();
    const a = at.add();
    at.send();
    expect(at.answer(a, refused(ErrorCode.INVALID_PRODUCER_EPOCH))).toBe('settled');
    expect(a.failure).toMatchObject({ code: 'INVALID_PRODUCER_EPOCH', outcome: 'not-written' });
    at.add();
    expect(at.send()).toEqual(['1:0']);
  });

  it('asks for another producer id when the epochs are used up', () => {
    const at = new Queue();
    at.identity = { producerId: 7, producerEpoch: 32_767 };
    at.begin();
    const a = at.add();
    at.send();
    at.answer(a, refused(ErrorCode.UNKNOWN_PRODUCER_ID));
    expect(at.send()).toEqual([]);
    expect(at.queue.needsIdentity(at.identity)).toBe(true);
    at.identity = { producerId: 8, producerEpoch: 0 };
    expect(at.queue.needsIdentity(at.identity)).toBe(false);
    expect(at.send()).toEqual(['0:0']);
  });

  it('halves of a batch that was too large share its numbers and keep its place', () => {
    const at = new Queue().begin();
    const [a, b] = [at.add(5), at.add(1)];
    at.send();
    expect(at.answer(a, refused(ErrorCode.MESSAGE_TOO_LARGE))).toBe('split');
    at.queue.replace(splitBatch(a), at.now);
    at.answer(b, refused(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER));
    const order: string[] = [];
    for (let turn = 0; turn < 3; turn++) {
      order.push(...at.send());
      at.answer(at.queue.underWay[0] as ProducerBatch, written());
    }
    expect(order).toEqual(['0:1', '0:4', '0:6']);
  });

  it('waits after a failure, and not at all once the leader is known to have changed', () => {
    const at = new Queue().begin();
    const a = at.add();
    at.send();
    at.queue.answer(a, refused(ErrorCode.NOT_ENOUGH_REPLICAS), at.now);
    expect(at.send()).toEqual([]);
    at.queue.forgetPause();
    expect(at.send()).toEqual(['0:1']);
  });
});
