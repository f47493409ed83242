/** Produce requests at one broker: appended, replicated, answered. */
import { ErrorCode } from '@seatlog/kafka-protocol';
import {
  type OutsideLeaderEvent,
  PendingProduce,
  type ProduceEffect,
  type ProduceEvent,
  type ProduceOutcome,
} from '@seatlog/replication';
import type { ScheduledEvent } from '../schedule/event-queue.ts';
import type { BrokerRun } from './broker-run.ts';

export interface IncomingProduce {
  readonly partition: number;
  readonly acks: number;
  readonly timeoutMs: number;
  readonly batch: Uint8Array;
  /** Null: no answer. */
  readonly respond: (outcome: ProduceOutcome | null) => void;
}

export class Produces {
  readonly #run: BrokerRun;
  readonly #waits = new Map<number, (errorCode: number) => void>();
  #nextToken = 1;

  constructor(run: BrokerRun) {
    this.#run = run;
  }

  come(request: IncomingProduce): void {
    const { acks, timeoutMs, partition, respond } = request;
    const produce = new PendingProduce(acks, timeoutMs, 1);
    const { process, world } = this.#run;
    const token = this.#nextToken++;
    let timeout: ScheduledEvent | null = null;
    const tell = (event: ProduceEvent): void => {
      for (const effect of produce.step(event)) carryOut(effect);
    };
    const tellLeader = (event: OutsideLeaderEvent): void =>
      this.#run.partitions.get(partition)?.tellLeader(event);
    const carryOut = (effect: ProduceEffect): void => {
      switch (effect.type) {
        case 'append':
          this.#append(request, tell);
          return;
        case 'await-replication':
          this.#waits.set(token, (errorCode) => tell({ type: 'replicated', place: 0, errorCode }));
          tellLeader({ type: effect.type, token, requiredOffset: effect.requiredOffset });
          return;
        case 'forget-wait':
          tellLeader({ type: 'wait-expired', token });
          return;
        case 'arm-timeout':
          timeout = process.schedule(effect.delayMs, 'produce timed out', () => tell({ type: 'timed-out' }));
          return;
        case 'cancel-timeout':
          if (timeout !== null) world.queue.cancel(timeout);
          return;
        case 'respond':
          respond(effect.outcomes[0] ?? null);
          return;
        case 'close-connection':
        case 'stay-silent':
          respond(null);
      }
    };
    tell({ type: 'started' });
  }

  waitEnded(token: number, errorCode: number): void {
    const end = this.#waits.get(token);
    this.#waits.delete(token);
    end?.(errorCode);
  }

  #append({ partition, acks, batch }: IncomingProduce, tell: (event: ProduceEvent) => void): void {
    const hosted = this.#run.partitions.get(partition);
    const refuse = (errorCode: number): void =>
      tell({ type: 'refused', place: 0, errorCode, errorMessage: null });
    const errorCode = hosted?.replica.appendError(acks) ?? ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
    if (hosted === undefined || errorCode !== ErrorCode.NONE) {
      refuse(errorCode);
      return;
    }
    const { log, replica } = hosted;
    const written = ({ baseOffset, lastOffset }: { baseOffset: number; lastOffset: number }): void =>
      tell({
        type: 'written',
        place: 0,
        batch: { baseOffset, lastOffset, logAppendTime: -1, logStartOffset: log.logStartOffset },
      });
    const verdict = log.append(batch, replica.leaderEpoch, (outcome) => {
      if (outcome === 'done') hosted.noteAppended();
      hosted.tellLeader({ type: 'log-end-advanced' });
      if (outcome === 'done' && verdict.kind === 'queued') written(verdict);
      else refuse(ErrorCode.KAFKA_STORAGE_ERROR);
    });
    // What lies there from before is answered as it was then, once it is written and, with acks=all, replicated.
    if (verdict.kind === 'duplicate') written(verdict);
    if (verdict.kind === 'out-of-order') refuse(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER);
    if (verdict.kind === 'refused') refuse(ErrorCode.KAFKA_STORAGE_ERROR);
  }
}
