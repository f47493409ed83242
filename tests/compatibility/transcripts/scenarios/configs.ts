import { apis } from '@seatlog/kafka-protocol';
import { createTopic } from '../records.ts';
import type { Scenario, Session } from '../session.ts';

const TOPIC = 2;
const BROKER = 4;

/** Topic configs of which both brokers have the same default on their first start. */
const ASKED = [
  'cleanup.policy',
  'compression.type',
  'delete.retention.ms',
  'file.delete.delay.ms',
  'flush.messages',
  'flush.ms',
  'index.interval.bytes',
  'max.compaction.lag.ms',
  'max.message.bytes',
  'message.timestamp.after.max.ms',
  'message.timestamp.before.max.ms',
  'message.timestamp.type',
  'min.cleanable.dirty.ratio',
  'min.compaction.lag.ms',
  'min.insync.replicas',
  'retention.bytes',
  'retention.ms',
  'segment.bytes',
  'segment.index.bytes',
  'segment.jitter.ms',
  'segment.ms',
  'unclean.leader.election.enable',
  'no.such.config',
];

async function described(session: Session): Promise<void> {
  const topic = session.name('described');
  await createTopic(session, topic, { configs: { 'retention.ms': '60000', 'cleanup.policy': 'compact' } });
  const ask = (
    what: string,
    resourceType: number,
    resourceName: string,
    configurationKeys: string[] | null,
    { version = 4, includeSynonyms = false } = {},
  ): Promise<unknown> =>
    session.ask(what, apis.describeConfigs, version, {
      resources: [{ resourceType, resourceName, configurationKeys }],
      includeSynonyms,
    });
  for (let version = 1; version <= 4; version++) {
    await ask(`version ${version}`, TOPIC, topic, ['retention.ms', 'segment.bytes'], { version });
    await ask(`version ${version} with synonyms`, TOPIC, topic, ['retention.ms', 'segment.bytes'], {
      version,
      includeSynonyms: true,
    });
  }
  await ask('defaults', TOPIC, topic, ASKED);
  await ask('an empty list of keys', TOPIC, topic, []);
  await ask('an unknown topic', TOPIC, session.name('unknown'), ['retention.ms']);
  await ask('an impossible topic', TOPIC, 'a/b', ['retention.ms']);
  await ask('no topic', TOPIC, '', ['retention.ms']);
  await ask('the broker', BROKER, '1', [
    'log.retention.ms',
    'node.id',
    'no.such.config',
    'min.insync.replicas',
  ]);
  await ask('another broker', BROKER, '9', ['log.retention.ms']);
  await ask('no number of a broker', BROKER, 'one', ['log.retention.ms']);
  await ask('all brokers', BROKER, '', ['log.retention.ms']);
  await ask('an unknown kind', 99, 'x', null);
  await ask('no kind', 0, 'x', null);
  await session.ask('one topic twice', apis.describeConfigs, 4, {
    resources: [
      { resourceType: TOPIC, resourceName: topic, configurationKeys: ['retention.ms'] },
      { resourceType: TOPIC, resourceName: topic, configurationKeys: ['segment.bytes'] },
    ],
  });
}

async function changed(session: Session): Promise<void> {
  const topic = session.name('changed');
  await createTopic(session, topic);
  const [set, remove, append, subtract] = [0, 1, 2, 3];
  const ask = (
    what: string,
    configs: readonly [string, number, string | null][],
    { version = 1, validateOnly = false, resourceType = TOPIC, resourceName = topic } = {},
  ): Promise<unknown> =>
    session.ask(what, apis.incrementalAlterConfigs, version, {
      resources: [
        {
          resourceType,
          resourceName,
          configs: configs.map(([name, configOperation, value]) => ({ name, configOperation, value })),
        },
      ],
      validateOnly,
    });
  const shown = (what: string, value: string | undefined, name: string): Promise<unknown> =>
    session.askUntil(
      what,
      apis.describeConfigs,
      4,
      { resources: [{ resourceType: TOPIC, resourceName: topic, configurationKeys: [name] }] },
      ({ results }) => value === undefined || results[0]?.configs[0]?.value === value,
    );
  await ask('set', [['retention.ms', set, '1000']]);
  await shown('what was set', '1000', 'retention.ms');
  await ask('set, version 0', [['retention.ms', set, '2000']], { version: 0 });
  await shown('what was set in version 0', '2000', 'retention.ms');
  await ask('only check', [['retention.ms', set, '3000']], { validateOnly: true });
  await ask('only check what is wrong', [['retention.ms', set, 'long']], { validateOnly: true });
  await ask('a wrong value', [['retention.ms', set, 'long']]);
  await ask('no value', [['retention.ms', set, null]]);
  await ask('an unknown config', [['no.such.config', set, '1']]);
  await ask('remove an unknown config', [['no.such.config', remove, null]]);
  await ask('an unknown operation', [['retention.ms', 9, '1']]);
  await ask('append to a number', [['retention.ms', append, '1']]);
  await ask('append to a list', [['cleanup.policy', append, 'compact']]);
  await shown('what was appended to', 'delete,compact', 'cleanup.policy');
  await ask('append what is there', [['cleanup.policy', append, 'compact']]);
  await ask('subtract from a list', [['cleanup.policy', subtract, 'delete']]);
  await shown('what was subtracted from', 'compact', 'cleanup.policy');
  await ask('subtract what is not there', [['cleanup.policy', subtract, 'delete']]);
  await ask('append a wrong element', [['cleanup.policy', append, 'burn']]);
  await ask('one config twice', [
    ['retention.ms', set, '1'],
    ['retention.ms', set, '2'],
  ]);
  await ask('remove', [['retention.ms', remove, null]]);
  await shown('what was removed', '604800000', 'retention.ms');
  await ask('remove what is not set', [['retention.ms', remove, null]]);
  await ask('nothing', []);
  await ask('the minimum above the replicas', [['min.insync.replicas', set, '3']]);
  await ask('an unknown topic', [['retention.ms', set, '1']], { resourceName: session.name('unknown') });
  await ask('no topic', [['retention.ms', set, '1']], { resourceName: '' });
  await ask('an unknown kind', [['retention.ms', set, '1']], { resourceType: 99 });
  await ask('no number of a broker', [['log.retention.ms', set, '1']], {
    resourceType: BROKER,
    resourceName: 'one',
  });
  await session.ask('one topic twice', apis.incrementalAlterConfigs, 1, {
    resources: [
      {
        resourceType: TOPIC,
        resourceName: topic,
        configs: [{ name: 'retention.ms', configOperation: set, value: '1' }],
      },
      {
        resourceType: TOPIC,
        resourceName: topic,
        configs: [{ name: 'segment.ms', configOperation: set, value: '1' }],
      },
    ],
    validateOnly: false,
  });
}

async function replaced(session: Session): Promise<void> {
  const topic = session.name('replaced');
  await createTopic(session, topic, { configs: { 'retention.ms': '1000', 'segment.ms': '2000' } });
  const ask = (
    what: string,
    configs: readonly [string, string | null][],
    { version = 2, resourceName = topic } = {},
  ): Promise<unknown> =>
    session.ask(what, apis.alterConfigs, version, {
      resources: [
        { resourceType: TOPIC, resourceName, configs: configs.map(([name, value]) => ({ name, value })) },
      ],
      validateOnly: false,
    });
  await ask('a wrong value', [['retention.ms', 'long']]);
  await ask('no value', [['retention.ms', null]]);
  await ask('an unknown config', [['no.such.config', '1']]);
  await ask('an unknown topic', [['retention.ms', '1']], { resourceName: session.name('unknown') });
  for (let version = 0; version <= 2; version++) {
    await ask(`version ${version}`, [['retention.ms', String(5000 + version)]], { version });
  }
  await session.askUntil(
    'what is left',
    apis.describeConfigs,
    4,
    {
      resources: [
        { resourceType: TOPIC, resourceName: topic, configurationKeys: ['retention.ms', 'segment.ms'] },
      ],
    },
    ({ results }) => results[0]?.configs.some(({ value }) => value === '5002') === true,
  );
}

export const describingConfigs: Scenario = { name: 'describing-configs', tell: described };
export const changingConfigs: Scenario = { name: 'changing-configs', tell: changed };
export const replacingConfigs: Scenario = { name: 'replacing-configs', tell: replaced };
