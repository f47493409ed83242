import { apis, encodeSubscription, ErrorCode } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { GroupBroker } from '../groups/testing/group-broker.ts';
import { consumerGroupHeartbeat } from './68-consumer-group-heartbeat.ts';
import {
  assignmentOf,
  GROUP,
  groupClients,
  joinAlone,
  STATED_PROTOCOL,
} from '../groups/testing/wire-member.ts';

function setUp(overrides: Readonly<Record<string, string>> = {}) {
  const broker = new GroupBroker(overrides);
  broker.createTopic('seats');
  broker.createOffsetsTopic();
  return { broker, clients: groupClients(broker) };
}

const versionsOf = ({ minVersion, maxVersion }: { minVersion: number; maxVersion: number }): number[] =>
  Array.from({ length: maxVersion - minVersion + 1 }, (_, index) => minVersion + index);

const joinRequest = {
  groupId: GROUP,
  sessionTimeoutMs: 10_000,
  memberId: '',
  protocolType: 'consumer',
  protocols: [{ name: 'range', metadata: encodeSubscription({ topics: ['seats'] }) }],
};

describe('FindCoordinator', () => {
  it.each([0, 1, 2, 3])('version %i gives one coordinator', (version) => {
    const { clients } = setUp();
    expect(clients.findCoordinator.call(version, { key: GROUP })).toMatchObject({
      errorCode: ErrorCode.NONE,
      nodeId: 1,
      host: 'plaintext-1',
      port: 9001,
    });
  });

  it('version 4 gives one for each key, in their order', () => {
    const { clients } = setUp();
    const { coordinators } = clients.findCoordinator.call(4, { coordinatorKeys: ['b', 'a', ''] });
    expect(coordinators.map(({ key, errorCode, nodeId }) => [key, errorCode, nodeId])).toEqual([
      ['b', 0, 1],
      ['a', 0, 1],
      ['', 0, 1],
    ]);
    expect(clients.findCoordinator.call(4, { coordinatorKeys: [] }).coordinators).toEqual([]);
  });

  it('does not pretend to coordinate transactions, by errors on which clients give up', () => {
    const { clients } = setUp();
    expect(clients.findCoordinator.call(2, { key: 'txn', keyType: 1 })).toMatchObject({
      errorCode: ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
      errorMessage: 'Only groups are coordinated here: there are no transactions.',
      nodeId: -1,
    });
    expect(
      clients.findCoordinator.call(4, { coordinatorKeys: ['txn'], keyType: 1 }).coordinators,
    ).toMatchObject([{ key: 'txn', errorCode: ErrorCode.INVALID_REQUEST, nodeId: -1, host: '', port: -1 }]);
  });
});

describe('ConsumerGroupHeartbeat', () => {
  it.each([0, 1])('version %i says that groups share out by themselves', (version) => {
    const { broker } = setUp();
    const client = broker.client(apis.consumerGroupHeartbeat, consumerGroupHeartbeat);
    expect(
      client.call(version, {
        groupId: GROUP,
        memberId: 'm',
        memberEpoch: 0,
        subscribedTopicNames: ['seats'],
      }),
    ).toMatchObject({ errorCode: ErrorCode.UNSUPPORTED_VERSION, memberId: null, assignment: null });
  });
});

describe('JoinGroup', () => {
  it.each(versionsOf(apis.joinGroup))('version %i lets a member in', (version) => {
    const { broker, clients } = setUp();
    let answers = clients.joinGroup.send(version, joinRequest);
    expect(answers.map(({ errorCode }) => errorCode)).toEqual(
      version >= 4 ? [ErrorCode.MEMBER_ID_REQUIRED] : [],
    );
    if (version >= 4) {
      answers = clients.joinGroup.send(version, { ...joinRequest, memberId: answers[0]?.memberId ?? '' });
    }
    broker.clock.advance(3000);
    expect(answers).toMatchObject([
      {
        errorCode: ErrorCode.NONE,
        generationId: 1,
        protocolName: 'range',
        protocolType: version >= 7 ? 'consumer' : null,
        skipAssignment: false,
      },
    ]);
    expect(answers[0]?.memberId).toMatch(/^test-[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect(answers[0]?.leader).toBe(answers[0]?.memberId);
    expect(answers[0]?.members).toEqual([
      {
        memberId: answers[0]?.memberId,
        groupInstanceId: null,
        metadata: joinRequest.protocols[0]?.metadata,
      },
    ]);
  });

  it.each(versionsOf(apis.joinGroup))('version %i refuses in a form that its clients can read', (version) => {
    const { clients } = setUp();
    expect(clients.joinGroup.call(version, { ...joinRequest, groupId: '' })).toMatchObject({
      errorCode: ErrorCode.INVALID_GROUP_ID,
      generationId: -1,
      protocolName: version >= 7 ? null : '',
      leader: '',
      members: [],
    });
  });

  it.each([5, 8, 9])('version %i knows static members', (version) => {
    const { broker, clients } = setUp();
    const request = { ...joinRequest, groupInstanceId: 'till-1' };
    const [first] = [clients.joinGroup.send(version, request), broker.clock.advance(3000)];
    const { memberId, generationId } = first[0] ?? { memberId: '', generationId: -1 };
    expect(memberId).toMatch(/^till-1-/);
    const assignments = [{ memberId, assignment: assignmentOf(0) }];
    clients.syncGroup.call(5, { groupId: GROUP, generationId, memberId, ...STATED_PROTOCOL, assignments });

    const again = clients.joinGroup.call(version, request);
    expect(again).toMatchObject({ errorCode: ErrorCode.NONE, generationId: 1, skipAssignment: version >= 9 });
    expect(
      clients.heartbeat.call(4, { groupId: GROUP, generationId, memberId, groupInstanceId: 'till-1' }),
    ).toMatchObject({
      errorCode: ErrorCode.FENCED_INSTANCE_ID,
    });
  });

  it('keeps to the limits of the configuration', () => {
    const { clients } = setUp({
      'group.min.session.timeout.ms': '20000',
      'group.max.session.timeout.ms': '30000',
    });
    const ask = (sessionTimeoutMs: number) =>
      clients.joinGroup.call(9, { ...joinRequest, sessionTimeoutMs }).errorCode;
    expect([ask(19_999), ask(30_001), ask(25_000)]).toEqual([
      ErrorCode.INVALID_SESSION_TIMEOUT,
      ErrorCode.INVALID_SESSION_TIMEOUT,
      ErrorCode.MEMBER_ID_REQUIRED,
    ]);
  });

  it('does not keep a first member waiting when group.initial.rebalance.delay.ms is 0', () => {
    const { broker, clients } = setUp({ 'group.initial.rebalance.delay.ms': '0' });
    const answers = clients.joinGroup.send(3, joinRequest);
    broker.clock.advance(0);
    expect(answers).toHaveLength(1);
  });
});

describe('SyncGroup', () => {
  it.each(versionsOf(apis.syncGroup))('version %i gives a member its assignment', (version) => {
    const { broker, clients } = setUp();
    const { memberId, generationId } = joinAlone(broker, clients, { join: 9, sync: version });
    const request = { groupId: GROUP, generationId, memberId, ...STATED_PROTOCOL, assignments: [] };
    expect(clients.syncGroup.call(version, request)).toMatchObject({
      errorCode: ErrorCode.NONE,
      protocolType: version >= 5 ? 'consumer' : null,
      protocolName: version >= 5 ? 'range' : null,
      assignment: assignmentOf(0, 1),
    });
    expect(clients.syncGroup.call(version, { ...request, memberId: 'nobody' })).toMatchObject({
      errorCode: ErrorCode.UNKNOWN_MEMBER_ID,
      assignment: expect.objectContaining({ length: 0 }),
    });
  });

  it.each([
    [4, ErrorCode.NONE],
    [5, ErrorCode.INCONSISTENT_GROUP_PROTOCOL],
  ])('version %i without a protocol is answered by error %i', (version, errorCode) => {
    const { broker, clients } = setUp();
    const { memberId, generationId } = joinAlone(broker, clients, { join: 9, sync: 5 });
    const request = { groupId: GROUP, generationId, memberId, assignments: [] };
    expect(clients.syncGroup.call(version, request).errorCode).toBe(errorCode);
  });
});

describe('Heartbeat', () => {
  it.each(versionsOf(apis.heartbeat))('version %i is answered by generation and member', (version) => {
    const { broker, clients } = setUp();
    const { memberId, generationId } = joinAlone(broker, clients);
    const beat = (change: object) =>
      clients.heartbeat.call(version, { groupId: GROUP, generationId, memberId, ...change }).errorCode;
    expect(beat({})).toBe(ErrorCode.NONE);
    expect(beat({ generationId: 7 })).toBe(ErrorCode.ILLEGAL_GENERATION);
    expect(beat({ memberId: 'nobody' })).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    clients.joinGroup.send(3, joinRequest);
    expect(beat({})).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
  });
});

describe('LeaveGroup', () => {
  it.each([0, 1, 2])('version %i tells the one member its error', (version) => {
    const { broker, clients } = setUp();
    const { memberId } = joinAlone(broker, clients);
    const leave = (request: { groupId: string; memberId: string }) =>
      clients.leaveGroup.call(version, request).errorCode;
    expect(leave({ groupId: GROUP, memberId: 'nobody' })).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    expect(leave({ groupId: '', memberId })).toBe(ErrorCode.INVALID_GROUP_ID);
    expect(leave({ groupId: GROUP, memberId })).toBe(ErrorCode.NONE);
    expect(clients.describeGroups.call(5, { groups: [GROUP] }).groups[0]?.groupState).toBe('Empty');
  });

  it.each([3, 4, 5])('version %i tells each member of the list its own', (version) => {
    const { broker, clients } = setUp();
    const { memberId } = joinAlone(broker, clients);
    expect(
      clients.leaveGroup.call(version, {
        groupId: GROUP,
        members: [{ memberId: 'nobody', groupInstanceId: 'till-9' }, { memberId }],
      }),
    ).toMatchObject({
      errorCode: ErrorCode.NONE,
      members: [
        { memberId: 'nobody', groupInstanceId: 'till-9', errorCode: ErrorCode.UNKNOWN_MEMBER_ID },
        { memberId, groupInstanceId: null, errorCode: ErrorCode.NONE },
      ],
    });
  });
});
