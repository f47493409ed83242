/**
 * Carries this broker's proposals of ISRs to the active controller, and its verdicts back to the leaders. What is sent
 * when, and again, `AlterPartitionChannel` decides.
 */
import { apis } from '@seatlog/kafka-protocol';
import {
  AlterPartitionChannel,
  type ChannelEffect,
  type ChannelEvent,
  type ClusterView,
  type IsrProposal,
  type IsrVerdict,
} from '@seatlog/replication';
import type { Cancel, Timers } from '@seatlog/runtime';
import type { Logger } from '../logger.ts';
import type { ControllerRequests } from '../controller/controller-requests.ts';
import type { EffectOrder } from './effect-order.ts';

const ALTER_PARTITION_VERSION = 3;

export interface IsrProposalsOptions {
  readonly nodeId: number;
  readonly cluster: ClusterView;
  readonly order: EffectOrder;
  readonly timers: Timers;
  readonly log: Logger;
  /** How long one attempt may take. */
  readonly requestTimeoutMs: number;
  /** Gives the verdict to the leader of the proposal's partition, if it is still here. */
  readonly settle: (proposal: IsrProposal, verdict: IsrVerdict) => void;
}

export class IsrProposals {
  readonly #options: IsrProposalsOptions;
  readonly #channel: AlterPartitionChannel;
  #controller: ControllerRequests | null = null;
  #cancelRetry: Cancel | null = null;
  #isStopped = false;

  constructor(options: IsrProposalsOptions) {
    this.#options = options;
    this.#channel = new AlterPartitionChannel(options.nodeId, options.cluster);
  }

  /** Before that, every attempt fails and is repeated. */
  sendTo(controller: ControllerRequests): void {
    this.#controller = controller;
  }

  step(event: ChannelEvent): void {
    if (this.#isStopped) return;
    for (const effect of this.#channel.step(event)) this.#carryOut(effect);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelRetry?.();
  }

  #carryOut(effect: ChannelEffect): void {
    const { timers, log, settle } = this.#options;
    switch (effect.type) {
      case 'send':
        this.#send(effect.requestId, effect.request);
        return;
      case 'arm-retry':
        this.#cancelRetry = timers.schedule(effect.delayMs, () => this.#tell({ type: 'retry-due' }));
        return;
      case 'answer':
        settle(effect.proposal, effect.verdict);
        return;
      case 'log':
        log[effect.level](effect.message);
    }
  }

  #send(requestId: number, request: Extract<ChannelEffect, { type: 'send' }>['request']): void {
    const { timers, requestTimeoutMs } = this.#options;
    if (this.#controller === null) {
      const reason = 'the controller is not known yet';
      timers.schedule(0, () => this.#tell({ type: 'failed', requestId, reason }));
      return;
    }
    this.#controller.send(
      apis.alterPartition,
      ALTER_PARTITION_VERSION,
      request,
      { timeoutMs: requestTimeoutMs },
      (outcome) =>
        this.#tell(
          outcome.kind === 'answered'
            ? { type: 'answered', requestId, response: outcome.response }
            : { type: 'failed', requestId, reason: outcome.reason },
        ),
    );
  }

  #tell(event: ChannelEvent): void {
    this.#options.order.run(() => this.step(event));
  }
}
