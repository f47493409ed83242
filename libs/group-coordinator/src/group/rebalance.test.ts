import { ErrorCode } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { assignmentOf, settle } from '../testing/group-actor.ts';
import { GroupWorld } from '../testing/group-world.ts';

describe('the way from one generation to the next', () => {
  it('K13: shares out partitions among the members, each its own', () => {
    const world = new GroupWorld();
    const [ada, bob, eve] = [world.member('ada'), world.member('bob'), world.member('eve')];
    settle(world, ada, bob, eve);

    expect([ada, bob, eve].map(({ lastSync }) => lastSync?.answer?.assignment)).toEqual([
      assignmentOf(0),
      assignmentOf(1),
      assignmentOf(2),
    ]);
    expect(world.shard.describe('db-writer')).toMatchObject({ groupState: 'Stable', protocolData: 'range' });
  });

  it('tells only the leader who the members are', () => {
    const world = new GroupWorld();
    const [ada, bob] = [world.member('ada'), world.member('bob')];
    settle(world, ada, bob);
    expect(ada.lastJoin?.answer?.members).toHaveLength(2);
    expect(bob.lastJoin?.answer).toMatchObject({ leader: ada.memberId, members: [] });
  });

  it('gives a first generation its delay, and longer while members keep coming, up to the rebalance timeout', () => {
    const world = new GroupWorld({ initialRebalanceDelayMs: 3000 });
    const ada = world.member('ada', { rebalanceTimeoutMs: 7000 });
    ada.joins();
    for (const name of ['bob', 'eve', 'kim']) {
      world.advance(2000);
      world.member(name, { rebalanceTimeoutMs: 7000 }).joins();
    }
    // Delays of 3000 and 3000, and the 1000 that are left of 7000.
    world.advance(999);
    expect(ada.lastJoin?.answer).toBeUndefined();
    world.advance(1);
    expect(ada.lastJoin?.answer?.members).toHaveLength(4);
  });

  it('does not wait at all when the delay is 0', () => {
    const world = new GroupWorld({ initialRebalanceDelayMs: 0 });
    const ada = world.member('ada');
    ada.joins();
    world.advance(0);
    expect(ada.lastJoin?.answer).toMatchObject({ generationId: 1 });
  });

  it('tells members by their heartbeats that others share again', () => {
    const world = new GroupWorld();
    const [ada, bob] = [world.member('ada'), world.member('bob')];
    settle(world, ada);
    bob.joins();
    expect(ada.heartbeats()).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
    expect(ada.syncs().answer?.errorCode).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
    ada.joins();
    expect(ada.learnsGeneration()).toMatchObject({ generationId: 2, leader: ada.memberId });
    expect(bob.learnsGeneration().generationId).toBe(2);
    expect(ada.heartbeats()).toBe(ErrorCode.NONE);
  });

  it('goes on without the members that do not rejoin in time', () => {
    const world = new GroupWorld();
    const [ada, bob] = [
      world.member('ada', { rebalanceTimeoutMs: 8000 }),
      world.member('bob', { rebalanceTimeoutMs: 8000 }),
    ];
    settle(world, ada, bob);
    const eve = world.member('eve', { rebalanceTimeoutMs: 8000 });
    eve.joins();
    ada.joins();
    world.advance(7999);
    expect(ada.lastJoin?.answer).toBeUndefined();
    world.advance(1);
    expect(ada.learnsGeneration().members.map(({ memberId }) => memberId)).toEqual([
      ada.memberId,
      eve.memberId,
    ]);
    expect(bob.heartbeats()).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  });

  it('elects another leader when the leader does not rejoin', () => {
    const world = new GroupWorld();
    const [ada, bob] = [world.member('ada'), world.member('bob')];
    settle(world, ada, bob);
    bob.topics = ['refunds'];
    bob.joins();
    world.advance(30_000);
    expect(bob.learnsGeneration()).toMatchObject({ leader: bob.memberId, generationId: 2 });
  });

  it('answers a follower that rejoins unchanged with the generation that is', () => {
    const world = new GroupWorld();
    const [ada, bob] = [world.member('ada'), world.member('bob')];
    settle(world, ada, bob);
    expect(bob.joins().answer).toMatchObject({ errorCode: ErrorCode.NONE, generationId: 1, members: [] });
    expect(ada.heartbeats()).toBe(ErrorCode.NONE);
  });

  it('begins again when the leader rejoins, though it has not changed', () => {
    const world = new GroupWorld();
    const [ada, bob] = [world.member('ada'), world.member('bob')];
    settle(world, ada, bob);
    ada.joins();
    expect(bob.heartbeats()).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
  });

  it('begins again when a follower rejoins changed', () => {
    const world = new GroupWorld();
    const [ada, bob] = [world.member('ada'), world.member('bob')];
    settle(world, ada, bob);
    bob.topics = ['refunds'];
    bob.joins();
    expect(ada.heartbeats()).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
  });

  it('repeats the answer to a join that was lost, while the assignment is awaited', () => {
    const world = new GroupWorld();
    const [ada, bob] = [world.member('ada'), world.member('bob')];
    ada.joins();
    bob.joins();
    world.advance(6000);
    const repeated = ada.joins();
    expect(repeated.answer).toMatchObject({ errorCode: ErrorCode.NONE, generationId: 1 });
    expect(repeated.answer?.members).toHaveLength(2);
  });

  it('sends those who wait for an assignment back to join when somebody comes meanwhile', () => {
    const world = new GroupWorld();
    const [ada, bob] = [world.member('ada'), world.member('bob')];
    ada.joins();
    bob.joins();
    world.advance(6000);
    bob.learnsGeneration();
    const waiting = bob.syncs();
    world.member('eve').joins();
    expect(waiting.answer?.errorCode).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
  });

  it('puts out a leader that never brings the assignment', () => {
    const world = new GroupWorld();
    const [ada, bob] = [
      world.member('ada', { rebalanceTimeoutMs: 9000, sessionTimeoutMs: 6000 }),
      world.member('bob', { rebalanceTimeoutMs: 9000, sessionTimeoutMs: 6000 }),
    ];
    ada.joins();
    bob.joins();
    world.advance(6000);
    ada.learnsGeneration();
    bob.learnsGeneration();
    const waiting = bob.syncs();
    world.advance(5000);
    ada.heartbeats();
    world.advance(4000);
    expect(waiting.answer?.errorCode).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
    expect(ada.heartbeats()).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    bob.joins();
    expect(bob.learnsGeneration()).toMatchObject({ leader: bob.memberId, generationId: 2 });
  });

  it('chooses the protocol that most members want among those that all know', () => {
    const world = new GroupWorld();
    const actors = [
      world.member('ada', { protocols: ['sticky', 'range', 'roundrobin'] }),
      world.member('bob', { protocols: ['roundrobin', 'range'] }),
      world.member('eve', { protocols: ['range', 'roundrobin'] }),
    ];
    settle(world, ...actors);
    expect(actors.map(({ lastJoin }) => lastJoin?.answer?.protocolName)).toEqual(['range', 'range', 'range']);
  });

  it('refuses a sync that names another protocol than the one in force', () => {
    const world = new GroupWorld();
    const ada = world.member('ada');
    ada.joins();
    world.advance(3000);
    ada.learnsGeneration();
    const sync = (protocolType: string | null, protocolName: string | null) =>
      world.ask({
        type: 'sync',
        groupId: ada.groupId,
        memberId: ada.memberId,
        generationId: 1,
        groupInstanceId: null,
        protocolType,
        protocolName,
        assignments: [],
      });
    expect(sync('connect', 'range').answer?.errorCode).toBe(ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
    expect(sync('consumer', 'sticky').answer?.errorCode).toBe(ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
    expect(sync('consumer', 'range').answer).toMatchObject({
      errorCode: ErrorCode.NONE,
      protocolType: 'consumer',
      protocolName: 'range',
      assignment: new Uint8Array(0),
    });
  });

  it('hands out an assignment only once it is replicated', () => {
    const world = new GroupWorld();
    const ada = world.member('ada');
    ada.joins();
    world.advance(3000);
    ada.learnsGeneration();
    world.holdAppends();
    const sync = ada.syncs({ [ada.memberId]: assignmentOf(0) });
    expect(sync.answer).toBeUndefined();
    world.releaseAppends();
    expect(sync.answer?.assignment).toEqual(assignmentOf(0));
  });

  it('takes one assignment a generation, from a leader that asks twice', () => {
    const world = new GroupWorld();
    const ada = world.member('ada');
    ada.joins();
    world.advance(3000);
    ada.learnsGeneration();
    world.holdAppends();
    const lost = ada.syncs({ [ada.memberId]: assignmentOf(0) });
    const repeated = ada.syncs({ [ada.memberId]: assignmentOf(1) });
    expect(world.heldAppends).toBe(1);
    world.releaseAppends();
    expect(lost.answer?.errorCode).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
    expect(repeated.answer?.assignment).toEqual(assignmentOf(0));
  });

  it('does not hand out the assignment of a generation that ended while it was written', () => {
    const world = new GroupWorld();
    const [ada, bob] = [world.member('ada'), world.member('bob')];
    ada.joins();
    world.advance(3000);
    ada.learnsGeneration();
    world.holdAppends();
    const overtaken = ada.syncs({ [ada.memberId]: assignmentOf(0, 1) });
    bob.joins();
    expect(overtaken.answer?.errorCode).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
    ada.joins();
    bob.learnsGeneration();
    ada.learnsGeneration();
    const waiting = bob.syncs();
    world.releaseAppends();
    expect(waiting.answer).toBeUndefined();
    ada.syncs({ [ada.memberId]: assignmentOf(0), [bob.memberId]: assignmentOf(1) });
    expect(waiting.answer?.assignment).toEqual(assignmentOf(1));
  });

  it.each([
    [ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.NOT_COORDINATOR],
    [ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.COORDINATOR_NOT_AVAILABLE],
    [ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.UNKNOWN_SERVER_ERROR],
  ])('shares again when the assignment cannot be stored (%i is told as %i)', (failure, told) => {
    const world = new GroupWorld();
    const ada = world.member('ada');
    ada.joins();
    world.advance(3000);
    ada.learnsGeneration();
    world.holdAppends();
    const sync = ada.syncs({ [ada.memberId]: assignmentOf(0) });
    world.releaseAppends(failure);
    expect(sync.answer?.errorCode).toBe(told);
    expect(ada.heartbeats()).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
    ada.joins();
    expect(ada.learnsGeneration().generationId).toBe(2);
  });

  it('gives up waiting for an assignment to be replicated after the commit timeout', () => {
    const world = new GroupWorld({ commitTimeoutMs: 5000 });
    const ada = world.member('ada');
    ada.joins();
    world.advance(3000);
    ada.learnsGeneration();
    world.holdAppends();
    const sync = ada.syncs({ [ada.memberId]: assignmentOf(0) });
    world.advance(5000);
    expect(sync.answer?.errorCode).toBe(ErrorCode.COORDINATOR_NOT_AVAILABLE);
    world.releaseAppends();
    expect(world.shard.describe('db-writer')?.groupState).toBe('PreparingRebalance');
  });

  it('sheds members of a group that is over its limit after a restart with a lower one', () => {
    const before = new GroupWorld();
    const actors = ['ada', 'bob', 'eve'].map((name) => before.member(name));
    settle(before, ...actors);

    const after = new GroupWorld({ maxSize: 2 }, before.log);
    expect(after.shard.describe('db-writer')?.groupState).toBe('PreparingRebalance');
  });
});
