/**
 * One process of a broker in its cluster, from its registration to its end: events in, effects out. Pure.
 *
 *     starting             registers, again and again until it is accepted
 *     recovery             is registered, and fenced: catches up, opens its logs, then asks to be unfenced
 *     running              is unfenced; fenced by a controller that did not hear of it, it asks to be unfenced again
 *     controlled-shutdown  asks for leave to stop
 *     stopped              has it, or has waited long enough
 *
 * Each answer counts for the request it belongs to (F23). A process whose registration is gone or was replaced
 * (BROKER_ID_NOT_REGISTERED, STALE_BROKER_EPOCH) registers again, as the same incarnation; while another process with its
 * id is alive it is refused, and asks again.
 *
 * The caller carries effects out in order. At most one request is under way.
 */
import { ErrorCode, errorByCode } from '@seatlog/kafka-protocol';

export type LifecycleState = 'starting' | 'recovery' | 'running' | 'controlled-shutdown' | 'stopped';

export type LifecycleEvent =
  | { readonly type: 'register' }
  | {
      readonly type: 'registration-answered';
      readonly requestId: number;
      readonly answer: RegistrationAnswer;
    }
  | { readonly type: 'heartbeat-answered'; readonly requestId: number; readonly answer: HeartbeatAnswer }
  /** No answer in the request's time. */
  | { readonly type: 'request-failed'; readonly requestId: number }
  /** The image with this last offset is applied. */
  | { readonly type: 'metadata-applied'; readonly offset: number }
  /** Another node is the controller, which does not know yet that this broker is there. */
  | { readonly type: 'controller-changed' }
  /** The broker's logs are open: it may lead. */
  | { readonly type: 'ready' }
  | { readonly type: 'stop' }
  | { readonly type: 'timer-due' }
  /** The time that a controlled shutdown may take is over. */
  | { readonly type: 'shutdown-limit' };

export interface RegistrationAnswer {
  readonly errorCode: number;
  readonly brokerEpoch: number;
}

export interface HeartbeatAnswer {
  readonly errorCode: number;
  readonly isCaughtUp: boolean;
  readonly isFenced: boolean;
  readonly shouldShutDown: boolean;
}

export type LifecycleEffect =
  | { readonly type: 'send-registration'; readonly requestId: number; readonly previousBrokerEpoch: number }
  | {
      readonly type: 'send-heartbeat';
      readonly requestId: number;
      readonly brokerEpoch: number;
      readonly currentMetadataOffset: number;
      readonly wantFence: boolean;
      readonly wantShutDown: boolean;
    }
  /** In place of one that is armed. */
  | { readonly type: 'arm-timer'; readonly delayMs: number }
  | { readonly type: 'arm-shutdown-limit' }
  | { readonly type: 'registered'; readonly brokerEpoch: number }
  | { readonly type: 'unfenced' }
  /** The cluster does not take this broker, and never will. */
  | { readonly type: 'refused'; readonly errorCode: number; readonly message: string }
  /** The process may end: `permitted` by the controller, or because it has waited long enough. */
  | { readonly type: 'stopped'; readonly permitted: boolean }
  | { readonly type: 'log'; readonly level: 'info' | 'warn'; readonly message: string };

export interface LifecycleSettings {
  readonly heartbeatIntervalMs: number;
  /** The epoch that the clean-stop marker names; -1 without one. */
  readonly previousBrokerEpoch: number;
}

/** Between heartbeats of a broker that waits to be unfenced, or for leave to stop. */
const IMPATIENT_MS = 100;
/** Before a registration is sent again. */
const REGISTRATION_PAUSE_MS = 500;

/** A registration refused with one of these is refused for good. */
const finalRefusals: ReadonlySet<number> = new Set([
  ErrorCode.INCONSISTENT_CLUSTER_ID,
  ErrorCode.INVALID_REGISTRATION,
  ErrorCode.UNSUPPORTED_VERSION,
  ErrorCode.INVALID_REQUEST,
]);

const registrationIsGone: ReadonlySet<number> = new Set([
  ErrorCode.BROKER_ID_NOT_REGISTERED,
  ErrorCode.STALE_BROKER_EPOCH,
]);

export class LifecycleMachine {
  readonly #settings: LifecycleSettings;
  #state: LifecycleState = 'starting';
  #brokerEpoch = -1;
  #metadataOffset = -1;
  #wasAsked = false;
  #isReady = false;
  #isFenced = true;
  #lastRequestId = 0;
  #underWay: number | null = null;
  /** Something changed that the request under way does not tell yet. */
  #isOverdue = false;
  #effects: LifecycleEffect[] = [];

  constructor(settings: LifecycleSettings) {
    this.#settings = settings;
  }

  get state(): LifecycleState {
    return this.#state;
  }

  /** -1 before the first registration. */
  get brokerEpoch(): number {
    return this.#brokerEpoch;
  }

  /** As the controller said last. */
  get isFenced(): boolean {
    return this.#isFenced;
  }

  step(event: LifecycleEvent): readonly LifecycleEffect[] {
    this.#effects = [];
    if (this.#state !== 'stopped') this.#take(event);
    return this.#effects;
  }

  #take(event: LifecycleEvent): void {
    switch (event.type) {
      case 'register':
        this.#wasAsked = true;
        return this.#send();
      case 'timer-due':
        return this.#send();
      case 'metadata-applied':
        return this.#applied(event.offset);
      case 'controller-changed':
        // What is under way is sent there by itself.
        if (this.#underWay === null && this.#wasAsked) this.#armTimer(0);
        return;
      case 'ready':
        this.#isReady = true;
        return this.#sendSoon();
      case 'stop':
        return this.#stop();
      case 'shutdown-limit':
        return this.#end(false, 'The controller gave no leave to stop in time; stopping without it');
      case 'registration-answered':
        if (this.#isAnswerTo(event.requestId)) this.#registrationAnswered(event.answer);
        return;
      case 'heartbeat-answered':
        if (this.#isAnswerTo(event.requestId)) this.#heartbeatAnswered(event.answer);
        return;
      case 'request-failed':
        if (!this.#isAnswerTo(event.requestId)) return;
        return this.#armTimer(this.#state === 'starting' ? REGISTRATION_PAUSE_MS : IMPATIENT_MS);
    }
  }

  #send(): void {
    if (this.#underWay !== null) return;
    this.#lastRequestId += 1;
    const requestId = this.#lastRequestId;
    this.#underWay = requestId;
    if (this.#state === 'starting') {
      const previousBrokerEpoch =
        this.#brokerEpoch === -1 ? this.#settings.previousBrokerEpoch : this.#brokerEpoch;
      this.#effects.push({ type: 'send-registration', requestId, previousBrokerEpoch });
      return;
    }
    const wantShutDown = this.#state === 'controlled-shutdown';
    this.#effects.push({
      type: 'send-heartbeat',
      requestId,
      brokerEpoch: this.#brokerEpoch,
      currentMetadataOffset: this.#metadataOffset,
      wantFence: !this.#isReady && !wantShutDown,
      wantShutDown,
    });
  }

  /** At once, or as soon as what is under way is answered. */
  #sendSoon(): void {
    if (this.#underWay === null) this.#armTimer(0);
    else this.#isOverdue = true;
  }

  #applied(offset: number): void {
    const before = this.#metadataOffset;
    this.#metadataOffset = Math.max(before, offset);
    const catchesUp = before < this.#brokerEpoch && this.#metadataOffset >= this.#brokerEpoch;
    if (this.#state === 'recovery' && catchesUp) this.#sendSoon();
  }

  #stop(): void {
    if (this.#state === 'controlled-shutdown') return;
    if (this.#state === 'starting') return this.#end(true, 'Stopped before it was registered');
    this.#state = 'controlled-shutdown';
    this.#effects.push({ type: 'arm-shutdown-limit' });
    this.#sendSoon();
  }

  #registrationAnswered({ errorCode, brokerEpoch }: RegistrationAnswer): void {
    if (errorCode === ErrorCode.NONE) {
      this.#brokerEpoch = brokerEpoch;
      this.#isFenced = true;
      this.#state = 'recovery';
      this.#effects.push({ type: 'registered', brokerEpoch });
      return this.#armTimer(0);
    }
    const { name, message } = errorByCode(errorCode);
    if (finalRefusals.has(errorCode)) {
      this.#state = 'stopped';
      this.#effects.push({ type: 'refused', errorCode, message: `${name}: ${message}` });
      return;
    }
    const hint =
      errorCode === ErrorCode.DUPLICATE_BROKER_REGISTRATION
        ? 'a process with this node.id was heard of lately; if it is gone, its session runs out soon'
        : message;
    this.#log('warn', `The registration was refused with ${name} (${hint}); it will be sent again`);
    this.#armTimer(REGISTRATION_PAUSE_MS);
  }

  #heartbeatAnswered({ errorCode, isFenced, shouldShutDown }: HeartbeatAnswer): void {
    if (registrationIsGone.has(errorCode)) return this.#registrationGone(errorCode);
    if (errorCode !== ErrorCode.NONE) {
      this.#log('warn', `A heartbeat was refused with ${errorByCode(errorCode).name}`);
      return this.#armTimer(Math.min(REGISTRATION_PAUSE_MS, this.#settings.heartbeatIntervalMs));
    }
    const wasFenced = this.#isFenced;
    this.#isFenced = isFenced;
    if (this.#state === 'controlled-shutdown') {
      if (shouldShutDown) return this.#end(true, 'The controller gave leave to stop');
      return this.#armTimer(IMPATIENT_MS);
    }
    if (!isFenced && this.#state === 'recovery') {
      this.#state = 'running';
      this.#effects.push({ type: 'unfenced' });
    }
    if (isFenced && !wasFenced) this.#log('warn', 'This broker was fenced; it asks to be unfenced');
    const isImpatient = isFenced && this.#isReady;
    this.#armTimer(
      isImpatient
        ? Math.min(IMPATIENT_MS, this.#settings.heartbeatIntervalMs)
        : this.#settings.heartbeatIntervalMs,
    );
  }

  #registrationGone(errorCode: number): void {
    const { name } = errorByCode(errorCode);
    if (this.#state === 'controlled-shutdown') {
      return this.#end(
        false,
        `The registration of this broker is gone (${name}); nothing is to be handed over`,
      );
    }
    this.#log('warn', `The registration of this broker is gone (${name}); it registers again`);
    this.#state = 'starting';
    this.#isFenced = true;
    this.#armTimer(0);
  }

  #end(permitted: boolean, message: string): void {
    this.#state = 'stopped';
    this.#log(permitted ? 'info' : 'warn', message);
    this.#effects.push({ type: 'stopped', permitted });
  }

  #isAnswerTo(requestId: number): boolean {
    if (this.#underWay !== requestId) return false;
    this.#underWay = null;
    return true;
  }

  #armTimer(delayMs: number): void {
    this.#effects.push({ type: 'arm-timer', delayMs: this.#isOverdue ? 0 : delayMs });
    this.#isOverdue = false;
  }

  #log(level: 'info' | 'warn', message: string): void {
    this.#effects.push({ type: 'log', level, message });
  }
}
