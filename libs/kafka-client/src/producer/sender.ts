/**
 * Carries batches to the leaders of their partitions: at the end of a turn it closes what is due, groups it by broker, and
 * keeps at most `maxInFlight` requests under way on each connection. Answers go back to the queues, which decide.
 *
 * It is woken by: a record, an answer, a connection that became ready, fresh metadata, a producer id, the end of a pause.
 */
import { apis } from '@seatlog/kafka-protocol';
import type { BrokerLane } from '../cluster/broker-lane.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { retryChannel } from '../diagnostics.ts';
import { KafkaClientError } from '../errors.ts';
import type { BrokerConnection } from '../network/broker-connection.ts';
import type { Cancel } from '../ports.ts';
import { roomForBatches, type Accumulator } from './accumulator.ts';
import { closedBeforeAnswer, deliveryTimedOut } from './delivery-errors.ts';
import { nameOfAnswer, pointsElsewhere, type Answer, type PartitionQueue } from './partition-queue.ts';
import { answerFor, produceRequest, type BatchOnTheWay, type ProduceResponse } from './produce-exchange.ts';
import type { ProducerBatch } from './producer-batch.ts';
import { ProducerIdentitySource } from './producer-identity.ts';
import type { ProducerSettings } from './producer-options.ts';
import { splitBatch } from './split-batch.ts';

/** The broker answers a produce that it cannot finish after the request timeout: it gets this much longer to do so. */
const ANSWER_GRACE_MS = 1000;
/** Without answers (acks 0) nothing more is handed to a connection that has so much left to send. */
const MAX_UNANSWERED_BYTES = 1024 * 1024;

export interface SenderListener {
  /** Buffer memory became free. */
  released(): void;
  /** A batch with records that nobody watches has failed. */
  silentFailure(error: KafkaClientError): void;
}

export class Sender {
  readonly #cluster: Cluster;
  readonly #accumulator: Accumulator;
  readonly #settings: ProducerSettings;
  readonly #purpose: string;
  readonly #listener: SenderListener;
  readonly #identity: ProducerIdentitySource;
  readonly #opening = new Set<BrokerLane>();
  #turnPending = false;
  #rotation = 0;
  #cancelLinger: Cancel | null = null;
  #cancelPause: Cancel | null = null;
  #pauseEnds = Infinity;
  #cancelExpiry: Cancel | null = null;
  #closed = false;

  constructor(
    cluster: Cluster,
    accumulator: Accumulator,
    settings: ProducerSettings,
    purpose: string,
    listener: SenderListener,
  ) {
    this.#cluster = cluster;
    this.#accumulator = accumulator;
    this.#settings = settings;
    this.#purpose = purpose;
    this.#listener = listener;
    this.#identity = new ProducerIdentitySource(cluster, (refusal) => {
      if (refusal === null) this.pump();
      else this.#failWaiting(refusal);
    });
  }

  /** Something was appended: look at it when this turn is over. */
  wake(): void {
    if (this.#turnPending || this.#closed) return;
    this.#turnPending = true;
    this.#cluster.settings.ports.turns.defer(() => {
      this.#turnPending = false;
      this.#turnEnded(this.#settings.lingerMs);
    });
  }

  /** Closes every open batch at once and sends. */
  sendAll(): void {
    this.#turnEnded(0);
  }

  /** Fresh metadata: whoever has another leader now need not wait any longer. */
  metadataChanged(): void {
    for (const queue of this.#accumulator.activeQueues) {
      const leader = this.#cluster.metadata.leaderOf(queue.topic, queue.partition);
      if (leader >= 0 && leader !== queue.lastLeader) queue.forgetPause();
    }
    this.pump();
  }

  /** Sends what may be sent. */
  pump(): void {
    if (this.#closed) return;
    const now = this.#now();
    let pauseEnds = Infinity;
    const byLeader = new Map<number, PartitionQueue[]>();
    for (const queue of this.#accumulator.activeQueues) {
      if (queue.waitingCount === 0) continue;
      if (queue.notBefore > now) {
        pauseEnds = Math.min(pauseEnds, queue.notBefore);
        continue;
      }
      if (queue.needsIdentity(this.#identity.current)) this.#identity.request();
      if (queue.peek(now, this.#identity.current) === null) continue;
      const leader = this.#cluster.metadata.leaderOf(queue.topic, queue.partition);
      const queues = byLeader.get(leader);
      if (queues === undefined) byLeader.set(leader, [queue]);
      else queues.push(queue);
    }
    for (const [leader, queues] of byLeader) {
      if (leader < 0) this.#cluster.requestRefresh();
      else this.#sendTo(leader, queues, now);
    }
    this.#wakeAfterPause(pauseEnds, now);
    this.#armExpiry(now);
  }

  /** Tells everybody who still waits that the end has come, and sends no more. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#identity.close();
    for (const cancel of [this.#cancelLinger, this.#cancelPause, this.#cancelExpiry]) cancel?.();
    for (const queue of this.#accumulator.activeQueues) {
      const underWay = new Set(queue.underWay);
      for (const batch of queue.unsettled())
        this.#fail(queue, batch, closedBeforeAnswer(batch, underWay.has(batch)));
    }
  }

  #turnEnded(lingerMs: number): void {
    const now = this.#now();
    const due = this.#accumulator.closeOpen(now, lingerMs);
    this.#cancelLinger?.();
    this.#cancelLinger =
      due === Infinity
        ? null
        : this.#cluster.settings.ports.timers.schedule(due - now, () =>
            this.#turnEnded(this.#settings.lingerMs),
          );
    this.pump();
  }

  #sendTo(leader: number, queues: readonly PartitionQueue[], now: number): void {
    const lane = this.#cluster.lane(this.#purpose, leader, {
      drained: () => this.pump(),
      closed: () => this.#cluster.requestRefresh(),
    });
    const { connection } = lane;
    if (connection === null) {
      this.#open(lane);
      return;
    }
    while (this.#mayCall(connection)) {
      const batches = this.#collect(inTurn(queues, this.#rotation++), now);
      if (batches.length === 0) return;
      for (const { queue } of batches) queue.lastLeader = leader;
      this.#call(connection, batches);
    }
  }

  #mayCall(connection: BrokerConnection): boolean {
    if (!connection.isReady) return false;
    if (this.#settings.acks === 0) return connection.pendingBytes < MAX_UNANSWERED_BYTES;
    return connection.inFlight < this.#settings.maxInFlight;
  }

  /** One batch of each partition as far as the request has room; the first goes whatever its size. */
  #collect(queues: readonly PartitionQueue[], now: number): BatchOnTheWay[] {
    let room = roomForBatches(this.#settings.maxRequestSize);
    const batches: BatchOnTheWay[] = [];
    for (const queue of queues) {
      const size = queue.peek(now, this.#identity.current);
      if (size === null || (size > room && batches.length > 0)) continue;
      const batch = queue.take();
      const bytes = batch.bytes(this.#settings.compression);
      batches.push({ queue, batch, bytes });
      room -= bytes.length;
    }
    return batches;
  }

  #call(connection: BrokerConnection, batches: readonly BatchOnTheWay[]): void {
    const { acks, requestTimeoutMs } = this.#settings;
    try {
      connection.call(
        apis.produce,
        connection.versions.require(apis.produce),
        produceRequest(batches, acks, requestTimeoutMs),
        (error, response) => this.#answered(batches, error, response),
        { timeoutMs: requestTimeoutMs + ANSWER_GRACE_MS, answered: acks !== 0 },
      );
    } catch (cause) {
      const error = unsent(cause);
      for (const { queue, batch } of batches) {
        if (error.retriable) this.#answerOne(queue, batch, null, { kind: 'unsent', error });
        else this.#fail(queue, batch, error);
      }
    }
  }

  #answered(
    batches: readonly BatchOnTheWay[],
    error: KafkaClientError | null,
    response: ProduceResponse | null,
  ): void {
    if (this.#closed) return;
    for (const onTheWay of batches) {
      const { queue, batch, bytes } = onTheWay;
      if (error !== null) {
        this.#answerOne(queue, batch, null, { kind: 'lost', error });
      } else if (response === null) {
        this.#answerOne(queue, batch, null, { kind: 'written', baseOffset: -1, logAppendTime: -1 });
      } else {
        const { answer, leader } = answerFor(response, onTheWay);
        if (leader !== null && this.#learn(queue, leader.leaderId, leader.leaderEpoch)) queue.forgetPause();
        this.#answerOne(queue, batch, bytes, answer);
      }
    }
    this.pump();
    this.#listener.released();
  }

  /** `bytes` if the broker has read them all, so that their buffer may be used again. */
  #answerOne(queue: PartitionQueue, batch: ProducerBatch, bytes: Uint8Array | null, answer: Answer): void {
    const now = this.#now();
    const outcome = queue.answer(batch, answer, now);
    if (pointsElsewhere(answer)) this.#cluster.requestRefresh();
    if (outcome === 'split') {
      this.#accumulator.split(queue, batch, splitBatch(batch), now);
    } else if (outcome === 'settled') {
      if (answer.kind !== 'written' && batch.failure !== null) this.#hearSilence(batch, batch.failure);
      this.#accumulator.release(queue, batch, answer.kind === 'written' ? bytes : null);
    }
    if (outcome !== 'settled') {
      retryChannel.publish({
        clientId: this.#cluster.settings.clientId,
        operation: 'produce',
        topic: queue.topic,
        partition: queue.partition,
        code: nameOfAnswer(answer),
        attempt: batch.attempts,
      });
    }
  }

  #learn(queue: PartitionQueue, leaderId: number, leaderEpoch: number): boolean {
    return this.#cluster.metadata.learnLeader(queue.topic, queue.partition, leaderId, leaderEpoch);
  }

  #open(lane: BrokerLane): void {
    if (this.#opening.has(lane)) return;
    this.#opening.add(lane);
    lane.open().then(
      () => {
        this.#opening.delete(lane);
        this.pump();
      },
      () => {
        this.#opening.delete(lane);
        if (this.#closed) return;
        // The broker may be gone for good: another leader shows in the metadata, and pumping tries this one again.
        this.#cluster.requestRefresh();
      },
    );
  }

  #wakeAfterPause(pauseEnds: number, now: number): void {
    if (pauseEnds === this.#pauseEnds && this.#cancelPause !== null) return;
    this.#cancelPause?.();
    this.#pauseEnds = pauseEnds;
    this.#cancelPause =
      pauseEnds === Infinity
        ? null
        : this.#cluster.settings.ports.timers.schedule(pauseEnds - now, () => {
            this.#cancelPause = null;
            this.pump();
          });
  }

  /** One timer, armed for the earliest deadline there was when it was last looked at. */
  #armExpiry(now: number): void {
    if (this.#cancelExpiry !== null || this.#accumulator.isEmpty) return;
    let earliest = Infinity;
    for (const queue of this.#accumulator.activeQueues) earliest = Math.min(earliest, queue.nextDeadline);
    if (earliest === Infinity) return;
    this.#cancelExpiry = this.#cluster.settings.ports.timers.schedule(earliest - now, () => {
      this.#cancelExpiry = null;
      this.#expire();
      this.pump();
    });
  }

  #expire(): void {
    const now = this.#now();
    const { deliveryTimeoutMs } = this.#settings;
    for (const queue of Array.from(this.#accumulator.activeQueues)) {
      const before = queue.unsettled();
      const gone = queue.expire(now, (batch, underWay) =>
        deliveryTimedOut(queue, batch, underWay, deliveryTimeoutMs),
      );
      for (const batch of before) if (batch.failure !== null) this.#hearSilence(batch, batch.failure);
      for (const batch of gone) this.#accumulator.release(queue, batch, null);
    }
    this.#listener.released();
  }

  #failWaiting(error: KafkaClientError): void {
    for (const queue of Array.from(this.#accumulator.activeQueues)) {
      for (const batch of queue.removeUnsent()) this.#fail(queue, batch, error);
    }
    this.#listener.released();
  }

  #fail(queue: PartitionQueue, batch: ProducerBatch, error: KafkaClientError): void {
    queue.drop(batch);
    batch.settleFailed(error, queue.partition);
    this.#hearSilence(batch, error);
    this.#accumulator.release(queue, batch, null);
  }

  #hearSilence(batch: ProducerBatch, error: KafkaClientError): void {
    if (batch.hasSilentRecords) this.#listener.silentFailure(error);
  }

  #now(): number {
    return this.#cluster.settings.ports.clock.monotonic();
  }
}

/** The queues from another one on each time, so that none is always the last to find room. */
function inTurn(queues: readonly PartitionQueue[], rotation: number): readonly PartitionQueue[] {
  if (queues.length === 1) return queues;
  const first = rotation % queues.length;
  return [...queues.slice(first), ...queues.slice(0, first)];
}

function unsent(cause: unknown): KafkaClientError {
  if (cause instanceof KafkaClientError) {
    const { code, message, retriable, hint } = cause;
    return new KafkaClientError(code, message, {
      retriable,
      hint,
      outcome: 'not-written',
      cause: cause.cause,
    });
  }
  return new KafkaClientError('INVALID_ARGUMENT', 'the request could not be encoded', {
    retriable: false,
    hint: 'look at the cause',
    outcome: 'not-written',
    cause,
  });
}
