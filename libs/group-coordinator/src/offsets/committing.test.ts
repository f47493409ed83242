import { ErrorCode, ZERO_UUID } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { commitTo, settle } from '../testing/group-actor.ts';
import { GroupWorld } from '../testing/group-world.ts';

describe('committing offsets', () => {
  it('K11: gives back what was committed, the next offset to read, with its metadata and leader epoch', () => {
    const world = new GroupWorld();
    const ada = world.member('ada');
    settle(world, ada);
    const topics = [
      {
        name: 'seats',
        topicId: ZERO_UUID,
        partitions: [
          { partitionIndex: 3, committedOffset: 42, committedLeaderEpoch: 7, committedMetadata: 'mine' },
        ],
      },
    ];
    expect(ada.commits(0, 0, { topics }).errorCode).toBe(ErrorCode.NONE);
    expect(world.shard.fetchOffsets('db-writer', null)).toEqual([
      {
        name: 'seats',
        topicId: ZERO_UUID,
        partitions: [
          { partitionIndex: 3, committedOffset: 42, committedLeaderEpoch: 7, metadata: 'mine', errorCode: 0 },
        ],
      },
    ]);
  });

  it('says -1 and no metadata where nothing is committed, and nothing at all for all of an unknown group', () => {
    const world = new GroupWorld();
    const topics = [{ name: 'seats', topicId: ZERO_UUID, partitionIndexes: [0] }];
    expect(world.shard.fetchOffsets('nobody', topics)[0]?.partitions).toEqual([
      { partitionIndex: 0, committedOffset: -1, committedLeaderEpoch: -1, metadata: '', errorCode: 0 },
    ]);
    expect(world.shard.fetchOffsets('nobody', null)).toEqual([]);
  });

  it('K11: answers a commit, and shows it, only once it is replicated', () => {
    const world = new GroupWorld();
    const ada = world.member('ada');
    settle(world, ada);
    world.holdAppends();
    const commit = ada.commits(0, 5);
    expect(commit.errorCode).toBeUndefined();
    expect(ada.committed(0)).toBe(-1);
    world.releaseAppends();
    expect(commit.errorCode).toBe(ErrorCode.NONE);
    expect(ada.committed(0)).toBe(5);
  });

  it('tells of a commit that is not replicated in time, and holds it when it is replicated after all', () => {
    const world = new GroupWorld({ commitTimeoutMs: 5000 });
    const ada = world.member('ada');
    settle(world, ada);
    world.holdAppends();
    const commit = ada.commits(0, 5);
    world.advance(4999);
    expect(commit.errorCode).toBeUndefined();
    world.advance(1);
    expect(commit.errorCode).toBe(ErrorCode.COORDINATOR_NOT_AVAILABLE);
    expect(ada.committed(0)).toBe(-1);
    world.releaseAppends();
    expect(ada.committed(0)).toBe(5);
    world.failOver();
    expect(ada.committed(0)).toBe(5);
  });

  it.each([
    [ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.INVALID_COMMIT_OFFSET_SIZE],
    [ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.NOT_COORDINATOR],
    [ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.COORDINATOR_NOT_AVAILABLE],
  ])('does not hold a commit whose write failed (%i is told as %i)', (failure, told) => {
    const world = new GroupWorld();
    const ada = world.member('ada');
    settle(world, ada);
    ada.commits(0, 4);
    world.holdAppends();
    const commit = ada.commits(0, 5);
    world.releaseAppends(failure);
    expect(commit.errorCode).toBe(told);
    expect(ada.committed(0)).toBe(4);
  });

  it('holds a commit that was written to too few replicas, though it is told that it failed', () => {
    const world = new GroupWorld();
    const ada = world.member('ada');
    settle(world, ada);
    world.holdAppends();
    const commit = ada.commits(0, 5);
    world.releaseAppends(ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND);
    expect(commit.errorCode).toBe(ErrorCode.COORDINATOR_NOT_AVAILABLE);
    expect(ada.committed(0)).toBe(5);
    world.failOver();
    expect(ada.committed(0)).toBe(5);
  });

  it('refuses metadata that is too long, and commits the other partitions', () => {
    const world = new GroupWorld({ offsetMetadataMaxLength: 4 });
    const ada = world.member('ada');
    settle(world, ada);
    const asked = world.ask({
      type: 'commit-offsets',
      groupId: 'db-writer',
      memberId: ada.memberId,
      generationId: 1,
      groupInstanceId: null,
      retentionTimeMs: -1,
      namesMissingGroup: true,
      topics: [commitTo('seats', 0, 1, '12345'), commitTo('seats', 1, 2, '1234')],
    });
    expect(asked.answer?.topics.map(({ partitions }) => partitions[0]?.errorCode)).toEqual([
      ErrorCode.OFFSET_METADATA_TOO_LARGE,
      ErrorCode.NONE,
    ]);
    expect([ada.committed(0), ada.committed(1)]).toEqual([-1, 2]);
    expect(ada.commits(0, 1, { topics: [commitTo('seats', 0, 1, '12345')] }).errorCode).toBe(
      ErrorCode.OFFSET_METADATA_TOO_LARGE,
    );
  });

  it('lets anyone without a generation commit for a group without members, also one that is not there yet', () => {
    const world = new GroupWorld();
    const tool = world.member('tool', { groupId: 'reset-me' });
    expect(tool.commits(0, 5).errorCode).toBe(ErrorCode.NONE);
    expect(world.shard.list()).toEqual([
      { groupId: 'reset-me', protocolType: '', groupState: 'Empty', groupType: 'classic' },
    ]);
    world.failOver();
    expect(tool.committed(0)).toBe(5);
    expect(world.shard.list()).toHaveLength(1);
  });

  it('refuses a commit without a generation for a group that has members', () => {
    const world = new GroupWorld();
    settle(world, world.member('ada'));
    expect(world.member('tool').commits(0, 5).errorCode).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  });

  it('refuses a commit of a generation for a group that is not there', () => {
    const world = new GroupWorld();
    const ada = world.member('ada');
    const change = { memberId: 'ada-1', generationId: 4 };
    expect(ada.commits(0, 5, change).errorCode).toBe(ErrorCode.GROUP_ID_NOT_FOUND);
    expect(ada.commits(0, 5, { ...change, namesMissingGroup: false }).errorCode).toBe(
      ErrorCode.ILLEGAL_GENERATION,
    );
    expect(world.shard.list()).toEqual([]);
  });

  it('F28: refuses strangers and those of another generation', () => {
    const world = new GroupWorld();
    const ada = world.member('ada');
    settle(world, ada);
    expect(ada.commits(0, 5, { memberId: 'somebody' }).errorCode).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    expect(ada.commits(0, 5, { generationId: 0 }).errorCode).toBe(ErrorCode.ILLEGAL_GENERATION);
    expect(ada.commits(0, 5, { generationId: -1 }).errorCode).toBe(ErrorCode.ILLEGAL_GENERATION);
  });

  it('takes commits while members join, but not between the join and the assignment', () => {
    const world = new GroupWorld();
    const [ada, bob] = [world.member('ada'), world.member('bob')];
    settle(world, ada, bob);
    ada.joins();
    expect(bob.commits(1, 5).errorCode).toBe(ErrorCode.NONE);
    bob.joins();
    bob.learnsGeneration();
    expect(bob.commits(1, 6).errorCode).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
  });

  it('does not take what was committed for a deleted topic for an offset of the one that took its name', () => {
    const world = new GroupWorld();
    const tool = world.member('tool');
    const [former, current] = ['AAECAwQFBgcICQoLDA0ODw', 'DwECAwQFBgcICQoLDA0ODw'];
    tool.commits(0, 0, { topics: [{ ...commitTo('seats', 0, 9), topicId: former }] });
    const fetch = (topicId: string) =>
      world.shard.fetchOffsets('db-writer', [{ name: 'seats', topicId, partitionIndexes: [0] }])[0]
        ?.partitions[0]?.committedOffset;
    expect([fetch(former), fetch(current), fetch(ZERO_UUID)]).toEqual([9, -1, 9]);
  });
});
