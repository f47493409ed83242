import { ErrorCode } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { commitTo, settle } from '../testing/group-actor.ts';
import { GroupWorld } from '../testing/group-world.ts';

const deleteGroup = (world: GroupWorld, groupId = 'db-writer') =>
  world.ask({ type: 'delete-group', groupId });

const offsetsAfterFailover = (world: GroupWorld): number => {
  world.failOver();
  return world.contents().summary().offsets;
};

describe('deleting groups', () => {
  it('takes a group without members away, with its offsets, for good', () => {
    const world = new GroupWorld();
    const ada = world.member('ada');
    settle(world, ada);
    ada.commits(0, 5);
    ada.commits(1, 6);
    ada.leaves();
    expect(deleteGroup(world).answer?.errorCode).toBe(ErrorCode.NONE);
    expect(ada.committed(0)).toBe(-1);
    expect(world.shard.list()).toEqual([]);
    expect(offsetsAfterFailover(world)).toBe(0);
    expect(world.shard.list()).toEqual([]);
  });

  it('leaves a group with members alone', () => {
    const world = new GroupWorld();
    const ada = world.member('ada');
    ada.joins();
    expect(deleteGroup(world).answer?.errorCode).toBe(ErrorCode.NON_EMPTY_GROUP);
    world.advance(3000);
    expect(deleteGroup(world).answer?.errorCode).toBe(ErrorCode.NON_EMPTY_GROUP);
    settle(world, ada);
    expect(deleteGroup(world).answer?.errorCode).toBe(ErrorCode.NON_EMPTY_GROUP);
  });

  it('does not know a group that is not there', () => {
    expect(deleteGroup(new GroupWorld()).answer?.errorCode).toBe(ErrorCode.GROUP_ID_NOT_FOUND);
  });

  it('turns requests away while the group is being deleted, and takes them afterwards', () => {
    const world = new GroupWorld();
    const tool = world.member('tool');
    tool.commits(0, 5);
    world.holdAppends();
    const deletion = deleteGroup(world);
    expect(tool.commits(0, 6).errorCode).toBe(ErrorCode.COORDINATOR_NOT_AVAILABLE);
    expect(tool.asksToJoin().answer?.errorCode).toBe(ErrorCode.COORDINATOR_NOT_AVAILABLE);
    expect(deleteGroup(world).answer?.errorCode).toBe(ErrorCode.GROUP_ID_NOT_FOUND);
    world.releaseAppends();
    expect(deletion.answer?.errorCode).toBe(ErrorCode.NONE);
    expect(tool.commits(0, 6).errorCode).toBe(ErrorCode.NONE);
    expect(tool.committed(0)).toBe(6);
  });

  it('takes back a commit that was on its way when the group was deleted', () => {
    const world = new GroupWorld();
    const tool = world.member('tool');
    world.holdAppends();
    tool.commits(0, 5);
    deleteGroup(world);
    world.releaseAppends();
    expect(tool.committed(0)).toBe(-1);
    expect(offsetsAfterFailover(world)).toBe(0);
  });

  it('keeps the group when the tombstone cannot be written', () => {
    const world = new GroupWorld();
    const tool = world.member('tool');
    tool.commits(0, 5);
    world.holdAppends();
    const deletion = deleteGroup(world);
    world.releaseAppends(ErrorCode.NOT_ENOUGH_REPLICAS);
    expect(deletion.answer?.errorCode).toBe(ErrorCode.COORDINATOR_NOT_AVAILABLE);
    expect(tool.committed(0)).toBe(5);
    expect(tool.commits(0, 6).errorCode).toBe(ErrorCode.NONE);
  });

  it('deletes more offsets than one batch of tombstones holds', () => {
    const world = new GroupWorld();
    const tool = world.member('tool');
    tool.commits(0, 0, { topics: Array.from({ length: 2500 }, (_, index) => commitTo('seats', index, 1)) });
    expect(world.contents().summary().offsets).toBe(2500);
    deleteGroup(world);
    expect(offsetsAfterFailover(world)).toBe(0);
  });
});

describe('deleting offsets', () => {
  it('takes away what is named, for good, and says nothing of what is not there', () => {
    const world = new GroupWorld();
    const tool = world.member('tool');
    tool.commits(0, 5);
    tool.commits(1, 6);
    expect(tool.deletesOffsets('seats', 0, 9).answer).toMatchObject({
      errorCode: ErrorCode.NONE,
      topics: [
        {
          name: 'seats',
          partitions: [
            { partitionIndex: 0, errorCode: ErrorCode.NONE },
            { partitionIndex: 9, errorCode: ErrorCode.NONE },
          ],
        },
      ],
    });
    expect([tool.committed(0), tool.committed(1)]).toEqual([-1, 6]);
    expect(offsetsAfterFailover(world)).toBe(1);
  });

  it('protects the topics that members read', () => {
    const world = new GroupWorld();
    const ada = world.member('ada', { topics: ['seats'] });
    settle(world, ada);
    ada.commits(0, 5);
    ada.commits(0, 0, { topics: [commitTo('refunds', 0, 8)] });
    expect(ada.deletesOffsets('seats', 0).answer?.topics[0]?.partitions[0]?.errorCode).toBe(
      ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC,
    );
    expect(ada.deletesOffsets('refunds', 0).answer?.topics[0]?.partitions[0]?.errorCode).toBe(ErrorCode.NONE);
    expect([ada.committed(0), ada.committed(0, 'refunds')]).toEqual([5, -1]);
  });

  it('refuses where members speak a protocol of their own, and where there is no group', () => {
    const world = new GroupWorld();
    const connect = world.member('worker', { protocolType: 'connect' });
    settle(world, connect);
    expect(connect.deletesOffsets('seats', 0).answer?.errorCode).toBe(ErrorCode.NON_EMPTY_GROUP);
    expect(world.member('tool', { groupId: 'none' }).deletesOffsets('seats', 0).answer?.errorCode).toBe(
      ErrorCode.GROUP_ID_NOT_FOUND,
    );
  });

  it('goes with the topics, but leaves those of a topic that took the name', () => {
    const world = new GroupWorld();
    const tool = world.member('tool');
    const [former, current] = ['AAECAwQFBgcICQoLDA0ODw', 'DwECAwQFBgcICQoLDA0ODw'];
    tool.commits(0, 0, { topics: [{ ...commitTo('seats', 0, 9), topicId: former }] });
    tool.commits(0, 0, { topics: [{ ...commitTo('seats', 1, 9), topicId: current }] });
    tool.commits(0, 0, { topics: [commitTo('refunds', 0, 9)] });
    world.send({ type: 'topics-deleted', topics: [{ name: 'seats', topicId: former }] });
    expect([tool.committed(0), tool.committed(1), tool.committed(0, 'refunds')]).toEqual([-1, 9, 9]);
    expect(offsetsAfterFailover(world)).toBe(2);
  });
});

describe('the retention of offsets', () => {
  const retention = 60_000;
  const sweep = (world: GroupWorld): void => world.send({ type: 'expire-offsets' });

  it('counts from when the last member left, and takes the group with the last offset', () => {
    const world = new GroupWorld({ offsetsRetentionMs: retention });
    const ada = world.member('ada', { sessionTimeoutMs: 1_000_000 });
    settle(world, ada);
    ada.commits(0, 5);
    world.advance(retention * 2);
    sweep(world);
    expect(ada.committed(0)).toBe(5);

    ada.leaves();
    world.advance(retention - 1);
    sweep(world);
    expect(ada.committed(0)).toBe(5);
    world.advance(1);
    sweep(world);
    expect(ada.committed(0)).toBe(-1);
    expect(world.shard.list()).toEqual([]);
    expect(offsetsAfterFailover(world)).toBe(0);
  });

  it('counts from the commit for those who never join', () => {
    const world = new GroupWorld({ offsetsRetentionMs: retention });
    const tool = world.member('tool');
    tool.commits(0, 5);
    world.advance(retention / 2);
    tool.commits(1, 6);
    world.advance(retention / 2);
    sweep(world);
    expect([tool.committed(0), tool.committed(1)]).toEqual([-1, 6]);
    expect(world.shard.list()).toHaveLength(1);
  });

  it('counts from the commit for topics that the members do not read any more', () => {
    const world = new GroupWorld({ offsetsRetentionMs: retention });
    const ada = world.member('ada', { sessionTimeoutMs: 1_000_000, topics: ['seats'] });
    settle(world, ada);
    ada.commits(0, 5);
    ada.commits(0, 0, { topics: [commitTo('refunds', 0, 8)] });
    world.advance(retention);
    sweep(world);
    expect([ada.committed(0), ada.committed(0, 'refunds')]).toEqual([5, -1]);
  });

  it('keeps to an expiry that came with the commit', () => {
    const world = new GroupWorld({ offsetsRetentionMs: retention });
    const tool = world.member('tool');
    tool.commits(0, 5, { retentionTimeMs: 1000 });
    tool.commits(1, 6, { retentionTimeMs: retention * 10 });
    world.failOver();
    world.advance(1000);
    sweep(world);
    expect([tool.committed(0), tool.committed(1)]).toEqual([-1, 6]);
    world.advance(retention * 2);
    sweep(world);
    expect(tool.committed(1)).toBe(6);
  });

  it('spares an offset that is being committed just now', () => {
    const world = new GroupWorld({ offsetsRetentionMs: retention });
    const tool = world.member('tool');
    tool.commits(0, 5);
    world.advance(retention);
    world.holdAppends();
    tool.commits(0, 6);
    sweep(world);
    world.releaseAppends();
    expect(tool.committed(0)).toBe(6);
    expect(offsetsAfterFailover(world)).toBe(1);
  });

  it('takes groups that are empty in every sense at the next look', () => {
    const world = new GroupWorld();
    const ada = world.member('ada');
    settle(world, ada);
    ada.leaves();
    sweep(world);
    expect(world.shard.list()).toEqual([]);
  });
});
