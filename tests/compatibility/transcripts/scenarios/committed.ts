import { apis, type RequestInput } from '@seatlog/kafka-protocol';
import { coordinatorOf } from '../membership.ts';
import { createTopic } from '../records.ts';
import type { Scenario, Session } from '../session.ts';

async function coordinators(session: Session): Promise<void> {
  const group = session.name('found');
  await coordinatorOf(session, group);
  for (let version = 0; version <= 3; version++) {
    await session.ask(`version ${version}`, apis.findCoordinator, version, { key: group });
  }
  const ask = (what: string, keyType: number, coordinatorKeys: string[]): Promise<unknown> =>
    session.ask(what, apis.findCoordinator, 4, { keyType, coordinatorKeys });
  await ask('two groups', 0, [group, session.name('other')]);
  await ask('no groups', 0, []);
  await ask('a group without a name', 0, ['']);
  await ask('one group twice', 0, [group, group]);
  await ask('an unknown kind', 7, [group]);
}

type Commit = RequestInput<typeof apis.offsetCommit>;

async function commits(session: Session): Promise<void> {
  const group = session.name('commits');
  const topic = session.name('seats');
  await createTopic(session, topic, { partitions: 2 });
  await coordinatorOf(session, group);
  const commit = (what: string, more: Partial<Commit> = {}, version = 9): Promise<unknown> =>
    session.ask(what, apis.offsetCommit, version, {
      groupId: group,
      memberId: '',
      topics: [
        { name: topic, partitions: [{ partitionIndex: 0, committedOffset: 5, committedMetadata: 'note' }] },
      ],
      ...more,
    });
  const of = (
    name: string,
    partitionIndex: number,
    committedOffset: number,
    committedMetadata: string | null = '',
  ): Pick<Commit, 'topics'> => ({
    topics: [{ name, partitions: [{ partitionIndex, committedOffset, committedMetadata }] }],
  });
  for (let version = 2; version <= 9; version++) await commit(`version ${version}`, {}, version);
  await commit('no group', { groupId: '' });
  await commit('a generation without a member', { generationIdOrMemberEpoch: 3 });
  await commit('a member without a generation', { memberId: 'nobody' });
  await commit('an unknown member', { memberId: 'nobody', generationIdOrMemberEpoch: 3 });
  await commit('an unknown instance', { groupInstanceId: 'nobody' });
  await commit('an unknown member of an unknown group', {
    groupId: session.name('elsewhere'),
    memberId: 'nobody',
    generationIdOrMemberEpoch: 3,
  });
  await commit('an unknown topic', of(session.name('unknown'), 0, 1));
  await commit('an unknown partition', of(topic, 7, 1));
  await commit('a partition below zero', of(topic, -1, 1));
  await commit('an offset below zero', of(topic, 1, -5));
  await commit('an offset of minus one', of(topic, 1, -1));
  await commit('an offset beyond the end', of(topic, 1, 1_000_000));
  await commit('long metadata', of(topic, 1, 5, 'x'.repeat(4096)));
  await commit('metadata that is too long', of(topic, 1, 6, 'x'.repeat(4097)));
  await commit('no metadata', of(topic, 1, 7, null));
  await commit('nothing', { topics: [] });
  await commit('a leader epoch', {
    topics: [
      {
        name: topic,
        partitions: [
          { partitionIndex: 1, committedOffset: 8, committedLeaderEpoch: 4, committedMetadata: '' },
        ],
      },
    ],
  });
  await fetched(session, group, topic);
}

async function fetched(session: Session, group: string, topic: string): Promise<void> {
  for (let version = 1; version <= 7; version++) {
    await session.ask(`fetched in version ${version}`, apis.offsetFetch, version, {
      groupId: group,
      topics: [{ name: topic, partitionIndexes: [0, 1, 5] }],
    });
  }
  type Wanted = RequestInput<typeof apis.offsetFetch>['groups'];
  const ask = (what: string, groups: Wanted, version = 9): Promise<unknown> =>
    session.ask(what, apis.offsetFetch, version, { groups });
  const wanted = [{ name: topic, partitionIndexes: [0, 1, 5] }];
  await ask('fetched in version 8', [{ groupId: group, topics: wanted }], 8);
  await ask('fetched', [{ groupId: group, topics: wanted }]);
  await ask('everything fetched', [{ groupId: group, topics: null }]);
  await ask('an unknown group', [{ groupId: session.name('elsewhere'), topics: wanted }]);
  await ask('everything of an unknown group', [{ groupId: session.name('elsewhere'), topics: null }]);
  await ask('no group fetched', [{ groupId: '', topics: null }]);
  await ask('two groups', [
    { groupId: group, topics: wanted },
    { groupId: session.name('elsewhere'), topics: null },
  ]);
  await ask('an unknown topic fetched', [
    { groupId: group, topics: [{ name: session.name('unknown'), partitionIndexes: [0] }] },
  ]);
  await ask('with a member that is not one', [
    { groupId: group, memberId: 'nobody', memberEpoch: 4, topics: wanted },
  ]);
  await ask('no groups', []);
  const remove = (what: string, groupId: string, name: string, partitionIndex: number): Promise<unknown> =>
    session.ask(what, apis.offsetDelete, 0, {
      groupId,
      topics: [{ name, partitions: [{ partitionIndex }] }],
    });
  await remove('an offset deleted', group, topic, 1);
  await remove('an offset deleted again', group, topic, 1);
  await remove('an offset of an unknown partition deleted', group, topic, 7);
  await remove('an offset of an unknown topic deleted', group, session.name('unknown'), 0);
  await remove('an offset of an unknown group deleted', session.name('elsewhere'), topic, 0);
  await remove('an offset of no group deleted', '', topic, 0);
  await ask('what is left', [{ groupId: group, topics: null }]);
  await session.ask('described', apis.describeGroups, 5, { groups: [group] });
  await session.ask('the group without a name deleted', apis.deleteGroups, 2, { groupsNames: [''] });
  await listed(session, group);
}

/** Other runs' groups are none of this one's matter. */
async function listed(session: Session, group: string): Promise<void> {
  for (let version = 0; version <= 5; version++) {
    const answer = await session.exchange(apis.listGroups, version, {});
    session.note(
      `listed in version ${version}`,
      answer?.groups.filter(({ groupId }) => groupId === group),
    );
  }
  const filtered = async (
    what: string,
    filters: { statesFilter?: string[]; typesFilter?: string[] },
  ): Promise<void> => {
    const answer = await session.exchange(apis.listGroups, 5, filters);
    session.note(what, {
      errorCode: answer?.errorCode,
      groups: answer?.groups.filter(({ groupId }) => groupId === group),
    });
  };
  await filtered('listed: empty ones', { statesFilter: ['Empty'] });
  await filtered('listed: empty ones, in small letters', { statesFilter: ['empty'] });
  await filtered('listed: stable ones', { statesFilter: ['Stable'] });
  await filtered('listed: an unknown state', { statesFilter: ['Asleep'] });
  await filtered('listed: classic ones', { typesFilter: ['classic'] });
  await filtered('listed: consumer ones', { typesFilter: ['consumer'] });
  await filtered('listed: an unknown type', { typesFilter: ['other'] });
}

export const findingCoordinators: Scenario = { name: 'finding-coordinators', tell: coordinators };
export const committingOffsets: Scenario = { name: 'committing-offsets', tell: commits };
