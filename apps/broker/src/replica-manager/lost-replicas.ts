/**
 * Tells the controller of replicas whose logs take no more, so that others lead (F7, F8): a full disk, which may pass, a
 * log that is fenced, or one that could not be opened. Said while the metadata has the replica in sync beside others, and
 * again after a pause if it still has.
 */
import { apis, ErrorCode, errorByCode } from '@seatlog/kafka-protocol';
import { LOST_DIRECTORY } from '@seatlog/metadata-quorum';
import type { ClusterView } from '@seatlog/replication';
import type { Cancel, Timers } from '@seatlog/runtime';
import type { Logger } from '../logger.ts';
import type { ControllerRequests } from './controller-requests.ts';

const VERSION = 0;
const REQUEST_TIMEOUT_MS = 5000;
/** Between two reports of one replica. */
const PAUSE_MS = 1000;

export interface LosableReplica {
  readonly topic: string;
  readonly topicId: string;
  readonly index: number;
  /** In the ISR, as the metadata has it, and not alone there. */
  readonly isInSync: boolean;
  /** Its log takes nothing any more; false: it may, when it is tried again. */
  readonly isLost: boolean;
}

export interface LostReplicasOptions {
  readonly nodeId: number;
  readonly cluster: ClusterView;
  readonly timers: Timers;
  readonly log: Logger;
}

interface Report {
  /** As it was told of last. */
  replica: LosableReplica;
  cancel: Cancel | null;
}

export class LostReplicas {
  readonly #options: LostReplicasOptions;
  /** By topic id and partition: those that were reported, until their pause is over. */
  readonly #reports = new Map<string, Report>();
  #controller: ControllerRequests | null = null;
  #isStopped = false;

  constructor(options: LostReplicasOptions) {
    this.#options = options;
  }

  sendTo(controller: ControllerRequests): void {
    this.#controller = controller;
  }

  /** The replica's log refused an append, its sync failed, or there is news of one for which that is so. */
  report(replica: LosableReplica): void {
    if (this.#controller === null || this.#isStopped) return;
    const { topic, topicId, index } = replica;
    const known = this.#reports.get(`${topicId}:${index}`);
    if (known !== undefined) {
      known.replica = replica;
      return;
    }
    if (!replica.isInSync) return;
    const report: Report = { replica, cancel: null };
    this.#reports.set(`${topicId}:${index}`, report);
    const { nodeId, cluster, log } = this.#options;
    log.warn('A replica takes no more appends; the controller is asked to do without it', {
      topic,
      partition: index,
    });
    const request = {
      brokerId: nodeId,
      brokerEpoch: cluster.brokerEpoch,
      directories: [{ id: LOST_DIRECTORY, topics: [{ topicId, partitions: [{ partitionIndex: index }] }] }],
    };
    const options = { timeoutMs: REQUEST_TIMEOUT_MS };
    this.#controller.send(apis.assignReplicasToDirs, VERSION, request, options, (outcome) => {
      const problem = outcome.kind === 'failed' ? outcome.reason : problemOf(outcome.response.errorCode);
      if (problem !== null)
        log.warn('The controller did not take the report of a lost replica', { topic, problem });
      this.#pause(report);
    });
  }

  stop(): void {
    this.#isStopped = true;
    for (const { cancel } of this.#reports.values()) cancel?.();
    this.#reports.clear();
  }

  #pause(report: Report): void {
    if (this.#isStopped) return;
    report.cancel = this.#options.timers.schedule(PAUSE_MS, () => {
      const { topicId, index, isLost } = report.replica;
      this.#reports.delete(`${topicId}:${index}`);
      if (isLost) this.report(report.replica);
    });
  }
}

function problemOf(errorCode: number): string | null {
  return errorCode === ErrorCode.NONE ? null : errorByCode(errorCode).name;
}
