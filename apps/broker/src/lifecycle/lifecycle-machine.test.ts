import { ErrorCode } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import {
  type HeartbeatAnswer,
  type LifecycleEffect,
  type LifecycleEvent,
  LifecycleMachine,
} from './lifecycle-machine.ts';

const HEARTBEAT_MS = 2000;

type Sent = Extract<LifecycleEffect, { type: 'send-registration' | 'send-heartbeat' }>;

class Bench {
  readonly machine: LifecycleMachine;
  readonly effects: LifecycleEffect[] = [];

  constructor(previousBrokerEpoch = -1) {
    this.machine = new LifecycleMachine({ heartbeatIntervalMs: HEARTBEAT_MS, previousBrokerEpoch });
  }

  step(event: LifecycleEvent): void {
    this.effects.push(...this.machine.step(event));
  }

  get sent(): readonly Sent[] {
    return this.effects.filter(
      (effect) => effect.type === 'send-registration' || effect.type === 'send-heartbeat',
    );
  }

  get last(): Sent {
    const last = this.sent.at(-1);
    if (last === undefined) throw new Error('nothing was sent');
    return last;
  }

  /** How long it waits by the last timer that was armed. */
  get pauseMs(): number | undefined {
    return this.effects.findLast((effect) => effect.type === 'arm-timer')?.delayMs;
  }

  types(): readonly string[] {
    return this.effects.map(({ type }) => type);
  }

  registered(brokerEpoch = 7, errorCode = 0): void {
    this.step({
      type: 'registration-answered',
      requestId: this.last.requestId,
      answer: { errorCode, brokerEpoch },
    });
  }

  heard(answer: Partial<HeartbeatAnswer> = {}): void {
    this.step({
      type: 'heartbeat-answered',
      requestId: this.last.requestId,
      answer: { errorCode: 0, isCaughtUp: true, isFenced: false, shouldShutDown: false, ...answer },
    });
  }

  due(): void {
    this.step({ type: 'timer-due' });
  }

  /** Registered with epoch 7, ready, unfenced. */
  running(): this {
    this.step({ type: 'register' });
    this.registered();
    this.step({ type: 'metadata-applied', offset: 7 });
    this.step({ type: 'ready' });
    this.due();
    this.heard();
    return this;
  }
}

describe('from registration to running', () => {
  it('registers with the epoch of the clean-stop marker, and then sends heartbeats with its own', () => {
    const bench = new Bench(5);
    bench.step({ type: 'register' });
    expect(bench.last).toMatchObject({ type: 'send-registration', previousBrokerEpoch: 5 });
    bench.registered(7);
    expect([bench.machine.state, bench.machine.brokerEpoch, bench.pauseMs]).toEqual(['recovery', 7, 0]);
    bench.due();
    expect(bench.last).toMatchObject({
      type: 'send-heartbeat',
      brokerEpoch: 7,
      currentMetadataOffset: -1,
      wantFence: true,
      wantShutDown: false,
    });
  });

  it('wants to be fenced until its logs are open, and says at once that they are', () => {
    const bench = new Bench();
    bench.step({ type: 'register' });
    bench.registered();
    bench.due();
    bench.heard({ isFenced: true });
    expect(bench.pauseMs).toBe(HEARTBEAT_MS);
    bench.step({ type: 'metadata-applied', offset: 9 });
    bench.step({ type: 'ready' });
    expect(bench.pauseMs).toBe(0);
    bench.due();
    expect(bench.last).toMatchObject({ currentMetadataOffset: 9, wantFence: false });
    bench.heard({ isFenced: true });
    expect([bench.machine.state, bench.pauseMs]).toEqual(['recovery', 100]);
    bench.due();
    bench.heard();
    expect([bench.machine.state, bench.pauseMs]).toEqual(['running', HEARTBEAT_MS]);
    expect(bench.types()).toContain('unfenced');
  });

  it('what changes while a heartbeat is under way goes out as soon as it is answered', () => {
    const bench = new Bench();
    bench.step({ type: 'register' });
    bench.registered();
    bench.due();
    bench.step({ type: 'ready' });
    bench.due();
    expect(bench.sent).toHaveLength(2);
    bench.heard({ isFenced: true });
    expect(bench.pauseMs).toBe(0);
  });

  it.each([
    ['DUPLICATE_BROKER_REGISTRATION', ErrorCode.DUPLICATE_BROKER_REGISTRATION],
    ['NOT_CONTROLLER', ErrorCode.NOT_CONTROLLER],
    ['KAFKA_STORAGE_ERROR', ErrorCode.KAFKA_STORAGE_ERROR],
  ])('tries again when its registration is refused with %s', (_name, errorCode) => {
    const bench = new Bench();
    bench.step({ type: 'register' });
    bench.registered(-1, errorCode);
    expect([bench.machine.state, bench.pauseMs]).toEqual(['starting', 500]);
    bench.due();
    expect(bench.sent.map(({ type }) => type)).toEqual(['send-registration', 'send-registration']);
  });

  it('gives up in a cluster that is not its own', () => {
    const bench = new Bench();
    bench.step({ type: 'register' });
    bench.registered(-1, ErrorCode.INCONSISTENT_CLUSTER_ID);
    expect(bench.effects.at(-1)).toMatchObject({
      type: 'refused',
      errorCode: ErrorCode.INCONSISTENT_CLUSTER_ID,
    });
    bench.due();
    expect(bench.sent).toHaveLength(1);
  });
});

describe('F23: answers', () => {
  it('count for the request they belong to, once', () => {
    const bench = new Bench();
    bench.step({ type: 'register' });
    const { requestId } = bench.last;
    bench.step({ type: 'request-failed', requestId });
    bench.due();
    bench.step({ type: 'registration-answered', requestId, answer: { errorCode: 0, brokerEpoch: 3 } });
    expect([bench.machine.state, bench.machine.brokerEpoch]).toEqual(['starting', -1]);
    bench.registered(3);
    bench.step({ type: 'registration-answered', requestId: 2, answer: { errorCode: 0, brokerEpoch: 4 } });
    expect([bench.machine.state, bench.machine.brokerEpoch]).toEqual(['recovery', 3]);
  });

  it('at most one request is under way', () => {
    const bench = new Bench().running();
    bench.due();
    const { length } = bench.sent;
    bench.due();
    bench.step({ type: 'metadata-applied', offset: 100 });
    bench.due();
    expect(bench.sent).toHaveLength(length);
  });
});

describe('F21: a broker that was fenced', () => {
  it('asks to be unfenced again, often', () => {
    const bench = new Bench().running();
    bench.due();
    bench.heard({ isFenced: true });
    expect([bench.machine.state, bench.machine.isFenced, bench.pauseMs]).toEqual(['running', true, 100]);
    bench.due();
    expect(bench.last).toMatchObject({ wantFence: false });
    bench.heard();
    expect([bench.machine.isFenced, bench.pauseMs]).toEqual([false, HEARTBEAT_MS]);
  });

  it.each([
    ['BROKER_ID_NOT_REGISTERED', ErrorCode.BROKER_ID_NOT_REGISTERED],
    ['STALE_BROKER_EPOCH', ErrorCode.STALE_BROKER_EPOCH],
  ])(
    'whose registration is gone (%s) registers again, and asks to be unfenced once it has caught up',
    (_name, errorCode) => {
      const bench = new Bench(5).running();
      bench.due();
      bench.heard({ errorCode });
      expect([bench.machine.state, bench.pauseMs]).toEqual(['starting', 0]);
      bench.due();
      expect(bench.last).toMatchObject({ type: 'send-registration', previousBrokerEpoch: 7 });
      bench.registered(40);
      bench.due();
      expect(bench.last).toMatchObject({ brokerEpoch: 40, currentMetadataOffset: 7, wantFence: false });
      bench.heard({ isFenced: true });
      bench.step({ type: 'metadata-applied', offset: 41 });
      expect(bench.pauseMs).toBe(0);
      bench.due();
      bench.heard();
      expect(bench.machine.state).toBe('running');
    },
  );

  it('a heartbeat without an answer is sent again soon', () => {
    const bench = new Bench().running();
    bench.due();
    bench.step({ type: 'request-failed', requestId: bench.last.requestId });
    expect(bench.pauseMs).toBe(100);
  });
});

describe('R14: a controlled shutdown', () => {
  it('asks at once, and again until it may stop', () => {
    const bench = new Bench().running();
    bench.step({ type: 'stop' });
    expect([bench.machine.state, bench.pauseMs]).toEqual(['controlled-shutdown', 0]);
    bench.due();
    expect(bench.last).toMatchObject({ wantShutDown: true, wantFence: false });
    bench.heard();
    expect(bench.pauseMs).toBe(100);
    bench.due();
    bench.heard({ isFenced: true, shouldShutDown: true });
    expect(bench.effects.at(-1)).toEqual({ type: 'stopped', permitted: true });
    bench.due();
    expect(bench.machine.state).toBe('stopped');
  });

  it('the answer to a heartbeat from before it is no refusal', () => {
    const bench = new Bench().running();
    bench.due();
    bench.step({ type: 'stop' });
    bench.heard();
    expect([bench.machine.state, bench.pauseMs]).toEqual(['controlled-shutdown', 0]);
  });

  it('ends without leave when that takes too long', () => {
    const bench = new Bench().running();
    bench.step({ type: 'stop' });
    expect(bench.types()).toContain('arm-shutdown-limit');
    bench.step({ type: 'shutdown-limit' });
    expect(bench.effects.at(-1)).toEqual({ type: 'stopped', permitted: false });
  });

  it('of a broker that is not registered is over at once', () => {
    const bench = new Bench();
    bench.step({ type: 'register' });
    bench.step({ type: 'stop' });
    expect(bench.effects.at(-1)).toEqual({ type: 'stopped', permitted: true });
  });

  it('of a broker whose registration is gone is over at once', () => {
    const bench = new Bench().running();
    bench.step({ type: 'stop' });
    bench.due();
    bench.heard({ errorCode: ErrorCode.STALE_BROKER_EPOCH });
    expect(bench.effects.at(-1)).toEqual({ type: 'stopped', permitted: false });
  });
});

describe('F20: another controller', () => {
  it('hears of a broker at once, not only when its next heartbeat is due', () => {
    const bench = new Bench().running();
    expect(bench.pauseMs).toBe(HEARTBEAT_MS);
    bench.step({ type: 'controller-changed' });
    expect(bench.pauseMs).toBe(0);
    bench.due();
    expect(bench.last).toMatchObject({ type: 'send-heartbeat', brokerEpoch: 7 });
    expect(bench.sent).toHaveLength(3);
  });

  it('gets the registration at once that waits for its next try', () => {
    const bench = new Bench();
    bench.step({ type: 'controller-changed' });
    expect(bench.effects).toEqual([]);
    bench.step({ type: 'register' });
    bench.step({ type: 'request-failed', requestId: bench.last.requestId });
    bench.step({ type: 'controller-changed' });
    expect(bench.pauseMs).toBe(0);
  });

  it('gets nothing twice: what is under way is sent to it by the channel', () => {
    const bench = new Bench().running();
    bench.due();
    const before = bench.effects.length;
    bench.step({ type: 'controller-changed' });
    expect(bench.effects).toHaveLength(before);
  });
});
