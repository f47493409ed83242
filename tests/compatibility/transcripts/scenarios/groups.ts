import { apis, encodeSubscription } from '@seatlog/kafka-protocol';
import { coordinatorOf, type Join, joinOf } from '../membership.ts';
import type { Scenario, Session } from '../session.ts';

const SUBSCRIPTION = encodeSubscription({ topics: ['seats'] }, 1);

/** Joins as clients do: the first answer gives a member id, the second one lets in. */
async function member(
  session: Session,
  what: string,
  groupId: string,
  by = 'main',
  more: Partial<Join> = {},
): Promise<{ memberId: string; generationId: number }> {
  const first = await session.ask(
    `${what} asks for an id`,
    apis.joinGroup,
    9,
    joinOf(groupId, SUBSCRIPTION, more),
    by,
  );
  if (first?.errorCode === 0) return first;
  const second = await session.ask(
    `${what} joins`,
    apis.joinGroup,
    9,
    joinOf(groupId, SUBSCRIPTION, { ...more, memberId: first?.memberId ?? '' }),
    by,
  );
  return { memberId: second?.memberId ?? '', generationId: second?.generationId ?? -1 };
}

async function joins(session: Session): Promise<void> {
  const group = session.name('joined');
  await coordinatorOf(session, group);
  for (let version = 0; version <= 3; version++) {
    const named = session.name(`old-${version}`);
    await coordinatorOf(session, named);
    await session.ask(`version ${version}`, apis.joinGroup, version, joinOf(named, SUBSCRIPTION));
  }
  for (let version = 4; version <= 9; version++) {
    await session.ask(`an id in version ${version}`, apis.joinGroup, version, joinOf(group, SUBSCRIPTION));
  }
  const ask = (what: string, more: Partial<Join>, groupId = group): Promise<unknown> =>
    session.ask(what, apis.joinGroup, 9, joinOf(groupId, SUBSCRIPTION, more));
  await ask('no group', {}, '');
  await ask('an unknown member', { memberId: 'nobody' });
  await ask('a session that is too short', { sessionTimeoutMs: 1 });
  await ask('a session that is too long', { sessionTimeoutMs: 100_000_000 });
  await ask('no kind of protocol', { protocolType: '' });
  await ask('no protocols', { protocols: [] });
  await ask('another group, with an unknown member', { memberId: 'nobody' }, session.name('elsewhere'));
  const alone = await member(session, 'the first', group);
  await ask('with other protocols', { protocols: [{ name: 'other', metadata: SUBSCRIPTION }] });
  await ask('with another kind', { protocolType: 'connect' });
  const sync = (
    what: string,
    more: {
      generationId?: number;
      memberId?: string;
      protocolName?: string;
      protocolType?: string;
      groupId?: string;
    },
  ): Promise<unknown> =>
    session.ask(what, apis.syncGroup, 5, {
      groupId: group,
      ...alone,
      protocolType: 'consumer',
      protocolName: 'range',
      assignments: [{ memberId: alone.memberId, assignment: Buffer.from('mine') }],
      ...more,
    });
  const describe = (what: string, groupId = group): Promise<unknown> =>
    session.ask(what, apis.describeGroups, 5, { groups: [groupId], includeAuthorizedOperations: false });
  await describe('described before the assignment');
  await sync('synced with another generation', { generationId: 99 });
  await sync('synced by an unknown member', { memberId: 'nobody' });
  await sync('synced with another protocol', { protocolName: 'other' });
  await sync('synced with another kind', { protocolType: 'connect' });
  await session.ask('synced without a protocol', apis.syncGroup, 5, {
    groupId: group,
    ...alone,
    assignments: [],
  });
  await sync('synced in an unknown group', { groupId: session.name('elsewhere') });
  await sync('synced in no group', { groupId: '' });
  await sync('synced', {});
  await sync('synced again', {});
  await describe('described');
  await describe('an unknown group described', session.name('elsewhere'));
  await describe('no group described', '');
  for (let version = 0; version <= 5; version++) {
    await session.ask(`described in version ${version}`, apis.describeGroups, version, { groups: [group] });
  }
  await beats(session, group, alone);
  await leaves(session, group, alone);
}

async function beats(
  session: Session,
  groupId: string,
  who: { memberId: string; generationId: number },
): Promise<void> {
  const beat = (
    what: string,
    more: { generationId?: number; memberId?: string; groupId?: string; groupInstanceId?: string } = {},
    version = 4,
  ): Promise<unknown> => session.ask(what, apis.heartbeat, version, { groupId, ...who, ...more });
  for (let version = 0; version <= 4; version++) await beat(`heartbeat in version ${version}`, {}, version);
  await beat('heartbeat of another generation', { generationId: 99 });
  await beat('heartbeat of an unknown member', { memberId: 'nobody' });
  await beat('heartbeat of nobody', { memberId: '' });
  await beat('heartbeat in an unknown group', { groupId: session.name('elsewhere') });
  await beat('heartbeat in no group', { groupId: '' });
  await beat('heartbeat of an unknown instance', { groupInstanceId: 'nobody' });
}

async function leaves(session: Session, groupId: string, who: { memberId: string }): Promise<void> {
  const leave = (
    what: string,
    members: { memberId: string; groupInstanceId?: string }[],
    group = groupId,
  ): Promise<unknown> => session.ask(what, apis.leaveGroup, 5, { groupId: group, members });
  await leave('an unknown member leaves', [{ memberId: 'nobody' }]);
  await leave('an unknown instance leaves', [{ memberId: '', groupInstanceId: 'nobody' }]);
  await leave('nobody leaves', []);
  await leave('leaves an unknown group', [{ memberId: 'nobody' }], session.name('elsewhere'));
  await leave('leaves no group', [{ memberId: 'nobody' }], '');
  await session.ask('an unknown member leaves, version 2', apis.leaveGroup, 2, {
    groupId,
    memberId: 'nobody',
  });
  await leave('leaves', [{ memberId: who.memberId }, { memberId: 'nobody' }]);
  await leave('leaves again', [{ memberId: who.memberId }]);
  await session.askUntil(
    'described when empty',
    apis.describeGroups,
    5,
    { groups: [groupId] },
    ({ groups }) => groups[0]?.groupState === 'Empty',
  );
}

async function statics(session: Session): Promise<void> {
  const group = session.name('static');
  await coordinatorOf(session, group);
  const instance = { groupInstanceId: 'desk-1' };
  const ask = (
    what: string,
    more: Partial<Join>,
  ): Promise<{ memberId: string; generationId: number } | undefined> =>
    session.ask(what, apis.joinGroup, 9, joinOf(group, SUBSCRIPTION, more));
  await ask('an unknown member id for an instance', { ...instance, memberId: 'nobody' });
  const first = await ask('an instance joins', instance);
  const { memberId = '', generationId = -1 } = first ?? {};
  const sync = (
    what: string,
    who: { memberId: string; generationId: number; groupInstanceId?: string },
  ): Promise<unknown> =>
    session.ask(what, apis.syncGroup, 5, {
      groupId: group,
      protocolType: 'consumer',
      protocolName: 'range',
      assignments: [{ memberId: who.memberId, assignment: Buffer.from('mine') }],
      ...who,
    });
  await sync('the instance syncs', { memberId, generationId, ...instance });
  const second = await ask('the instance comes back', instance);
  const back = { memberId: second?.memberId ?? '', generationId: second?.generationId ?? -1 };
  const beat = (
    what: string,
    who: { memberId: string; generationId: number; groupInstanceId?: string },
  ): Promise<unknown> => session.ask(what, apis.heartbeat, 4, { groupId: group, ...who });
  await beat('the former one beats', { memberId, generationId, ...instance });
  await beat('the former one beats without its instance', { memberId, generationId });
  await sync('the former one syncs', { memberId, generationId, ...instance });
  await session.ask(
    'the former one joins',
    apis.joinGroup,
    9,
    joinOf(group, SUBSCRIPTION, { memberId, ...instance }),
  );
  await session.ask('the former one commits', apis.offsetCommit, 8, {
    groupId: group,
    generationIdOrMemberEpoch: generationId,
    memberId,
    ...instance,
    topics: [
      { name: 'seats', partitions: [{ partitionIndex: 0, committedOffset: 1, committedMetadata: '' }] },
    ],
  });
  await session.ask('the former one leaves', apis.leaveGroup, 5, {
    groupId: group,
    members: [{ memberId, ...instance }],
  });
  await beat('the one that is back beats', { ...back, ...instance });
  await session.ask('described', apis.describeGroups, 5, { groups: [group] });
  await session.ask('an operator removes the instance', apis.leaveGroup, 5, {
    groupId: group,
    members: [{ memberId: '', ...instance }],
  });
  await session.ask('described without it', apis.describeGroups, 5, { groups: [group] });
}

async function rebalance(session: Session): Promise<void> {
  const group = session.name('two');
  await coordinatorOf(session, group);
  const first = await member(session, 'the first', group);
  await session.ask('the first syncs', apis.syncGroup, 5, {
    groupId: group,
    ...first,
    protocolType: 'consumer',
    protocolName: 'range',
    assignments: [{ memberId: first.memberId, assignment: Buffer.from('all') }],
  });
  const given = await session.ask(
    'the second asks for an id',
    apis.joinGroup,
    9,
    joinOf(group, SUBSCRIPTION),
    'second',
  );
  const joined = session.exchange(
    apis.joinGroup,
    9,
    joinOf(group, SUBSCRIPTION, { memberId: given?.memberId ?? '' }),
    'second',
  );
  await session.askUntil(
    'the group is rebalanced',
    apis.heartbeat,
    4,
    { groupId: group, ...first },
    ({ errorCode }) => errorCode !== 0,
  );
  await session.ask('described meanwhile', apis.describeGroups, 5, { groups: [group] });
  await session.ask('the first syncs meanwhile', apis.syncGroup, 5, {
    groupId: group,
    ...first,
    protocolType: 'consumer',
    protocolName: 'range',
    assignments: [],
  });
  await session.ask('the first commits meanwhile', apis.offsetCommit, 8, {
    groupId: group,
    memberId: first.memberId,
    generationIdOrMemberEpoch: first.generationId,
    topics: [
      { name: 'seats', partitions: [{ partitionIndex: 0, committedOffset: 4, committedMetadata: '' }] },
    ],
  });
  const again = await session.ask(
    'the first joins again',
    apis.joinGroup,
    9,
    joinOf(group, SUBSCRIPTION, { memberId: first.memberId }),
  );
  const second = await joined;
  session.note('the second has joined', second);
  const generationId = again?.generationId ?? -1;
  await session.ask('described between join and sync', apis.describeGroups, 5, { groups: [group] });
  const synced = session.exchange(
    apis.syncGroup,
    5,
    {
      groupId: group,
      memberId: second?.memberId ?? '',
      generationId,
      protocolType: 'consumer',
      protocolName: 'range',
      assignments: [],
    },
    'second',
  );
  await session.ask('the leader syncs', apis.syncGroup, 5, {
    groupId: group,
    memberId: first.memberId,
    generationId,
    protocolType: 'consumer',
    protocolName: 'range',
    assignments: [
      { memberId: first.memberId, assignment: Buffer.from('one') },
      { memberId: second?.memberId ?? '', assignment: Buffer.from('two') },
    ],
  });
  session.note('the second has synced', await synced);
  await session.ask('the first leaves', apis.leaveGroup, 5, {
    groupId: group,
    members: [{ memberId: first.memberId }],
  });
  await session.askUntil(
    'the second is told',
    apis.heartbeat,
    4,
    { groupId: group, memberId: second?.memberId ?? '', generationId },
    ({ errorCode }) => errorCode !== 0,
  );
  await session.ask(
    'a follower that joins again unchanged',
    apis.joinGroup,
    9,
    joinOf(group, SUBSCRIPTION, { memberId: second?.memberId ?? '' }),
  );
  await session.ask('deleted with a member', apis.deleteGroups, 2, {
    groupsNames: [group, session.name('elsewhere'), ''],
  });
  await session.ask('leaves', apis.leaveGroup, 5, {
    groupId: group,
    members: [{ memberId: second?.memberId ?? '' }],
  });
  for (let version = 0; version <= 2; version++) {
    await session.ask(`deleted in version ${version}`, apis.deleteGroups, version, { groupsNames: [group] });
  }
}

export const joiningGroups: Scenario = { name: 'joining-groups', tell: joins };
export const staticMembers: Scenario = { name: 'static-members', tell: statics };
export const rebalancing: Scenario = { name: 'rebalancing', tell: rebalance };
