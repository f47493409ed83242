import { ErrorCode } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { assignmentOf, type GroupActor, settle } from '../testing/group-actor.ts';
import { GroupWorld } from '../testing/group-world.ts';

/** A client process that was started again: same instance, no memory. */
const restarted = (world: GroupWorld, actor: GroupActor, version = 9): GroupActor =>
  world.member(actor.name, { instanceId: actor.instanceId ?? '', version });

function twoTills(world: GroupWorld): [GroupActor, GroupActor] {
  const tills: [GroupActor, GroupActor] = [
    world.member('north', { instanceId: 'till-north' }),
    world.member('south', { instanceId: 'till-south' }),
  ];
  settle(world, ...tills);
  return tills;
}

describe('static members', () => {
  it('join without the detour over MEMBER_ID_REQUIRED', () => {
    const world = new GroupWorld();
    const till = world.member('north', { instanceId: 'till-north' });
    expect(till.asksToJoin().answer).toBeUndefined();
  });

  it('come back to a stable group without a rebalance, to the share they had', () => {
    const world = new GroupWorld();
    const [north, south] = twoTills(world);
    const again = restarted(world, south);
    expect(again.joins().answer).toMatchObject({
      errorCode: ErrorCode.NONE,
      generationId: 1,
      leader: north.memberId,
      skipAssignment: false,
      members: [],
    });
    again.learnsGeneration();
    expect(again.memberId).not.toBe(south.memberId);
    expect(again.syncs().answer?.assignment).toEqual(assignmentOf(1));
    expect(north.heartbeats()).toBe(ErrorCode.NONE);
  });

  it('F28: fence whoever still speaks under the former member id', () => {
    const world = new GroupWorld();
    const [, south] = twoTills(world);
    restarted(world, south).joins();
    expect(south.heartbeats()).toBe(ErrorCode.FENCED_INSTANCE_ID);
    expect(south.syncs().answer?.errorCode).toBe(ErrorCode.FENCED_INSTANCE_ID);
    expect(south.commits(1, 5).errorCode).toBe(ErrorCode.FENCED_INSTANCE_ID);
    expect(south.leaves()).toBe(ErrorCode.FENCED_INSTANCE_ID);
    expect(south.joins().answer?.errorCode).toBe(ErrorCode.FENCED_INSTANCE_ID);
  });

  it('tell a leader that comes back to skip the assignment, if it understands (JoinGroup 9)', () => {
    const world = new GroupWorld();
    const [north, south] = twoTills(world);
    const again = restarted(world, north);
    const answer = again.joins().answer;
    expect(answer).toMatchObject({ skipAssignment: true, leader: answer?.memberId, generationId: 1 });
    expect(answer?.members.map(({ groupInstanceId }) => groupInstanceId).sort()).toEqual([
      'till-north',
      'till-south',
    ]);
    expect(south.heartbeats()).toBe(ErrorCode.NONE);
  });

  it('name the former leader to a leader that comes back and does not understand (JoinGroup 8)', () => {
    const world = new GroupWorld();
    const [north] = twoTills(world);
    expect(restarted(world, north, 8).joins().answer).toMatchObject({
      skipAssignment: false,
      leader: north.memberId,
      members: [],
    });
  });

  it('are answered once their place is replicated', () => {
    const world = new GroupWorld();
    const [, south] = twoTills(world);
    world.holdAppends();
    const join = restarted(world, south).joins();
    expect(join.answer).toBeUndefined();
    world.releaseAppends();
    expect(join.answer?.errorCode).toBe(ErrorCode.NONE);
  });

  it('keep their former id when the place cannot be written down', () => {
    const world = new GroupWorld();
    const [, south] = twoTills(world);
    world.holdAppends();
    const join = restarted(world, south).joins();
    world.releaseAppends(ErrorCode.NOT_ENOUGH_REPLICAS);
    expect(join.answer?.errorCode).toBe(ErrorCode.COORDINATOR_NOT_AVAILABLE);
    expect(south.heartbeats()).toBe(ErrorCode.NONE);
    world.advance(9999);
    expect(south.heartbeats()).toBe(ErrorCode.NONE);
  });

  it('rebalance when their return changes the protocol', () => {
    const world = new GroupWorld();
    const north = world.member('north', { instanceId: 'till-north', protocols: ['range', 'sticky'] });
    settle(world, north);
    const again = world.member('north', { instanceId: 'till-north', protocols: ['sticky', 'range'] });
    expect(again.joins().answer).toMatchObject({ generationId: 2, protocolName: 'sticky' });
  });

  it('rebalance when they come back while the assignment is awaited', () => {
    const world = new GroupWorld();
    const [north, south] = [
      world.member('north', { instanceId: 'till-north' }),
      world.member('south', { instanceId: 'till-south' }),
    ];
    north.joins();
    south.joins();
    world.advance(6000);
    const waiting = south.learnsGeneration() && south.syncs();
    const again = restarted(world, south);
    again.joins();
    expect(waiting?.answer?.errorCode).toBe(ErrorCode.FENCED_INSTANCE_ID);
    north.joins();
    expect(again.lastJoin?.answer).toMatchObject({ generationId: 2 });
  });

  it('keep their place in a rebalance that they miss, until their session ends', () => {
    const world = new GroupWorld();
    const [north, south] = [
      world.member('north', { instanceId: 'till-north', rebalanceTimeoutMs: 8000 }),
      world.member('south', { instanceId: 'till-south', rebalanceTimeoutMs: 8000, sessionTimeoutMs: 60_000 }),
    ];
    settle(world, north, south);
    north.joins();
    world.advance(8000);
    expect(north.learnsGeneration().members).toHaveLength(2);
  });

  it('hold up a rebalance that none of them joins until their sessions end', () => {
    const world = new GroupWorld();
    const options = { rebalanceTimeoutMs: 8000, sessionTimeoutMs: 20_000 };
    const north = world.member('north', { ...options, instanceId: 'till-north' });
    const south = world.member('south', { ...options, instanceId: 'till-south' });
    settle(world, north, south);
    const eve = world.member('eve', options);
    eve.joins();
    eve.leaves();
    world.advance(16_000);
    expect(world.logLines.filter((line) => line.startsWith('nobody rejoined'))).toHaveLength(2);
    world.advance(4000);
    expect(world.shard.describe('db-writer')).toMatchObject({ groupState: 'Empty', members: [] });
    expect([north.heartbeats(), south.heartbeats()]).toEqual([
      ErrorCode.UNKNOWN_MEMBER_ID,
      ErrorCode.UNKNOWN_MEMBER_ID,
    ]);
  });

  it('may come back to a full group', () => {
    const world = new GroupWorld({ maxSize: 2 });
    const [, south] = twoTills(world);
    expect(restarted(world, south).joins().answer?.errorCode).toBe(ErrorCode.NONE);
  });

  it('survive a failover under their latest id', () => {
    const world = new GroupWorld();
    const [, south] = twoTills(world);
    const again = restarted(world, south);
    again.joins();
    again.learnsGeneration();
    world.failOver();
    expect(again.heartbeats()).toBe(ErrorCode.NONE);
    expect(south.heartbeats()).toBe(ErrorCode.FENCED_INSTANCE_ID);
    expect(again.syncs().answer?.assignment).toEqual(assignmentOf(1));
  });
});
