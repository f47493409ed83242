/**
 * Tells the controller of replicas whose logs take no more, so that others lead (F7, F8), and of those that do again.
 *
 * A log takes no more when its disk is full, which may pass, when it is fenced, or when it could not be opened. Such a
 * replica is said to lie in a lost directory, while the metadata has it in sync beside others; once it has taken an
 * append again it is said to lie where it does. What the metadata says is looked at again after each report, with a
 * pause, until it is as it should be.
 */
import { apis, ErrorCode, errorByCode } from '@seatlog/kafka-protocol';
import { LOST_DIRECTORY } from '@seatlog/replication';
import type { Cancel, Timers } from '@seatlog/runtime';
import type { Logger } from '../logger.ts';
import type { ControllerRequests } from '../controller/controller-requests.ts';
import type { ImageClusterView } from './image-cluster-view.ts';

const VERSION = 0;
const REQUEST_TIMEOUT_MS = 5000;
/** Between two reports of one replica. */
const PAUSE_MS = 1000;

export interface PlacedReplica {
  readonly topic: string;
  readonly topicId: string;
  readonly index: number;
  /** Its log took nothing when it was last tried. */
  readonly isFailing: boolean;
  /** In the ISR, as the metadata has it, and not alone there. */
  readonly isInSync: boolean;
  /** Its directory is lost, as the metadata has it. */
  readonly isMarkedLost: boolean;
}

export interface ReplicaDirectoriesOptions {
  readonly nodeId: number;
  readonly cluster: ImageClusterView;
  readonly timers: Timers;
  readonly log: Logger;
}

interface Report {
  /** As it was told of last. */
  replica: PlacedReplica;
  cancel: Cancel | null;
}

export class ReplicaDirectories {
  readonly #options: ReplicaDirectoriesOptions;
  /** By topic id and partition: those that were reported, until their pause is over. */
  readonly #reports = new Map<string, Report>();
  #controller: ControllerRequests | null = null;
  #isStopped = false;

  constructor(options: ReplicaDirectoriesOptions) {
    this.#options = options;
  }

  sendTo(controller: ControllerRequests): void {
    this.#controller = controller;
  }

  /** There is news of a replica: of its log, or of what the metadata says of it. */
  lookAt(replica: PlacedReplica): void {
    const key = keyOf(replica);
    const known = this.#reports.get(key);
    if (known !== undefined) {
      known.replica = replica;
      return;
    }
    const directory = this.#directoryToTell(replica);
    if (directory === null || this.#isStopped || this.#controller === null) return;
    const report: Report = { replica, cancel: null };
    this.#reports.set(key, report);
    this.#send(this.#controller, replica, directory, () => {
      if (this.#isStopped) return;
      report.cancel = this.#options.timers.schedule(PAUSE_MS, () => {
        this.#reports.delete(key);
        this.lookAt(report.replica);
      });
    });
  }

  stop(): void {
    this.#isStopped = true;
    for (const { cancel } of this.#reports.values()) cancel?.();
    this.#reports.clear();
  }

  /** Null: the metadata says what is so. */
  #directoryToTell({ isFailing, isInSync, isMarkedLost }: PlacedReplica): string | null {
    if (isFailing) return isInSync && !isMarkedLost ? LOST_DIRECTORY : null;
    const { nodeId, cluster } = this.#options;
    return isMarkedLost ? (cluster.image.brokers.get(nodeId)?.logDirs[0] ?? null) : null;
  }

  #send(
    controller: ControllerRequests,
    { topic, topicId, index }: PlacedReplica,
    directory: string,
    done: () => void,
  ): void {
    const { nodeId, cluster, log } = this.#options;
    const about = { topic, partition: index };
    if (directory === LOST_DIRECTORY)
      log.warn('A replica takes no more appends; the controller is asked to do without it', about);
    else log.info('A replica takes appends again', about);
    const topics = [{ topicId, partitions: [{ partitionIndex: index }] }];
    const request = {
      brokerId: nodeId,
      brokerEpoch: cluster.brokerEpoch,
      directories: [{ id: directory, topics }],
    };
    const options = { timeoutMs: REQUEST_TIMEOUT_MS };
    controller.send(apis.assignReplicasToDirs, VERSION, request, options, (outcome) => {
      const problem = outcome.kind === 'failed' ? outcome.reason : problemOf(outcome.response.errorCode);
      if (problem !== null)
        log.warn('The controller did not take where a replica lies', { ...about, problem });
      done();
    });
  }
}

function keyOf({ topicId, index }: PlacedReplica): string {
  return `${topicId}:${index}`;
}

function problemOf(errorCode: number): string | null {
  return errorCode === ErrorCode.NONE ? null : errorByCode(errorCode).name;
}
