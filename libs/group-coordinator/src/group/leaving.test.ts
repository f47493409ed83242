import { ErrorCode } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { settle } from '../testing/group-actor.ts';
import { GroupWorld } from '../testing/group-world.ts';

describe('members that go', () => {
  it('lets the others share again when a member leaves', () => {
    const world = new GroupWorld();
    const [ada, bob] = [world.member('ada'), world.member('bob')];
    settle(world, ada, bob);
    expect(bob.leaves()).toBe(ErrorCode.NONE);
    expect(ada.heartbeats()).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
    ada.joins();
    expect(ada.learnsGeneration().members).toHaveLength(1);
    expect(bob.heartbeats()).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  });

  it('completes the rebalance when the one who was waited for leaves', () => {
    const world = new GroupWorld();
    const [ada, bob] = [world.member('ada'), world.member('bob')];
    settle(world, ada, bob);
    ada.joins();
    expect(ada.lastJoin?.answer).toBeUndefined();
    bob.leaves();
    expect(ada.lastJoin?.answer).toMatchObject({ generationId: 2 });
  });

  it('is empty when the last has left, and keeps its generation over a failover', () => {
    const world = new GroupWorld();
    const ada = world.member('ada');
    settle(world, ada);
    ada.leaves();
    expect(world.shard.describe('db-writer')).toMatchObject({ groupState: 'Empty', members: [] });
    expect(world.armedTimers).toBe(0);

    world.failOver();
    const bob = world.member('bob');
    bob.joins();
    world.advance(3000);
    expect(bob.learnsGeneration().generationId).toBe(3);
  });

  it('drops a member that is not heard of for its session timeout', () => {
    const world = new GroupWorld();
    const [ada, bob] = [
      world.member('ada', { sessionTimeoutMs: 10_000 }),
      world.member('bob', { sessionTimeoutMs: 6000 }),
    ];
    settle(world, ada, bob);
    world.advance(5999);
    expect(bob.heartbeats()).toBe(ErrorCode.NONE);
    world.advance(3000);
    expect(ada.heartbeats()).toBe(ErrorCode.NONE);
    world.advance(2999);
    expect(ada.heartbeats()).toBe(ErrorCode.NONE);
    world.advance(1);
    expect(ada.heartbeats()).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
    expect(bob.heartbeats()).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  });

  it('keeps sessions by monotonic time: a wall clock set back makes nobody immortal, one set on kills nobody', () => {
    const world = new GroupWorld();
    const ada = world.member('ada', { sessionTimeoutMs: 10_000 });
    settle(world, ada);
    world.clock.jump(3_600_000);
    world.advance(9999);
    expect(ada.heartbeats()).toBe(ErrorCode.NONE);
    world.clock.jump(-7_200_000);
    world.advance(10_000);
    expect(ada.heartbeats()).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  });

  it('counts a commit as a sign of life', () => {
    const world = new GroupWorld();
    const ada = world.member('ada', { sessionTimeoutMs: 10_000 });
    settle(world, ada);
    world.advance(9000);
    ada.commits(0, 1);
    world.advance(9000);
    expect(ada.heartbeats()).toBe(ErrorCode.NONE);
  });

  it('does not let the session of a member end that waits for our answer', () => {
    const world = new GroupWorld();
    const [ada, bob] = [
      world.member('ada', { sessionTimeoutMs: 6000, rebalanceTimeoutMs: 60_000 }),
      world.member('bob', { sessionTimeoutMs: 30_000, rebalanceTimeoutMs: 60_000 }),
    ];
    settle(world, ada, bob);
    ada.joins();
    world.advance(25_000);
    expect(ada.lastJoin?.answer).toBeUndefined();
    bob.joins();
    expect(ada.learnsGeneration().members).toHaveLength(2);
    bob.learnsGeneration();

    const waiting = bob.syncs();
    world.advance(5000);
    ada.heartbeats();
    world.advance(5000);
    ada.heartbeats();
    world.advance(5000);
    expect(waiting.answer).toBeUndefined();
    ada.syncs();
    expect(waiting.answer?.errorCode).toBe(ErrorCode.NONE);
    world.advance(5999);
    expect(ada.heartbeats()).toBe(ErrorCode.NONE);
  });

  it('drops a member without a generation that is parked longer than five minutes: its client is gone', () => {
    const world = new GroupWorld();
    const ada = world.member('ada', { rebalanceTimeoutMs: 900_000, sessionTimeoutMs: 1_000_000 });
    settle(world, ada);
    const bob = world.member('bob', { rebalanceTimeoutMs: 900_000 });
    const parked = bob.joins();
    world.advance(299_999);
    expect(parked.answer).toBeUndefined();
    world.advance(1);
    expect(parked.answer?.errorCode).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  });

  it('answers for each member of a list, and takes out those it knows', () => {
    const world = new GroupWorld();
    const [ada, bob, till] = [
      world.member('ada'),
      world.member('bob'),
      world.member('till', { instanceId: 'till-1' }),
    ];
    settle(world, ada, bob, till);
    const pending = world.member('eve').asksToJoin().answer?.memberId ?? '';
    const asked = world.ask({
      type: 'leave',
      groupId: 'db-writer',
      members: [
        { memberId: bob.memberId, groupInstanceId: null, reason: 'the evening is over' },
        { memberId: 'nobody', groupInstanceId: null, reason: null },
        { memberId: '', groupInstanceId: 'till-1', reason: null },
        { memberId: '', groupInstanceId: 'till-2', reason: null },
        { memberId: ada.memberId, groupInstanceId: 'till-1', reason: null },
        { memberId: pending, groupInstanceId: null, reason: null },
      ],
    });
    expect(asked.answer?.errorCode).toBe(ErrorCode.NONE);
    expect(asked.answer?.members.map(({ errorCode }) => errorCode)).toEqual([
      ErrorCode.NONE,
      ErrorCode.UNKNOWN_MEMBER_ID,
      ErrorCode.NONE,
      ErrorCode.UNKNOWN_MEMBER_ID,
      // till-1 has left two lines above.
      ErrorCode.UNKNOWN_MEMBER_ID,
      ErrorCode.NONE,
    ]);
    ada.joins();
    expect(ada.learnsGeneration().members).toHaveLength(1);
  });

  it('answers for the members of a group that nobody knows', () => {
    const world = new GroupWorld();
    expect(world.member('ada').leaves()).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    expect(world.member('ada').heartbeats()).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    expect(world.member('ada').syncs().answer?.errorCode).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  });

  it('F28: fences a member of a generation that is over', () => {
    const world = new GroupWorld();
    const [ada, bob] = [world.member('ada'), world.member('bob')];
    settle(world, ada, bob);
    ada.joins();
    bob.joins();
    bob.learnsGeneration();
    ada.learnsGeneration();
    ada.generationId = 1;
    expect(ada.heartbeats()).toBe(ErrorCode.ILLEGAL_GENERATION);
    expect(ada.syncs().answer?.errorCode).toBe(ErrorCode.ILLEGAL_GENERATION);
    expect(ada.commits(0, 1).errorCode).toBe(ErrorCode.ILLEGAL_GENERATION);
  });

  it('F28: dismisses everyone who waits when the partition is led elsewhere', () => {
    const world = new GroupWorld();
    const [ada, bob] = [world.member('ada'), world.member('bob')];
    settle(world, ada, bob);
    world.holdAppends();
    const commit = ada.commits(0, 5);
    const join = ada.joins();
    world.send({ type: 'resigned' });
    expect(join.answer?.errorCode).toBe(ErrorCode.NOT_COORDINATOR);
    expect(commit.errorCode).toBe(ErrorCode.NOT_COORDINATOR);
  });

  it('F28: knows its members after a failover, and gives them one session to show that they live', () => {
    const world = new GroupWorld();
    const [ada, bob] = [world.member('ada'), world.member('bob')];
    settle(world, ada, bob);
    world.failOver();
    expect(ada.heartbeats()).toBe(ErrorCode.NONE);
    expect(ada.syncs().answer?.assignment).toEqual(ada.lastSync?.answer?.assignment);
    world.advance(9999);
    ada.heartbeats();
    world.advance(1);
    expect(ada.heartbeats()).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
    expect(bob.heartbeats()).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  });
});
