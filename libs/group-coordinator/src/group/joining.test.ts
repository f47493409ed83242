import { ErrorCode } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { settle } from '../testing/group-actor.ts';
import { GroupWorld } from '../testing/group-world.ts';

describe('joining a group', () => {
  it('hands out a member id first, and lets the member in that comes back with it', () => {
    const world = new GroupWorld();
    const ada = world.member('ada');

    const first = ada.asksToJoin();
    expect(first.answer).toMatchObject({ errorCode: ErrorCode.MEMBER_ID_REQUIRED, generationId: -1 });
    expect(first.answer?.memberId).toMatch(/^ada-[0-9a-f]{32}$/);

    ada.memberId = first.answer?.memberId ?? '';
    const second = ada.asksToJoin();
    expect(second.answer).toBeUndefined();
    world.advance(3000);
    expect(second.answer).toMatchObject({
      errorCode: ErrorCode.NONE,
      generationId: 1,
      leader: ada.memberId,
      memberId: ada.memberId,
      protocolType: 'consumer',
      protocolName: 'range',
      skipAssignment: false,
    });
    expect(second.answer?.members.map(({ memberId }) => memberId)).toEqual([ada.memberId]);
  });

  it.each([0, 1, 2, 3])(
    'lets a member of JoinGroup %i in directly, since it knows no MEMBER_ID_REQUIRED',
    (version) => {
      const world = new GroupWorld();
      const ada = world.member('ada', { version });
      const asked = ada.asksToJoin();
      world.advance(3000);
      expect(asked.answer).toMatchObject({ errorCode: ErrorCode.NONE, generationId: 1 });
      expect(asked.answer?.memberId).toMatch(/^ada-/);
    },
  );

  it('takes the session timeout for the rebalance timeout that JoinGroup 0 does not have', () => {
    const world = new GroupWorld();
    const old = world.member('old', { version: 0, sessionTimeoutMs: 10_000 });
    const ada = world.member('ada', { rebalanceTimeoutMs: 5000 });
    settle(world, ada, old);

    ada.joins();
    world.advance(8000);
    ada.heartbeats();
    old.heartbeats();
    world.advance(1999);
    expect(ada.lastJoin?.answer).toBeUndefined();
    world.advance(1);
    expect(ada.lastJoin?.answer).toMatchObject({ generationId: 2 });
    expect(ada.lastJoin?.answer?.members).toHaveLength(1);
  });

  it('names the member after its instance when it has one', () => {
    const world = new GroupWorld();
    const ada = world.member('ada', { instanceId: 'till-1' });
    settle(world, ada);
    expect(ada.memberId).toMatch(/^till-1-/);
  });

  it('F46: cuts a client id of the longest kind so that the member id still fits everywhere', () => {
    const world = new GroupWorld();
    const ada = world.member('🎫'.repeat(8000));
    settle(world, ada);
    expect(ada.memberId.length).toBeLessThan(1100);
    expect(ada.memberId.isWellFormed()).toBe(true);
    world.failOver();
    expect(ada.heartbeats()).toBe(ErrorCode.NONE);
  });

  it('F46: refuses the empty group id', () => {
    const world = new GroupWorld();
    const nobody = world.member('ada', { groupId: '' });
    expect(nobody.asksToJoin().answer?.errorCode).toBe(ErrorCode.INVALID_GROUP_ID);
    expect(nobody.heartbeats()).toBe(ErrorCode.INVALID_GROUP_ID);
    expect(nobody.syncs().answer?.errorCode).toBe(ErrorCode.INVALID_GROUP_ID);
    expect(nobody.leaves()).toBe(ErrorCode.INVALID_GROUP_ID);
  });

  it.each(['spaces and / slashes', 'ünï-çødé 🎫', '.', '..', '__proto__', 'constructor', 'a\u0000b'])(
    'F46: takes the odd group id %j, and its offsets survive a failover',
    (groupId) => {
      const world = new GroupWorld();
      const ada = world.member('ada', { groupId });
      settle(world, ada);
      ada.commits(0, 7);
      world.failOver();
      expect(ada.committed(0)).toBe(7);
      expect(world.shard.list().map((group) => group.groupId)).toEqual([groupId]);
    },
  );

  it.each([5999, 1_800_001])('refuses a session timeout of %i ms', (sessionTimeoutMs) => {
    const world = new GroupWorld();
    const ada = world.member('ada', { sessionTimeoutMs });
    expect(ada.asksToJoin().answer?.errorCode).toBe(ErrorCode.INVALID_SESSION_TIMEOUT);
    expect(world.shard.list()).toEqual([]);
  });

  it('does not know a member id of a group that is not there', () => {
    const world = new GroupWorld();
    const ada = world.member('ada');
    ada.memberId = 'ada-from-before';
    expect(ada.asksToJoin().answer?.errorCode).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    expect(world.shard.list()).toEqual([]);
  });

  it('refuses a member that shares no protocol with the others, or has another protocol type, or none', () => {
    const world = new GroupWorld();
    settle(world, world.member('ada', { protocols: ['range', 'sticky'] }));
    const refusal = (protocols: readonly string[], protocolType = 'consumer') =>
      world.member('bob', { protocols, protocolType, version: 3 }).asksToJoin().answer?.errorCode;

    expect(refusal(['roundrobin'])).toBe(ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
    expect(refusal(['range'], 'connect')).toBe(ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
    expect(refusal([])).toBe(ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
    expect(world.member('eve', { groupId: 'other', protocols: [] }).asksToJoin().answer?.errorCode).toBe(
      ErrorCode.INCONSISTENT_GROUP_PROTOCOL,
    );
    expect(world.shard.list().map(({ groupId }) => groupId)).toEqual(['db-writer']);
  });

  it('drops an id that nobody joins with, and the group with it', () => {
    const world = new GroupWorld();
    const ada = world.member('ada', { sessionTimeoutMs: 10_000 });
    ada.memberId = ada.asksToJoin().answer?.memberId ?? '';
    world.advance(10_000);
    expect(ada.asksToJoin().answer?.errorCode).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    expect(world.shard.list()).toEqual([]);
    expect(world.armedTimers).toBe(0);
  });

  it('waits for whoever was handed an id, until that id ends', () => {
    const world = new GroupWorld();
    const ada = world.member('ada');
    settle(world, ada);
    world.member('bob', { sessionTimeoutMs: 6000 }).asksToJoin();

    ada.joins();
    expect(ada.lastJoin?.answer).toBeUndefined();
    world.advance(6000);
    expect(ada.lastJoin?.answer).toMatchObject({ generationId: 2 });
  });

  it('bounds the ids that wait to be joined with', () => {
    const world = new GroupWorld({ maxPendingMembers: 2 });
    const codes = ['ada', 'bob', 'eve'].map((name) => world.member(name).asksToJoin().answer?.errorCode);
    expect(codes).toEqual([
      ErrorCode.MEMBER_ID_REQUIRED,
      ErrorCode.MEMBER_ID_REQUIRED,
      ErrorCode.GROUP_MAX_SIZE_REACHED,
    ]);
  });

  it('refuses a member beyond group.max.size, in each state of the group', () => {
    const world = new GroupWorld({ maxSize: 2 });
    const [ada, bob, eve] = [world.member('ada'), world.member('bob'), world.member('eve')];
    ada.joins();
    bob.joins();
    expect(eve.joins().answer?.errorCode).toBe(ErrorCode.GROUP_MAX_SIZE_REACHED);
    settle(world, ada, bob);
    eve.memberId = '';
    expect(eve.joins().answer?.errorCode).toBe(ErrorCode.GROUP_MAX_SIZE_REACHED);
    expect(ada.heartbeats()).toBe(ErrorCode.NONE);
  });

  it('answers an earlier join of the same member when a later one comes', () => {
    const world = new GroupWorld();
    const ada = world.member('ada');
    const earlier = ada.joins();
    const later = ada.asksToJoin();
    expect(earlier.answer?.errorCode).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
    expect(later.answer).toBeUndefined();
  });

  it('copies the bytes it keeps: the memory of a request is used again', () => {
    const world = new GroupWorld();
    const metadata = Buffer.from('000000000000ffffffff', 'hex');
    const asked = world.ask({
      type: 'join',
      groupId: 'db-writer',
      memberId: '',
      groupInstanceId: null,
      clientId: 'ada',
      clientHost: '/127.0.0.1',
      sessionTimeoutMs: 10_000,
      rebalanceTimeoutMs: 10_000,
      protocolType: 'consumer',
      protocols: [{ name: 'range', metadata }],
      reason: null,
      uuid: 'u',
      requiresKnownMemberId: false,
      supportsSkippingAssignment: false,
    });
    const sent = new Uint8Array(metadata);
    metadata.fill(9);
    world.advance(3000);
    expect(asked.answer?.members[0]?.metadata).toEqual(sent);
  });
});
