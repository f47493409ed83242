/** Produce requests at one broker: appended, replicated, answered. */
import { ErrorCode } from '@seatlog/kafka-protocol';
import {
  PendingProduce,
  type ProduceEffect,
  type ProduceEvent,
  type ProduceOutcome,
} from '../produce/pending-produce.ts';
import type { SimulatedBroker } from './simulated-broker.ts';

export interface SimulatedProduce {
  readonly acks: number;
  readonly timeoutMs: number;
  readonly words: readonly string[];
  /** Null: no answer. */
  readonly done: (outcome: ProduceOutcome | null) => void;
}

export class SimulatedProduces {
  readonly #broker: SimulatedBroker;
  readonly #waits = new Map<number, (errorCode: number) => void>();
  #nextToken = 1;

  constructor(broker: SimulatedBroker) {
    this.#broker = broker;
  }

  come({ acks, timeoutMs, words, done }: SimulatedProduce): void {
    const produce = new PendingProduce(acks, timeoutMs, 1);
    const broker = this.#broker;
    const token = this.#nextToken++;
    let cancelTimeout = (): void => {};
    const tell = (event: ProduceEvent): void => {
      for (const effect of produce.step(event)) carryOut(effect);
    };
    const carryOut = (effect: ProduceEffect): void => {
      switch (effect.type) {
        case 'append':
          this.#append(acks, words, tell);
          return;
        case 'await-replication':
          this.#waits.set(token, (errorCode) => tell({ type: 'replicated', place: 0, errorCode }));
          broker.tellLeader({ type: effect.type, token, requiredOffset: effect.requiredOffset });
          return;
        case 'forget-wait':
          broker.tellLeader({ type: 'wait-expired', token });
          return;
        case 'arm-timeout':
          cancelTimeout = broker.process.schedule(effect.delayMs, () => tell({ type: 'timed-out' }));
          return;
        case 'cancel-timeout':
          cancelTimeout();
          return;
        case 'respond':
          done(effect.outcomes[0] ?? null);
          return;
        case 'close-connection':
        case 'stay-silent':
          done(null);
      }
    };
    tell({ type: 'started' });
  }

  waitEnded(token: number, errorCode: number): void {
    const end = this.#waits.get(token);
    this.#waits.delete(token);
    end?.(errorCode);
  }

  #append(acks: number, words: readonly string[], tell: (event: ProduceEvent) => void): void {
    const { replica, log } = this.#broker;
    const errorCode = replica.appendError(acks);
    if (errorCode !== ErrorCode.NONE) {
      tell({ type: 'refused', place: 0, errorCode, errorMessage: null });
      return;
    }
    const queued = log.queue(words, replica.leaderEpoch);
    this.#broker.write(() => {
      const isWritten = log.write(queued);
      this.#broker.tellLeader({ type: 'log-end-advanced' });
      const { baseOffset, lastOffset } = queued;
      const batch = { baseOffset, lastOffset, logAppendTime: -1, logStartOffset: log.logStartOffset };
      tell(
        isWritten
          ? { type: 'written', place: 0, batch }
          : { type: 'refused', place: 0, errorCode: ErrorCode.KAFKA_STORAGE_ERROR, errorMessage: null },
      );
    });
  }
}
