import { apis, ZERO_UUID } from '@seatlog/kafka-protocol';
import { coordinatorOf } from '../membership.ts';
import { createTopic } from '../records.ts';
import type { Scenario, Session } from '../session.ts';

interface Wish {
  readonly name: string;
  readonly partitions?: number;
  readonly factor?: number;
  readonly assignments?: readonly { partitionIndex: number; brokerIds: number[] }[];
  readonly configs?: readonly { name: string; value: string | null }[];
}

async function create(
  session: Session,
  what: string,
  wishes: readonly Wish[],
  { version = 7, validateOnly = false }: { version?: number; validateOnly?: boolean } = {},
): Promise<void> {
  const topics = wishes.map(({ name, partitions = 1, factor = 1, assignments = [], configs = [] }) => ({
    name,
    numPartitions: partitions,
    replicationFactor: factor,
    assignments: [...assignments],
    configs: [...configs],
  }));
  await session.ask(what, apis.createTopics, version, { topics, timeoutMs: 30_000, validateOnly });
}

async function creations(session: Session): Promise<void> {
  const name = (text: string): string => session.name(text);
  for (let version = 2; version <= 7; version++) {
    await create(session, `plain, version ${version}`, [{ name: name(`plain-${version}`) }], { version });
  }
  await create(session, 'there already', [{ name: name('plain-7') }]);
  await create(session, 'there already, only checked', [{ name: name('plain-7') }], { validateOnly: true });
  await create(session, 'only checked', [{ name: name('checked'), partitions: 3 }], { validateOnly: true });
  await create(session, 'defaults', [{ name: name('defaults'), partitions: -1, factor: -1 }]);
  await create(session, 'no partitions', [{ name: name('none'), partitions: 0 }]);
  await create(session, 'partitions below -1', [{ name: name('none'), partitions: -2 }]);
  await create(session, 'no replicas', [{ name: name('none'), factor: 0 }]);
  await create(session, 'replicas below -1', [{ name: name('none'), factor: -2 }]);
  await create(session, 'more replicas than brokers', [{ name: name('none'), factor: 2 }]);
  await create(session, 'no topics', []);
  for (const bad of ['', '.', '..', 'two words', 'a/b', 'é', 'x'.repeat(250)]) {
    await create(session, `name "${bad.slice(0, 20)}"`, [{ name: bad }]);
  }
  await create(session, 'the longest name', [{ name: name('y'.repeat(249 - name('').length)) }], {
    validateOnly: true,
  });
  await create(session, 'the same name twice', [
    { name: name('twice') },
    { name: name('twice') },
    { name: name('beside') },
  ]);
  await create(session, 'a name that collides', [{ name: name('plain-7').replaceAll('.', '_') }]);
  await coordinatorOf(session, name('group'));
  await create(session, 'the name of an internal topic', [{ name: '__consumer_offsets' }]);
}

async function assigned(session: Session): Promise<void> {
  const name = session.name('assigned');
  const by = (...brokers: number[][]): Wish => ({
    name,
    partitions: -1,
    factor: -1,
    assignments: brokers.map((brokerIds, partitionIndex) => ({ partitionIndex, brokerIds })),
  });
  await create(session, 'assigned to an unknown broker', [by([9])]);
  await create(session, 'assigned to a broker twice', [by([1, 1])]);
  await create(session, 'assigned to a negative broker', [by([-1])]);
  await create(session, 'assigned to nobody', [by([])]);
  await create(session, 'assigned with a gap', [
    {
      ...by([1]),
      assignments: [
        { partitionIndex: 0, brokerIds: [1] },
        { partitionIndex: 2, brokerIds: [1] },
      ],
    },
  ]);
  await create(session, 'assigned one partition twice', [
    {
      ...by([1]),
      assignments: [
        { partitionIndex: 0, brokerIds: [1] },
        { partitionIndex: 0, brokerIds: [1] },
      ],
    },
  ]);
  await create(session, 'assigned in different numbers', [by([1], [1, 1])]);
  await create(session, 'assigned with a count', [{ ...by([1]), partitions: 1 }]);
  await create(session, 'assigned with a factor', [{ ...by([1]), factor: 1 }]);
  await create(session, 'assigned', [by([1], [1])]);
}

async function configured(session: Session): Promise<void> {
  const name = session.name('configured');
  const wrong: readonly [string, string | null][] = [
    ['retention.ms', 'long'],
    ['retention.ms', '-2'],
    ['retention.ms', null],
    ['retention.ms', ''],
    ['no.such.config', '1'],
    ['cleanup.policy', 'burn'],
    ['cleanup.policy', 'compact,delete'],
    ['compression.type', 'brotli'],
    ['min.insync.replicas', '0'],
    ['min.insync.replicas', '2'],
    ['unclean.leader.election.enable', 'perhaps'],
    ['max.message.bytes', '-1'],
    ['segment.bytes', '99999999999'],
    ['message.timestamp.type', 'Never'],
  ];
  for (const [key, value] of wrong) {
    await create(session, `${key}=${value}`, [{ name, configs: [{ name: key, value }] }], {
      validateOnly: true,
    });
  }
  const twice = [
    { name: 'retention.ms', value: '1' },
    { name: 'retention.ms', value: '2' },
  ];
  await create(session, 'a config twice', [{ name, configs: twice }], { validateOnly: true });
}

async function partitions(session: Session): Promise<void> {
  const topic = session.name('growing');
  await createTopic(session, topic, { partitions: 2 });
  const grow = (
    what: string,
    count: number,
    brokers: number[][] | null = null,
    name = topic,
    validateOnly = false,
  ): Promise<unknown> =>
    session.ask(what, apis.createPartitions, 3, {
      topics: [{ name, count, assignments: brokers?.map((brokerIds) => ({ brokerIds })) ?? null }],
      timeoutMs: 30_000,
      validateOnly,
    });
  await grow('grow to as many', 2);
  await grow('grow to fewer', 1);
  await grow('grow to none', 0);
  await grow('grow to below zero', -1);
  await grow('grow an unknown topic', 3, null, session.name('unknown'));
  await grow('grow an impossible name', 3, null, 'a/b');
  await grow('grow with too few assignments', 4, [[1]]);
  await grow('grow with too many assignments', 3, [[1], [1]]);
  await grow('grow onto an unknown broker', 3, [[9]]);
  await grow('grow onto a broker twice', 3, [[1, 1]]);
  await grow('grow onto nobody', 3, [[]]);
  await grow('only check growing', 3, null, topic, true);
  await grow('grow onto a broker', 3, [[1]]);
  await session.ask('grow one topic twice', apis.createPartitions, 3, {
    topics: [
      { name: topic, count: 5, assignments: null },
      { name: topic, count: 6, assignments: null },
    ],
    timeoutMs: 30_000,
    validateOnly: false,
  });
  await session.askInEach('grow on', apis.createPartitions, (version) => ({
    topics: [{ name: topic, count: 10 + version, assignments: null }],
    timeoutMs: 30_000,
    validateOnly: false,
  }));
}

async function deletions(session: Session): Promise<void> {
  const remove = (
    what: string,
    topics: readonly { name?: string | null; topicId?: string }[],
  ): Promise<unknown> =>
    session.ask(what, apis.deleteTopics, 6, {
      topics: topics.map(({ name = null, topicId = ZERO_UUID }) => ({ name, topicId })),
      timeoutMs: 30_000,
    });
  const [first, second, third] = [session.name('first'), session.name('second'), session.name('third')];
  const id = await createTopic(session, first);
  const secondId = await createTopic(session, second);
  await createTopic(session, third);
  await remove('delete an unknown name', [{ name: session.name('unknown') }]);
  await remove('delete an unknown id', [{ topicId: 'AAAAAAAAAAAAAAAAAAAABA' }]);
  await remove('delete neither name nor id', [{}]);
  await remove('delete by both', [{ name: first, topicId: id }]);
  await remove('delete one name twice', [{ name: first }, { name: first }]);
  await remove('delete one topic by name and by id', [{ name: first }, { topicId: id }]);
  await remove('delete by id', [{ topicId: secondId }]);
  await remove('delete by name', [{ name: first }]);
  await remove('delete nothing', []);
  await session.askUntil(
    'a deleted topic',
    apis.metadata,
    12,
    { topics: [{ name: first }], allowAutoTopicCreation: false },
    ({ topics }) => topics[0]?.errorCode !== 0,
  );
  await remove('delete what is gone', [{ name: first }]);
  await session.askInEach(
    'delete names',
    apis.deleteTopics,
    () => ({ topics: [], topicNames: [session.name('unknown'), third], timeoutMs: 30_000 }),
    1,
  );
}

export const creatingTopics: Scenario = { name: 'creating-topics', tell: creations };
export const assignedTopics: Scenario = { name: 'assigned-topics', tell: assigned };
export const configuredTopics: Scenario = { name: 'configured-topics', tell: configured };
export const growingTopics: Scenario = { name: 'growing-topics', tell: partitions };
export const deletingTopics: Scenario = { name: 'deleting-topics', tell: deletions };
