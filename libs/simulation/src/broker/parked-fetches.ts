/** Fetches at one broker: looked at when they come, parked if there is nothing yet, looked at again when woken. */
import { ErrorCode } from '@seatlog/kafka-protocol';
import {
  CONSUMER,
  type FetchedPartition,
  type FetchLook,
  type FetchRequest,
  type FetchResponse,
  type WaitingFetches,
} from '@seatlog/replication';
import type { ScheduledEvent } from '../schedule/event-queue.ts';
import type { BrokerRun } from './broker-run.ts';

interface Wanted {
  readonly partition: number;
  readonly maxBytes: number;
  readonly look: FetchLook;
}

interface IncomingFetch {
  readonly isConsumer: boolean;
  readonly wanted: readonly Wanted[];
  readonly maxWaitMs: number;
  readonly respond: (answers: FetchedPartition[]) => void;
}

interface ParkedFetch extends IncomingFetch {
  readonly deadline: ScheduledEvent;
}

export class ParkedFetches {
  readonly #run: BrokerRun;
  readonly #parked = new Set<ParkedFetch>();

  constructor(run: BrokerRun) {
    this.#run = run;
  }

  /** A follower's, for all partitions that it follows here. */
  comeFromFollower(request: FetchRequest, respond: (response: FetchResponse) => void): void {
    const topicId = request.topics[0]?.topicId ?? '';
    const replicaId = request.replicaState?.replicaId ?? -1;
    const brokerEpoch = request.replicaState?.replicaEpoch ?? -1;
    const wanted: Wanted[] = [];
    for (const topic of request.topics) {
      for (const it of topic.partitions) {
        const look: FetchLook = {
          replicaId,
          brokerEpoch,
          currentLeaderEpoch: it.currentLeaderEpoch ?? -1,
          fetchOffset: it.fetchOffset,
          lastFetchedEpoch: it.lastFetchedEpoch ?? -1,
          logStartOffset: it.logStartOffset ?? -1,
          isReadCommitted: false,
          mayReadFromFollower: false,
        };
        wanted.push({ partition: it.partition, maxBytes: it.partitionMaxBytes, look });
      }
    }
    this.#come({
      isConsumer: false,
      wanted,
      maxWaitMs: request.maxWaitMs,
      respond: (partitions) =>
        respond({
          throttleTimeMs: 0,
          errorCode: 0,
          sessionId: 0,
          responses: [{ topic: '', topicId, partitions }],
          nodeEndpoints: [],
        }),
    });
  }

  comeFromConsumer(
    partition: number,
    offset: number,
    mayReadFromFollower: boolean,
    respond: (answer: FetchedPartition) => void,
  ): void {
    const { fetchMaxBytes, fetchWaitMaxMs } = this.#run.world.settings;
    const look: FetchLook = {
      replicaId: CONSUMER,
      brokerEpoch: -1,
      currentLeaderEpoch: -1,
      fetchOffset: offset,
      lastFetchedEpoch: -1,
      logStartOffset: -1,
      isReadCommitted: false,
      mayReadFromFollower,
    };
    this.#come({
      isConsumer: true,
      wanted: [{ partition, maxBytes: fetchMaxBytes, look }],
      maxWaitMs: fetchWaitMaxMs,
      respond: ([answer = answerWith(partition, {})]) => respond(answer),
    });
  }

  isWaiting(partition: number, whose: WaitingFetches): boolean {
    for (const parked of this.#parked) if (concerns(parked, partition, whose)) return true;
    return false;
  }

  wake(partition: number, whose: WaitingFetches): void {
    for (const parked of [...this.#parked]) {
      if (!concerns(parked, partition, whose)) continue;
      const answers = this.#lookAtAll(parked, 'again');
      if (!answers.some(isWorthSending)) continue;
      this.#parked.delete(parked);
      this.#run.world.queue.cancel(parked.deadline);
      parked.respond(answers);
    }
  }

  #come(fetch: IncomingFetch): void {
    const answers = this.#lookAtAll(fetch, 'first');
    if (fetch.maxWaitMs <= 0 || answers.some(isWorthSending)) {
      fetch.respond(answers);
      return;
    }
    const deadline = this.#run.process.schedule(fetch.maxWaitMs, 'fetch wait ends', () => {
      if (this.#parked.delete(parked)) fetch.respond(this.#lookAtAll(fetch, 'again'));
    });
    const parked: ParkedFetch = { ...fetch, deadline };
    this.#parked.add(parked);
  }

  #lookAtAll(fetch: IncomingFetch, when: 'first' | 'again'): FetchedPartition[] {
    return fetch.wanted.map((wanted) => this.#lookAt(wanted, when));
  }

  #lookAt({ partition, look, maxBytes }: Wanted, when: 'first' | 'again'): FetchedPartition {
    const hosted = this.#run.partitions.get(partition);
    if (hosted === undefined) return answerWith(partition, { errorCode: ErrorCode.UNKNOWN_TOPIC_ID });
    const { replica, log } = hosted;
    const { verdict, effects } = replica.lookAtFetch(look, when, this.#run.moment);
    hosted.carryOut(effects);
    const highWatermark = replica.leader?.highWatermark ?? log.highWatermark;
    switch (verdict.kind) {
      case 'refused':
        return answerWith(partition, { errorCode: verdict.errorCode });
      case 'diverging': {
        const divergingEpoch = { epoch: verdict.epoch, endOffset: verdict.endOffset };
        return answerWith(partition, { divergingEpoch, highWatermark, logStartOffset: log.logStartOffset });
      }
      case 'read': {
        const bound = verdict.bound === 'log-end' ? log.logEndOffset : highWatermark;
        const records = log.read(look.fetchOffset, bound, maxBytes);
        if (records === null) return answerWith(partition, { errorCode: ErrorCode.KAFKA_STORAGE_ERROR });
        return answerWith(partition, { records, highWatermark, logStartOffset: log.logStartOffset });
      }
    }
  }
}

function concerns(parked: ParkedFetch, partition: number, whose: WaitingFetches): boolean {
  const bound = parked.isConsumer ? 'high-watermark' : 'log-end';
  return (whose === 'all' || whose === bound) && parked.wanted.some((it) => it.partition === partition);
}

function isWorthSending({ errorCode, divergingEpoch, records }: FetchedPartition): boolean {
  return errorCode !== ErrorCode.NONE || divergingEpoch.epoch !== -1 || (records?.length ?? 0) > 0;
}

const NO_EPOCH = { epoch: -1, endOffset: -1 };
const NO_LEADER_KNOWN = { leaderId: -1, leaderEpoch: -1 };

/** An answer with nothing in it but what is given. */
function answerWith(partitionIndex: number, given: Partial<FetchedPartition>): FetchedPartition {
  return {
    partitionIndex,
    errorCode: given.errorCode ?? ErrorCode.NONE,
    highWatermark: given.highWatermark ?? -1,
    lastStableOffset: -1,
    logStartOffset: given.logStartOffset ?? -1,
    divergingEpoch: given.divergingEpoch ?? NO_EPOCH,
    currentLeader: NO_LEADER_KNOWN,
    snapshotId: { endOffset: -1, epoch: -1 },
    abortedTransactions: null,
    preferredReadReplica: -1,
    records: given.records ?? null,
  };
}
