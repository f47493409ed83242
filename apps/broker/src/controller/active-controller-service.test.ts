import { ErrorCode } from '@seatlog/kafka-protocol';
import { type ChangeOutcome, randomUuid } from '@seatlog/metadata-quorum';
import { describe, expect, it } from 'vitest';
import { CONTROLLER, ControllerWorld, HEARTBEAT_MS, SESSION_MS } from './testing/controller-world.ts';

describe('R14: fencing', () => {
  it('takes a broker that is not heard of for the session timeout out of leaderships and ISRs', () => {
    const world = new ControllerWorld();
    world.start(1, 2, 3);
    world.createTopic('t', 3);
    const { leader } = world.partition('t');
    const others = [1, 2, 3].filter((id) => id !== leader);
    world.pass(SESSION_MS - 500, ...others);
    expect(world.isFenced(leader)).toBe(false);
    world.pass(1000, ...others);
    expect(world.isFenced(leader)).toBe(true);
    const after = world.partition('t');
    expect(after.isr).not.toContain(leader);
    expect(others).toContain(after.leader);
    expect(after.leaderEpoch).toBe(1);
  });

  it('F20: names a new leader within the session timeout and a second', () => {
    const world = new ControllerWorld();
    world.start(1, 2);
    world.createTopic('t', 2);
    const before = world.partition('t').leader;
    world.pass(SESSION_MS + 1000, before === 1 ? 2 : 1);
    expect(world.partition('t').leader).toBe(before === 1 ? 2 : 1);
  });

  it('goes by the monotonic clock alone', () => {
    const world = new ControllerWorld();
    world.start(1);
    world.clock.jump(3_600_000);
    world.pass(2000, 1);
    expect(world.isFenced(1)).toBe(false);
  });

  it('F27: spares brokers whose heartbeats waited while the controller stood still', () => {
    const world = new ControllerWorld();
    world.start(1);
    // One long turn: the check that was due long ago runs late.
    const stalled = world.clock;
    const advance = stalled.monotonic.bind(stalled);
    stalled.monotonic = () => advance() + 30_000;
    world.clock.advance(500);
    expect(world.isFenced(1)).toBe(false);
    world.clock.advance(SESSION_MS);
    expect(world.isFenced(1)).toBe(true);
  });

  it('gives every unfenced broker a fresh session when a controller takes over', () => {
    const world = new ControllerWorld();
    world.start(1, 2);
    world.pass(SESSION_MS - 1000);
    world.quorum.lead(101);
    world.clock.advance(60_000);
    expect([world.isFenced(1), world.isFenced(2)]).toEqual([false, false]);
    world.quorum.lead(CONTROLLER);
    world.pass(SESSION_MS - 500, 2);
    expect([world.isFenced(1), world.isFenced(2)]).toEqual([false, false]);
    world.pass(1000, 2);
    expect([world.isFenced(1), world.isFenced(2)]).toEqual([true, false]);
  });

  it('F20: does not begin the session of a broker anew that was the controller and died', () => {
    const world = new ControllerWorld();
    world.start(1, 2);
    world.quorum.lead(1);
    world.clock.advance(60_000);
    world.hearsLast(1);
    world.clock.advance(2500);
    world.quorum.lead(CONTROLLER);
    world.pass(SESSION_MS - 3000, 2);
    expect([world.isFenced(1), world.isFenced(2)]).toEqual([false, false]);
    world.pass(500, 2);
    expect([world.isFenced(1), world.isFenced(2)]).toEqual([true, false]);
  });

  it('leaves a controller that gave way and lives the time for a heartbeat', () => {
    const world = new ControllerWorld();
    world.start(1);
    world.quorum.lead(1);
    world.hearsLast(1);
    world.clock.advance(60_000);
    world.quorum.lead(CONTROLLER);
    world.clock.advance(HEARTBEAT_MS - 1);
    expect(world.isFenced(1)).toBe(false);
    world.clock.advance(1);
    expect(world.isFenced(1)).toBe(true);
  });

  it('F20: fences a broker at the moment at which its session ends, not at the next look at all of them', () => {
    const world = new ControllerWorld();
    world.start(1);
    world.clock.advance(333);
    world.beat(1);
    world.clock.advance(SESSION_MS - 1);
    expect(world.isFenced(1)).toBe(false);
    world.clock.advance(1);
    expect(world.isFenced(1)).toBe(true);
  });

  it('F21: unfences a zombie that comes back, and it is no leader any more', () => {
    const world = new ControllerWorld();
    world.start(1, 2);
    world.createTopic('t', 2);
    const zombie = world.partition('t').leader;
    const other = zombie === 1 ? 2 : 1;
    world.pass(SESSION_MS + 1000, other);
    expect(world.isFenced(zombie)).toBe(true);
    // Its metadata is of before it was stopped, and holds its own registration.
    const answer = world.beat(zombie, { offset: world.epochs.get(zombie) ?? -1 });
    expect(answer).toMatchObject({ errorCode: 0, isFenced: false, isCaughtUp: true });
    expect(world.partition('t')).toMatchObject({ leader: other, isr: [other] });
  });
});

describe('registrations', () => {
  it('begin fenced; a broker is unfenced once it has caught up with its registration and wants to', () => {
    const world = new ControllerWorld();
    const { brokerEpoch } = world.register(1);
    expect(world.isFenced(1)).toBe(true);
    expect(world.beat(1, { offset: brokerEpoch - 1 })).toMatchObject({ isFenced: true, isCaughtUp: false });
    expect(world.beat(1, { wantFence: true })).toMatchObject({ isFenced: true, isCaughtUp: true });
    expect(world.beat(1, { offset: brokerEpoch })).toMatchObject({ isFenced: false, isCaughtUp: true });
    expect(world.isFenced(1)).toBe(false);
    expect(world.beat(1, { wantFence: true })).toMatchObject({ isFenced: true });
  });

  it('F23: sent twice by one incarnation, they are one', () => {
    const world = new ControllerWorld();
    const incarnation = randomUuid(world.random);
    const first = world.register(1, incarnation);
    world.beat(1);
    expect(world.register(1, incarnation)).toEqual(first);
    expect(world.isFenced(1)).toBe(false);
  });

  it('F23: of another process with the id of one that is alive are refused, and come in when its session is over', () => {
    const world = new ControllerWorld();
    world.start(1, 2);
    const epoch = world.epochs.get(1);
    expect(world.register(1).errorCode).toBe(ErrorCode.DUPLICATE_BROKER_REGISTRATION);
    expect(world.quorum.image.brokers.get(1)?.epoch).toBe(epoch);
    world.pass(SESSION_MS + 500, 2);
    expect(world.register(1).errorCode).toBe(ErrorCode.NONE);
  });

  it('of a broker in the controller’s own process are taken at once: its log directory’s lock keeps others out', () => {
    const world = new ControllerWorld(1);
    world.start(1);
    expect(world.register(1).errorCode).toBe(ErrorCode.NONE);
  });

  it('F23: heartbeats of an earlier incarnation are STALE_BROKER_EPOCH, and keep nobody alive', () => {
    const world = new ControllerWorld();
    world.start(1);
    const first = world.epochs.get(1) ?? -1;
    world.pass(SESSION_MS + 500);
    world.start(1);
    expect(world.beat(1, { epoch: first }).errorCode).toBe(ErrorCode.STALE_BROKER_EPOCH);
    world.clock.advance(SESSION_MS - 500);
    world.beat(1, { epoch: first });
    world.clock.advance(1000);
    expect(world.isFenced(1)).toBe(true);
  });

  it('F23: a heartbeat that a later one overtook changes nothing', () => {
    const world = new ControllerWorld();
    const { brokerEpoch } = world.register(1);
    world.beat(1);
    world.beat(1);
    expect(world.beat(1, { wantFence: true, offset: brokerEpoch })).toMatchObject({ isFenced: false });
    expect(world.isFenced(1)).toBe(false);
    expect(world.beat(1, { wantFence: true })).toMatchObject({ isFenced: true });
  });

  it('are asked for when there is none: BROKER_ID_NOT_REGISTERED', () => {
    expect(new ControllerWorld().beat(7, { epoch: 3 }).errorCode).toBe(ErrorCode.BROKER_ID_NOT_REGISTERED);
  });

  it('F24: without a clean stop take a broker out of the ISRs that it was in', () => {
    const world = new ControllerWorld();
    world.start(1, 2);
    world.createTopic('t', 2);
    const epoch = world.epochs.get(1) ?? -1;
    world.pass(SESSION_MS + 500, 2);
    world.register(1, randomUuid(world.random), epoch - 1);
    world.beat(1);
    expect(world.partition('t')).toMatchObject({ leader: 2, isr: [2], elr: [] });
  });
});

describe('R14: a controlled shutdown', () => {
  it('moves leaderships and leaves ISRs at once; the leave to stop waits until every live broker knows', () => {
    const world = new ControllerWorld();
    world.start(1, 2, 3);
    world.createTopic('t', 3);
    const stopping = world.partition('t').leader;
    const others = [1, 2, 3].filter((id) => id !== stopping);
    const known = world.quorum.image.lastOffset;
    expect(world.beat(stopping, { wantShutDown: true })).toMatchObject({ shouldShutDown: false });
    expect(world.partition('t').isr).not.toContain(stopping);
    expect(others).toContain(world.partition('t').leader);
    for (const id of others) world.beat(id, { offset: known });
    expect(world.beat(stopping, { wantShutDown: true })).toMatchObject({ shouldShutDown: false });
    for (const id of others) world.beat(id);
    expect(world.beat(stopping, { wantShutDown: true })).toMatchObject({ shouldShutDown: true });
    expect(world.isFenced(stopping)).toBe(true);
  });

  it('ends at once for a broker that leads nothing, and out of every ISR it is', () => {
    const world = new ControllerWorld();
    world.start(1, 2);
    world.createTopic('t', 2);
    const follower = world.partition('t').leader === 1 ? 2 : 1;
    expect(world.beat(follower, { wantShutDown: true })).toMatchObject({ shouldShutDown: true });
    expect(world.partition('t').isr).not.toContain(follower);
  });

  it('F23: asked for twice at a time, is one', () => {
    const world = new ControllerWorld();
    world.start(1, 2);
    world.createTopic('t', 2);
    const stopping = world.partition('t').leader;
    for (const _time of [1, 2, 3]) world.beat(stopping, { wantShutDown: true });
    expect(world.partition('t')).toMatchObject({ leaderEpoch: 1, partitionEpoch: 1 });
  });

  it('of a fenced broker, and of the only one, ends as well', () => {
    const world = new ControllerWorld();
    world.register(1);
    expect(world.beat(1, { wantShutDown: true }).shouldShutDown).toBe(true);
    world.start(2);
    world.createTopic('t', 1);
    expect(world.beat(2, { wantShutDown: true }).shouldShutDown).toBe(false);
    expect(world.beat(2, { wantShutDown: true }).shouldShutDown).toBe(true);
  });

  it('F26: goes on under the next controller', () => {
    const world = new ControllerWorld();
    world.start(1, 2);
    world.createTopic('t', 2);
    const stopping = world.partition('t').leader;
    world.beat(stopping, { wantShutDown: true });
    world.quorum.lead(101);
    world.quorum.lead(CONTROLLER);
    expect(world.beat(stopping, { wantShutDown: true }).shouldShutDown).toBe(false);
    world.beat(stopping === 1 ? 2 : 1);
    expect(world.beat(stopping, { wantShutDown: true }).shouldShutDown).toBe(true);
  });
});

describe('leaders', () => {
  it('go back to preferred replicas that are in sync again, when the interval is over', () => {
    const world = new ControllerWorld();
    world.start(1, 2);
    world.createTopic('t', 2);
    const { replicas, leader } = world.partition('t');
    const other = replicas.find((id) => id !== leader) ?? -1;
    expect(leader).toBe(replicas[0]);
    world.pass(SESSION_MS + 1000, other);
    world.start(leader);
    world.propose('t', replicas);
    expect(world.partition('t').leader).toBe(other);
    world.pass(280_000, 1, 2);
    expect(world.partition('t').leader).toBe(other);
    world.pass(20_000, 1, 2);
    expect(world.partition('t').leader).toBe(leader);
  });
});

it('outside of a term answers NOT_CONTROLLER, and fences nobody', () => {
  const world = new ControllerWorld();
  world.start(1);
  world.quorum.lead(101);
  const outcomes: ChangeOutcome<unknown>[] = [];
  world.service.heartbeat(
    { brokerId: 1, brokerEpoch: 1, currentMetadataOffset: 1, wantFence: false, wantShutDown: false },
    (outcome) => outcomes.push(outcome),
  );
  expect(outcomes).toMatchObject([{ kind: 'failed', errorCode: ErrorCode.NOT_CONTROLLER }]);
  expect(world.clock.pending).toBe(0);
});
