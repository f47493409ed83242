/**
 * Carries out what `ReplicaReports` says of replicas whose logs take no more, or do again: tells the controller that they
 * lie in a lost directory, or where they do lie, and sees whether a disk that was full has room again.
 */
import { apis, ErrorCode, errorByCode } from '@seatlog/kafka-protocol';
import {
  LOST_DIRECTORY,
  type ReportedReplica,
  type ReportEffect,
  ReplicaReports,
} from '@seatlog/replication';
import type { Cancel, Timers } from '@seatlog/runtime';
import type { Logger } from '../logger.ts';
import type { ControllerRequests } from '../controller/controller-requests.ts';
import type { ImageClusterView } from './image-cluster-view.ts';

const VERSION = 0;
const REQUEST_TIMEOUT_MS = 5000;

export interface PlacedReplica extends ReportedReplica {
  readonly topic: string;
  /** Whether its disk has room for an append; the replica knows of it when `done` is called. */
  probeRoom(done: () => void): void;
}

export interface ReplicaDirectoriesOptions {
  readonly nodeId: number;
  readonly cluster: ImageClusterView;
  readonly timers: Timers;
  readonly log: Logger;
}

type Effect = ReportEffect<PlacedReplica>;

export class ReplicaDirectories {
  readonly #options: ReplicaDirectoriesOptions;
  readonly #reports = new ReplicaReports<PlacedReplica>();
  readonly #pauses = new Set<Cancel>();
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
    if (this.#controller !== null) this.#carryOut(this.#reports.lookAt(replica));
  }

  /** The replica was deleted or moved away. */
  forget(replica: PlacedReplica): void {
    this.#reports.forget(replica);
  }

  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#pauses) cancel();
    this.#pauses.clear();
  }

  #carryOut(effect: Effect | null): void {
    if (effect === null || this.#isStopped) return;
    const { replica } = effect;
    switch (effect.type) {
      case 'tell':
        this.#tell(replica, effect.isLost);
        return;
      case 'probe':
        replica.probeRoom(() => this.#carryOut(this.#reports.probed(replica)));
        return;
      case 'arm-pause': {
        const cancel = this.#options.timers.schedule(effect.delayMs, () => {
          this.#pauses.delete(cancel);
          this.#carryOut(this.#reports.due(replica));
        });
        this.#pauses.add(cancel);
      }
    }
  }

  #tell(replica: PlacedReplica, isLost: boolean): void {
    const { nodeId, cluster, log } = this.#options;
    const { topic, topicId, index } = replica;
    const about = { topic, partition: index };
    const directory = isLost ? LOST_DIRECTORY : cluster.image.brokers.get(nodeId)?.logDirs[0];
    const told = (): void => this.#carryOut(this.#reports.told(replica));
    // It is not registered yet, as far as is known here.
    if (directory === undefined || this.#controller === null) return told();
    if (isLost) log.warn('A replica takes no more appends; the controller is asked to do without it', about);
    else log.info('A replica takes appends again', about);
    const topics = [{ topicId, partitions: [{ partitionIndex: index }] }];
    const request = {
      brokerId: nodeId,
      brokerEpoch: cluster.brokerEpoch,
      directories: [{ id: directory, topics }],
    };
    const options = { timeoutMs: REQUEST_TIMEOUT_MS };
    return this.#controller.send(apis.assignReplicasToDirs, VERSION, request, options, (outcome) => {
      const problem = outcome.kind === 'failed' ? outcome.reason : problemOf(outcome.response.errorCode);
      if (problem !== null)
        log.warn('The controller did not take where a replica lies', { ...about, problem });
      told();
    });
  }
}

function problemOf(errorCode: number): string | null {
  return errorCode === ErrorCode.NONE ? null : errorByCode(errorCode).name;
}
