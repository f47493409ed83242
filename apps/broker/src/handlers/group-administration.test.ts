import { apis, encodeSubscription, ErrorCode } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { GroupBroker } from '../groups/testing/group-broker.ts';
import { assignmentOf, GROUP, groupClients, joinAlone } from '../groups/testing/wire-member.ts';

function setUp() {
  const broker = new GroupBroker();
  broker.createTopic('seats');
  broker.createTopic('refunds');
  broker.createOffsetsTopic();
  return { broker, clients: groupClients(broker) };
}

const versionsOf = ({ minVersion, maxVersion }: { minVersion: number; maxVersion: number }): number[] =>
  Array.from({ length: maxVersion - minVersion + 1 }, (_, index) => minVersion + index);

/** One partition of one topic, as OffsetCommit has it. */
const offset = (name: string, partitionIndex: number, committedOffset: number, committedMetadata = '') => ({
  name,
  partitions: [{ partitionIndex, committedOffset, committedMetadata }],
});

describe('OffsetCommit', () => {
  it.each(versionsOf(apis.offsetCommit))('version %i commits, and refuses what does not exist', (version) => {
    const { broker, clients } = setUp();
    const { memberId, generationId } = joinAlone(broker, clients);
    const request = {
      groupId: GROUP,
      memberId,
      generationIdOrMemberEpoch: generationId,
      topics: [
        offset('nowhere', 0, 5),
        {
          name: 'seats',
          partitions: [
            { partitionIndex: 7, committedOffset: 5, committedMetadata: null },
            { partitionIndex: 1, committedOffset: 6, committedMetadata: null },
          ],
        },
      ],
    };
    expect(clients.offsetCommit.call(version, request).topics).toEqual([
      {
        name: 'nowhere',
        partitions: [{ partitionIndex: 0, errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION }],
      },
      {
        name: 'seats',
        partitions: [
          { partitionIndex: 7, errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION },
          { partitionIndex: 1, errorCode: ErrorCode.NONE },
        ],
      },
    ]);
  });

  it.each([
    [8, ErrorCode.ILLEGAL_GENERATION],
    [9, ErrorCode.GROUP_ID_NOT_FOUND],
  ])('version %i says %i of a generation of no group', (version, errorCode) => {
    const { clients } = setUp();
    const { topics } = clients.offsetCommit.call(version, {
      groupId: 'none',
      memberId: 'm',
      generationIdOrMemberEpoch: 3,
      topics: [offset('seats', 0, 5)],
    });
    expect(topics[0]?.partitions[0]?.errorCode).toBe(errorCode);
  });

  it('answers at once when nothing of it exists', () => {
    const { clients } = setUp();
    const { topics } = clients.offsetCommit.call(9, { groupId: GROUP, topics: [offset('nowhere', 0, 5)] });
    expect(topics[0]?.partitions[0]?.errorCode).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    expect(clients.listGroups.call(5, {}).groups).toEqual([]);
  });

  it('takes the expiry that versions 2 to 4 bring, and metadata and epoch round the way', () => {
    const { broker, clients } = setUp();
    clients.offsetCommit.call(4, { groupId: GROUP, retentionTimeMs: 1000, topics: [offset('seats', 0, 5)] });
    clients.offsetCommit.call(9, {
      groupId: GROUP,
      topics: [
        {
          name: 'seats',
          partitions: [
            { partitionIndex: 1, committedOffset: 6, committedLeaderEpoch: 3, committedMetadata: 'né' },
          ],
        },
      ],
    });
    const groups = [{ groupId: GROUP, topics: [{ name: 'seats', partitionIndexes: [0, 1] }] }];
    const partitions = () => clients.offsetFetch.call(9, { groups }).groups[0]?.topics[0]?.partitions;
    expect(partitions()).toMatchObject([
      { committedOffset: 5, committedLeaderEpoch: -1, metadata: '' },
      { committedOffset: 6, committedLeaderEpoch: 3, metadata: 'né' },
    ]);
    broker.clock.advance(600_000);
    expect(partitions()).toMatchObject([{ committedOffset: -1 }, { committedOffset: 6 }]);
  });
});

describe('OffsetFetch', () => {
  const committed = () => {
    const { broker, clients } = setUp();
    clients.offsetCommit.call(9, {
      groupId: GROUP,
      topics: [offset('seats', 1, 6, 'mine'), offset('refunds', 0, 7)],
    });
    return { broker, clients };
  };

  it.each([1, 2, 3, 4, 5, 6, 7])('version %i gives what is committed, and -1 for the rest', (version) => {
    const { clients } = committed();
    const topics = [{ name: 'seats', partitionIndexes: [1, 0, 99] }];
    expect(clients.offsetFetch.call(version, { groupId: GROUP, topics })).toMatchObject({
      errorCode: ErrorCode.NONE,
      topics: [
        {
          name: 'seats',
          partitions: [
            { partitionIndex: 1, committedOffset: 6, metadata: 'mine', errorCode: ErrorCode.NONE },
            { partitionIndex: 0, committedOffset: -1, metadata: '', errorCode: ErrorCode.NONE },
            { partitionIndex: 99, committedOffset: -1, metadata: '', errorCode: ErrorCode.NONE },
          ],
        },
      ],
    });
  });

  it.each([2, 5, 7])('version %i gives all for null, and nothing for an empty list', (version) => {
    const { clients } = committed();
    const names = (topics: null | []) =>
      clients.offsetFetch.call(version, { groupId: GROUP, topics }).topics.map(({ name }) => name);
    expect(names(null)).toEqual(['seats', 'refunds']);
    expect(names([])).toEqual([]);
  });

  it.each([8, 9])('version %i asks for several groups', (version) => {
    const { clients } = committed();
    const { groups } = clients.offsetFetch.call(version, {
      groups: [
        { groupId: 'none', topics: null },
        { groupId: GROUP, topics: null },
        { groupId: GROUP, topics: [{ name: 'refunds', partitionIndexes: [0] }] },
      ],
      requireStable: true,
    });
    expect(groups.map(({ groupId, errorCode, topics }) => [groupId, errorCode, topics.length])).toEqual([
      ['none', 0, 0],
      [GROUP, 0, 2],
      [GROUP, 0, 1],
    ]);
    expect(groups[2]?.topics[0]?.partitions).toMatchObject([{ partitionIndex: 0, committedOffset: 7 }]);
  });

  it.each([
    [1, { errorCode: ErrorCode.NONE, topics: [{ partitions: [{ errorCode: 14, committedOffset: -1 }] }] }],
    [2, { errorCode: 14, topics: [] }],
    [7, { errorCode: 14, topics: [] }],
  ])('version %i has its own place for the error of a group', (version, expected) => {
    const { broker, clients } = committed();
    broker.restart();
    const topics = [{ name: 'seats', partitionIndexes: [1] }];
    expect(clients.offsetFetch.call(version, { groupId: GROUP, topics })).toMatchObject(expected);
  });

  it('version 8 has a place for the error of each group', () => {
    const { broker, clients } = committed();
    broker.restart();
    expect(clients.offsetFetch.call(8, { groups: [{ groupId: GROUP, topics: null }] }).groups).toMatchObject([
      { groupId: GROUP, errorCode: ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, topics: [] },
    ]);
  });
});

describe('DescribeGroups', () => {
  it.each(versionsOf(apis.describeGroups))('version %i shows a stable group with its members', (version) => {
    const { broker, clients } = setUp();
    const { memberId } = joinAlone(broker, clients);
    const { groups } = clients.describeGroups.call(version, { groups: [GROUP] });
    expect(groups).toMatchObject([
      {
        errorCode: ErrorCode.NONE,
        groupId: GROUP,
        groupState: 'Stable',
        protocolType: 'consumer',
        protocolData: 'range',
        members: [
          {
            memberId,
            groupInstanceId: null,
            clientId: 'test',
            clientHost: '/127.0.0.1',
            memberMetadata: encodeSubscription({ topics: ['seats'] }),
            memberAssignment: assignmentOf(0, 1),
          },
        ],
        authorizedOperations: -2_147_483_648,
      },
    ]);
  });

  it('calls a group that is not there dead, and names the allowed operations where asked', () => {
    const { broker, clients } = setUp();
    joinAlone(broker, clients);
    const request = { groups: ['none', GROUP, ''], includeAuthorizedOperations: true };
    const { groups } = clients.describeGroups.call(5, request);
    expect(groups.map(({ groupState }) => groupState)).toEqual(['Dead', 'Stable', 'Dead']);
    expect(groups[1]?.authorizedOperations).toBe(3400);
  });
});

describe('ListGroups', () => {
  it.each(versionsOf(apis.listGroups))('version %i lists the groups', (version) => {
    const { broker, clients } = setUp();
    joinAlone(broker, clients);
    clients.offsetCommit.call(9, { groupId: 'tool', topics: [offset('seats', 0, 1)] });
    const list = () =>
      clients.listGroups
        .call(version, {})
        .groups.sort((one, other) => (one.groupId < other.groupId ? -1 : 1));
    expect(list()).toEqual([
      {
        groupId: GROUP,
        protocolType: 'consumer',
        groupState: version >= 4 ? 'Stable' : '',
        groupType: version >= 5 ? 'classic' : '',
      },
      {
        groupId: 'tool',
        protocolType: '',
        groupState: version >= 4 ? 'Empty' : '',
        groupType: version >= 5 ? 'classic' : '',
      },
    ]);
  });

  it('filters by state and by type, whatever the case of the letters', () => {
    const { broker, clients } = setUp();
    joinAlone(broker, clients);
    clients.offsetCommit.call(9, { groupId: 'tool', topics: [offset('seats', 0, 1)] });
    const ids = (version: number, request: { statesFilter?: string[]; typesFilter?: string[] }) =>
      clients.listGroups.call(version, request).groups.map(({ groupId }) => groupId);
    expect(ids(4, { statesFilter: ['empty', 'Dead'] })).toEqual(['tool']);
    expect(ids(5, { typesFilter: ['Consumer'] })).toEqual([]);
    expect(ids(5, { typesFilter: ['CLASSIC'], statesFilter: ['Stable'] })).toEqual([GROUP]);
  });
});

describe('DeleteGroups', () => {
  it.each(versionsOf(apis.deleteGroups))('version %i answers for each group once', (version) => {
    const { broker, clients } = setUp();
    joinAlone(broker, clients);
    clients.offsetCommit.call(9, { groupId: 'tool', topics: [offset('seats', 0, 1)] });
    const { results } = clients.deleteGroups.call(version, { groupsNames: ['tool', GROUP, 'none', 'tool'] });
    expect(results).toEqual([
      { groupId: 'tool', errorCode: ErrorCode.NONE },
      { groupId: GROUP, errorCode: ErrorCode.NON_EMPTY_GROUP },
      { groupId: 'none', errorCode: ErrorCode.GROUP_ID_NOT_FOUND },
    ]);
    expect(clients.deleteGroups.call(version, { groupsNames: [] }).results).toEqual([]);
  });
});

describe('OffsetDelete', () => {
  it('takes away what nobody reads', () => {
    const { broker, clients } = setUp();
    const { memberId, generationId } = joinAlone(broker, clients);
    clients.offsetCommit.call(9, {
      groupId: GROUP,
      memberId,
      generationIdOrMemberEpoch: generationId,
      topics: [offset('seats', 0, 5), offset('refunds', 0, 6)],
    });
    const partitions = [{ partitionIndex: 0 }];
    const topics = ['seats', 'refunds', 'nowhere'].map((name) => ({ name, partitions }));
    const answer = clients.offsetDelete.call(0, { groupId: GROUP, topics });
    expect(answer.errorCode).toBe(ErrorCode.NONE);
    expect(answer.topics.map(({ name, partitions }) => [name, partitions[0]?.errorCode])).toEqual([
      ['seats', ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC],
      ['refunds', ErrorCode.NONE],
      ['nowhere', ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
    ]);
    const fetched = clients.offsetFetch.call(5, { groupId: GROUP, topics: null }).topics;
    expect(fetched.map(({ name }) => name)).toEqual(['seats']);
  });

  it('tells the error of the group', () => {
    const { clients } = setUp();
    expect(clients.offsetDelete.call(0, { groupId: 'none', topics: [] })).toMatchObject({
      errorCode: ErrorCode.GROUP_ID_NOT_FOUND,
      topics: [],
    });
  });
});
