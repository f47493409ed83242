import { apis, ZERO_UUID } from '@seatlog/kafka-protocol';
import { createTopic } from '../records.ts';
import type { Scenario, Session } from '../session.ts';

async function told(session: Session): Promise<void> {
  const topic = session.name('known');
  const topicId = await createTopic(session, topic, { partitions: 2 });
  for (let version = 0; version <= 12; version++) {
    await session.ask(`version ${version}`, apis.metadata, version, {
      topics: [{ name: topic }],
      ...(version >= 4 ? { allowAutoTopicCreation: false } : {}),
    });
    await session.ask(`unknown, version ${version}`, apis.metadata, version, {
      topics: [{ name: version < 4 ? 'a/b' : session.name('unknown') }],
      ...(version >= 4 ? { allowAutoTopicCreation: false } : {}),
    });
  }
  const ask = (
    what: string,
    topics: { name?: string | null; topicId?: string }[],
    allowAutoTopicCreation = false,
  ): Promise<unknown> =>
    session.ask(what, apis.metadata, 12, {
      topics: topics.map(({ name = null, topicId: id = ZERO_UUID }) => ({ name, topicId: id })),
      allowAutoTopicCreation,
    });
  await ask('no topics', []);
  await ask('by id', [{ topicId }]);
  await ask('by an unknown id', [{ topicId: 'AAAAAAAAAAAAAAAAAAAABA' }]);
  await ask('by neither', [{}]);
  await ask('by both', [{ name: topic, topicId }]);
  await ask('by an id and by a name', [{ topicId }, { name: topic }]);
  await ask('twice', [{ name: topic }, { name: topic }]);
  await ask('an impossible name', [{ name: 'a/b' }]);
  await ask('an impossible name, to be created', [{ name: 'a/b' }], true);
  await ask('no name', [{ name: '' }]);
  await session.ask('with what is allowed', apis.metadata, 12, {
    topics: [{ name: topic }],
    allowAutoTopicCreation: false,
    includeTopicAuthorizedOperations: true,
  });
  await session.ask('with what is allowed in the cluster', apis.metadata, 10, {
    topics: [],
    allowAutoTopicCreation: false,
    includeClusterAuthorizedOperations: true,
  });
  const parts = (
    what: string,
    names: string[],
    limit = 2000,
    cursor: { topicName: string; partitionIndex: number } | null = null,
  ) =>
    session.ask(what, apis.describeTopicPartitions, 0, {
      topics: names.map((name) => ({ name })),
      responsePartitionLimit: limit,
      cursor,
    });
  await parts('partitions', [topic]);
  await parts('partitions of an unknown topic', [session.name('unknown')]);
  await parts('partitions of an impossible topic', ['a/b']);
  await parts('one partition', [topic], 1);
  await parts('the next partition', [topic], 1, { topicName: topic, partitionIndex: 1 });
  await parts('a partition behind the last', [topic], 1, { topicName: topic, partitionIndex: 2 });
  await parts('a partition below zero', [topic], 1, { topicName: topic, partitionIndex: -1 });
  await parts('a limit of zero', [topic], 0);
}

async function cluster(session: Session): Promise<void> {
  for (let version = 0; version <= 1; version++) {
    await session.ask(`version ${version}`, apis.describeCluster, version, {
      includeClusterAuthorizedOperations: true,
    });
  }
  await session.ask('controllers, asked of a broker', apis.describeCluster, 1, {
    includeClusterAuthorizedOperations: false,
    endpointType: 2,
  });
  await session.ask('an unknown kind', apis.describeCluster, 1, {
    includeClusterAuthorizedOperations: false,
    endpointType: 7,
  });
  await session.ask('unregister an unknown broker', apis.unregisterBroker, 0, { brokerId: 99 });
  const quorum = (what: string, version: number, topicName: string, partitionIndex = 0): Promise<void> =>
    session
      .exchange(apis.describeQuorum, version, { topics: [{ topicName, partitions: [{ partitionIndex }] }] })
      .then((answer) => {
        const [partition] = answer?.topics[0]?.partitions ?? [];
        const { errorCode, leaderId, currentVoters, observers } = partition ?? {};
        session.note(what, {
          errorCode: answer?.errorCode,
          topics: answer?.topics.length,
          partition: partition && {
            errorCode,
            leaderId,
            voters: currentVoters?.length,
            observers: observers?.length,
          },
          nodes: answer?.nodes.length,
        });
      });
  for (let version = 0; version <= 2; version++)
    await quorum(`quorum, version ${version}`, version, '__cluster_metadata');
  await quorum('quorum of another topic', 2, session.name('unknown'));
  await quorum('quorum of another partition', 2, '__cluster_metadata', 1);
  const topic = session.name('stored');
  await createTopic(session, topic, { partitions: 2 });
  const stored = (what: string, version: number, name: string, partitions: number[]): Promise<unknown> =>
    session.ask(what, apis.describeLogDirs, version, { topics: [{ topic: name, partitions }] });
  for (let version = 1; version <= 4; version++)
    await stored(`log directories, version ${version}`, version, topic, [0, 1]);
  await stored('log directories, one partition', 4, topic, [1]);
  await stored('log directories, an unknown partition', 4, topic, [7]);
  await stored('log directories, an unknown topic', 4, session.name('unknown'), [0]);
  await session.ask('log directories, no topics', apis.describeLogDirs, 4, { topics: [] });
}

async function moves(session: Session): Promise<void> {
  const topic = session.name('moving');
  await createTopic(session, topic, { partitions: 2 });
  const move = (
    what: string,
    replicas: number[] | null,
    { version = 1, partitionIndex = 0, name = topic } = {},
  ): Promise<unknown> =>
    session.ask(what, apis.alterPartitionReassignments, version, {
      timeoutMs: 10_000,
      topics: [{ name, partitions: [{ partitionIndex, replicas }] }],
    });
  await move('to where it is', [1]);
  await move('to where it is, version 0', [1], { version: 0 });
  await move('to an unknown broker', [9]);
  await move('to a broker twice', [1, 1]);
  await move('to nobody', []);
  await move('to a broker below zero', [-1]);
  await move('given up, though none is under way', null);
  await move('an unknown partition', [1], { partitionIndex: 7 });
  await move('an unknown topic', [1], { name: session.name('unknown') });
  await session.ask('nothing', apis.alterPartitionReassignments, 1, { timeoutMs: 10_000, topics: [] });
  await session.ask('with another factor, though it is not allowed', apis.alterPartitionReassignments, 1, {
    timeoutMs: 10_000,
    allowReplicationFactorChange: false,
    topics: [{ name: topic, partitions: [{ partitionIndex: 0, replicas: [1] }] }],
  });
  await session.ask('what is under way', apis.listPartitionReassignments, 0, { topics: null });
  await session.ask('what is under way in a topic', apis.listPartitionReassignments, 0, {
    topics: [{ name: topic, partitionIndexes: [0, 1, 9] }],
  });
  await session.ask('what is under way in an unknown topic', apis.listPartitionReassignments, 0, {
    topics: [{ name: session.name('unknown'), partitionIndexes: [0] }],
  });
  const elect = (
    what: string,
    electionType: number,
    partitions: number[],
    { version = 2, name = topic } = {},
  ): Promise<unknown> =>
    session.ask(what, apis.electLeaders, version, {
      ...(version >= 1 ? { electionType } : {}),
      topicPartitions: [{ topic: name, partitions }],
      timeoutMs: 10_000,
    });
  for (let version = 0; version <= 2; version++)
    await elect(`elect the preferred, version ${version}`, 0, [0, 1], { version });
  await elect('elect uncleanly', 1, [0]);
  await elect('elect by an unknown rule', 7, [0]);
  await elect('elect in an unknown partition', 0, [9]);
  await elect('elect in an unknown topic', 0, [0], { name: session.name('unknown') });
}

export const topicMetadata: Scenario = { name: 'topic-metadata', tell: told };
export const clusterMetadata: Scenario = { name: 'cluster-metadata', tell: cluster };
export const movingPartitions: Scenario = { name: 'moving-partitions', tell: moves };
