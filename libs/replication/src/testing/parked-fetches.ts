/** Fetches at one broker: looked at when they come, parked if there is nothing yet, looked at again when woken. */
import { ErrorCode } from '@seatlog/kafka-protocol';
import { CONSUMER, type FetchLook } from '../fetch-verdict.ts';
import type { FetchedPartition } from '../follower/follower-events.ts';
import type { WaitingFetches } from '../waiting-fetches.ts';
import type { SimulatedBroker } from './simulated-broker.ts';

export interface SimulatedFetch {
  readonly look: FetchLook;
  readonly maxBytes: number;
  readonly maxWaitMs: number;
  readonly respond: (answer: FetchedPartition) => void;
}

interface ParkedFetch extends SimulatedFetch {
  readonly cancelDeadline: () => void;
}

export class ParkedFetches {
  readonly #broker: SimulatedBroker;
  readonly #parked = new Set<ParkedFetch>();

  constructor(broker: SimulatedBroker) {
    this.#broker = broker;
  }

  get count(): number {
    return this.#parked.size;
  }

  come(fetch: SimulatedFetch): void {
    const answer = this.#lookAt(fetch, 'first');
    if (isWorthSending(answer) || fetch.maxWaitMs <= 0) {
      fetch.respond(answer);
      return;
    }
    const cancelDeadline = this.#broker.process.schedule(fetch.maxWaitMs, () => {
      this.#parked.delete(parked);
      fetch.respond(this.#lookAt(fetch, 'again'));
    });
    const parked: ParkedFetch = { ...fetch, cancelDeadline };
    this.#parked.add(parked);
  }

  wake(whose: WaitingFetches): void {
    for (const parked of Array.from(this.#parked)) {
      const bound = parked.look.replicaId === CONSUMER ? 'high-watermark' : 'log-end';
      if (whose !== 'all' && whose !== bound) continue;
      const answer = this.#lookAt(parked, 'again');
      if (!isWorthSending(answer)) continue;
      this.#parked.delete(parked);
      parked.cancelDeadline();
      parked.respond(answer);
    }
  }

  #lookAt(fetch: SimulatedFetch, when: 'first' | 'again'): FetchedPartition {
    const { replica, log } = this.#broker;
    const { look } = fetch;
    const { verdict, effects } = replica.lookAtFetch(look, when, this.#broker.moment);
    this.#broker.carryOut(effects);
    switch (verdict.kind) {
      case 'refused':
        return answerWith({ errorCode: verdict.errorCode });
      case 'diverging':
        return answerWith({ divergingEpoch: { epoch: verdict.epoch, endOffset: verdict.endOffset } });
      case 'read': {
        const highWatermark = replica.leader?.highWatermark ?? log.highWatermark;
        const bound = verdict.bound === 'log-end' ? log.logEndOffset : highWatermark;
        const records = log.read(look.fetchOffset, bound, fetch.maxBytes);
        return answerWith({ records, highWatermark, logStartOffset: log.logStartOffset });
      }
    }
  }
}

function isWorthSending(answer: FetchedPartition): boolean {
  return (
    answer.errorCode !== ErrorCode.NONE ||
    answer.divergingEpoch.epoch !== -1 ||
    (answer.records?.length ?? 0) > 0
  );
}

/** An answer with nothing in it but what is given. */
export function answerWith(given: Partial<FetchedPartition>): FetchedPartition {
  return {
    partitionIndex: 0,
    errorCode: ErrorCode.NONE,
    highWatermark: -1,
    lastStableOffset: -1,
    logStartOffset: -1,
    divergingEpoch: { epoch: -1, endOffset: -1 },
    currentLeader: { leaderId: -1, leaderEpoch: -1 },
    snapshotId: { endOffset: -1, epoch: -1 },
    abortedTransactions: null,
    preferredReadReplica: -1,
    records: null,
    ...given,
  };
}
