/**
 * This broker in its cluster: carries out what `LifecycleMachine` decides, on the controller channel and the timers.
 *
 * In this order: `register` (the image that holds the registration bears no leaderships of an earlier process any more),
 * `unfence` once the logs are open and that image is applied, `beginControlledShutdown`, `stop`. Heartbeats go out from
 * the registration until the end.
 */
import { apis } from '@seatlog/kafka-protocol';
import { type BrokerToRegister, randomUuid, supportedFeatures } from '@seatlog/metadata-quorum';
import type { Cancel, Clock, Random, Timers } from '@seatlog/runtime';
import type { BrokerConfig } from '../config/broker-config.ts';
import type { ControllerRequests } from '../controller/controller-requests.ts';
import type { Logger } from '../logger.ts';
import type { MetadataQuorum } from '../quorum/metadata-quorum.ts';
import {
  type LifecycleEffect,
  type LifecycleEvent,
  LifecycleMachine,
  type LifecycleState,
} from './lifecycle-machine.ts';

/** How long a stopping broker waits for leave to stop. */
export const CONTROLLED_SHUTDOWN_LIMIT_MS = 15_000;
/** And how long without a controller: who would give leave may have stopped as well, for good. */
export const CONTROLLER_ABSENCE_LIMIT_MS = 5000;
/** The least time that a request has, however short sessions are. */
const SHORTEST_REQUEST_MS = 500;

export interface BrokerLifecycleOptions {
  readonly quorum: MetadataQuorum;
  /** For this alone: what waits for a commit holds up no heartbeat. */
  readonly channel: ControllerRequests;
  readonly config: BrokerConfig;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: Logger;
  readonly directoryId: string;
  /** What the clean-stop marker names; null without one. */
  readonly previousBrokerEpoch: number | null;
}

interface Waiting<Value> {
  readonly resolve: (value: Value) => void;
  readonly reject: (error: Error) => void;
}

export class BrokerLifecycle {
  readonly #options: BrokerLifecycleOptions;
  readonly #machine: LifecycleMachine;
  readonly #incarnationId: string;
  readonly #unsubscribe: readonly (() => void)[];
  #endpoints: BrokerToRegister['endpoints'] = [];
  #registration: Waiting<number> | null = null;
  #unfencing: (() => void) | null = null;
  #shutdown: (() => void) | null = null;
  #cancelTimer: Cancel | null = null;
  #cancelLimit: Cancel | null = null;
  #cancelAbsence: Cancel | null = null;
  #isClosed = false;

  constructor(options: BrokerLifecycleOptions) {
    this.#options = options;
    this.#incarnationId = randomUuid(options.random);
    this.#machine = new LifecycleMachine({
      heartbeatIntervalMs: options.config.values['broker.heartbeat.interval.ms'],
      previousBrokerEpoch: options.previousBrokerEpoch ?? -1,
    });
    this.#unsubscribe = [
      options.quorum.subscribe((image) => this.#imageApplied(image.lastOffset)),
      options.quorum.onLeader(({ id }) => {
        this.#watchForAbsence();
        if (id !== -1) this.#step({ type: 'controller-changed' });
      }),
    ];
  }

  get state(): LifecycleState {
    return this.#machine.state;
  }

  /** -1 before the registration. */
  get brokerEpoch(): number {
    return this.#machine.brokerEpoch;
  }

  /** Tries for as long as it takes; rejects when the cluster does not take this broker. Gives the broker epoch. */
  register(endpoints: BrokerToRegister['endpoints']): Promise<number> {
    this.#endpoints = endpoints;
    return new Promise((resolve, reject) => {
      this.#registration = { resolve, reject };
      this.#step({ type: 'metadata-applied', offset: this.#options.quorum.image.lastOffset });
      this.#step({ type: 'register' });
    });
  }

  /** The logs are open. Resolves when the image shows this broker unfenced. */
  unfence(): Promise<void> {
    return new Promise((resolve) => {
      this.#unfencing = resolve;
      this.#step({ type: 'ready' });
      this.#imageApplied(this.#options.quorum.image.lastOffset);
    });
  }

  /** Hands over what this broker leads. Resolves with the leave to stop, or at `CONTROLLED_SHUTDOWN_LIMIT_MS`. */
  beginControlledShutdown(): Promise<void> {
    const isWanted = this.#options.config.values['controlled.shutdown.enable'];
    if (!isWanted || this.#isClosed || this.#machine.state === 'stopped') return Promise.resolve();
    return new Promise((resolve) => {
      this.#shutdown = resolve;
      this.#step({ type: 'stop' });
    });
  }

  /** No more heartbeats. */
  stop(): void {
    this.#isClosed = true;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#cancelTimers();
    this.#registration?.reject(new Error('The broker stopped before it was registered.'));
    this.#registration = null;
    this.#shutdown?.();
    this.#shutdown = null;
  }

  #step(event: LifecycleEvent): void {
    if (this.#isClosed) return;
    for (const effect of this.#machine.step(event)) this.#carryOut(effect);
  }

  #carryOut(effect: LifecycleEffect): void {
    const { timers, log } = this.#options;
    switch (effect.type) {
      case 'send-registration':
        return this.#sendRegistration(effect);
      case 'send-heartbeat':
        return this.#sendHeartbeat(effect);
      case 'arm-timer':
        this.#cancelTimer?.();
        this.#cancelTimer = timers.schedule(effect.delayMs, () => this.#step({ type: 'timer-due' }));
        return;
      case 'arm-shutdown-limit':
        this.#cancelLimit = timers.schedule(CONTROLLED_SHUTDOWN_LIMIT_MS, () =>
          this.#step({ type: 'shutdown-limit' }),
        );
        return this.#watchForAbsence();
      case 'registered':
        this.#registration?.resolve(effect.brokerEpoch);
        this.#registration = null;
        return log.info('Registered with the controller', {
          brokerEpoch: effect.brokerEpoch,
          incarnationId: this.#incarnationId,
        });
      case 'unfenced':
        return log.info('This broker is unfenced', { brokerEpoch: this.brokerEpoch });
      case 'refused':
        return this.#refused(effect.message);
      case 'stopped':
        this.#cancelTimers();
        this.#shutdown?.();
        this.#shutdown = null;
        return;
      case 'log':
        return log[effect.level](effect.message, { brokerEpoch: this.brokerEpoch });
    }
  }

  #sendRegistration({
    requestId,
    previousBrokerEpoch,
  }: Extract<LifecycleEffect, { type: 'send-registration' }>): void {
    const { quorum, config, channel, directoryId } = this.#options;
    const request = {
      brokerId: quorum.nodeId,
      clusterId: quorum.clusterId,
      incarnationId: this.#incarnationId,
      listeners: this.#endpoints,
      features: supportedFeatures,
      rack: config.values['broker.rack'],
      logDirs: [directoryId],
      previousBrokerEpoch,
    };
    channel.send(
      apis.brokerRegistration,
      apis.brokerRegistration.maxVersion,
      request,
      this.#time(),
      (outcome) =>
        this.#step(
          outcome.kind === 'answered'
            ? { type: 'registration-answered', requestId, answer: outcome.response }
            : { type: 'request-failed', requestId },
        ),
    );
  }

  #sendHeartbeat(effect: Extract<LifecycleEffect, { type: 'send-heartbeat' }>): void {
    const { quorum, channel } = this.#options;
    const { requestId, brokerEpoch, currentMetadataOffset, wantFence, wantShutDown } = effect;
    const request = {
      brokerId: quorum.nodeId,
      brokerEpoch,
      currentMetadataOffset,
      wantFence,
      wantShutDown,
      offlineLogDirs: [],
    };
    channel.send(apis.brokerHeartbeat, apis.brokerHeartbeat.maxVersion, request, this.#time(), (outcome) =>
      this.#step(
        outcome.kind === 'answered'
          ? { type: 'heartbeat-answered', requestId, answer: outcome.response }
          : { type: 'request-failed', requestId },
      ),
    );
  }

  /** Short enough that a request that is lost does not cost the session. */
  #time(): { readonly timeoutMs: number } {
    const session = this.#options.config.values['broker.session.timeout.ms'];
    return { timeoutMs: Math.max(SHORTEST_REQUEST_MS, session / 4) };
  }

  #imageApplied(offset: number): void {
    this.#step({ type: 'metadata-applied', offset });
    const { quorum } = this.#options;
    const registration = quorum.image.brokers.get(quorum.nodeId);
    if (registration?.epoch !== this.brokerEpoch || registration.fenced) return;
    this.#unfencing?.();
    this.#unfencing = null;
  }

  #watchForAbsence(): void {
    const { quorum, timers } = this.#options;
    if (this.#machine.state !== 'controlled-shutdown' || quorum.leader.id !== -1) {
      this.#cancelAbsence?.();
      this.#cancelAbsence = null;
      return;
    }
    // Elections that nobody wins raise the epoch again and again: the time runs since the first.
    this.#cancelAbsence ??= timers.schedule(CONTROLLER_ABSENCE_LIMIT_MS, () =>
      this.#step({ type: 'shutdown-limit' }),
    );
  }

  #cancelTimers(): void {
    this.#cancelTimer?.();
    this.#cancelLimit?.();
    this.#cancelAbsence?.();
  }

  #refused(message: string): void {
    const error = new Error(`The cluster does not take this broker: ${message}`);
    this.#options.log.error(error.message);
    this.#registration?.reject(error);
    this.#registration = null;
    this.#shutdown?.();
    this.#shutdown = null;
  }
}
