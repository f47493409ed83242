import { describe, expect, it } from 'vitest';
import { ErrorCode } from '@seatlog/kafka-protocol';
import { configsOf, ResourceType } from '../image/cluster-image.ts';
import { TestCluster, testSchema } from '../testing/cluster.ts';
import type { ConfigAlteration, ResourceAlteration } from './alter-configs.ts';
import { ConfigOperation, incrementalAlterConfigs, replaceConfigs } from './alter-configs.ts';
import { fenceBroker } from './broker-lifecycle.ts';

const { SET, DELETE, APPEND, SUBTRACT } = ConfigOperation;

function withTopic(configs: Readonly<Record<string, string>> = {}): TestCluster {
  const cluster = new TestCluster();
  cluster.start(1);
  cluster.create('a', { configs: Object.entries(configs).map(([name, value]) => ({ name, value })) });
  return cluster;
}

function topic(...configs: readonly ConfigAlteration[]): ResourceAlteration {
  return { resourceType: ResourceType.TOPIC, resourceName: 'a', configs };
}

const alteration = (configOperation: number, name: string, value: string | null): ConfigAlteration => ({
  name,
  configOperation,
  value,
});

function alter(cluster: TestCluster, ...resources: readonly ResourceAlteration[]) {
  return incrementalAlterConfigs(cluster.image, { resources, validateOnly: false }, testSchema);
}

const settings = (cluster: TestCluster): Record<string, string> =>
  Object.fromEntries(configsOf(cluster.image, ResourceType.TOPIC, 'a'));

describe('incrementalAlterConfigs', () => {
  it('sets and deletes, and leaves the rest', () => {
    const cluster = withTopic({ 'cleanup.policy': 'compact', 'min.insync.replicas': '1' });
    cluster.decide(
      alter(
        cluster,
        topic(
          alteration(SET, 'min.insync.replicas', '2'),
          alteration(DELETE, 'unclean.leader.election.enable', null),
        ),
      ),
    );
    expect(settings(cluster)).toEqual({ 'cleanup.policy': 'compact', 'min.insync.replicas': '2' });
    cluster.decide(alter(cluster, topic(alteration(DELETE, 'cleanup.policy', null))));
    expect(settings(cluster)).toEqual({ 'min.insync.replicas': '2' });
  });

  it('appends to a list and subtracts from it, beginning with the default where none is set', () => {
    const cluster = withTopic();
    cluster.decide(alter(cluster, topic(alteration(APPEND, 'cleanup.policy', 'compact'))));
    expect(settings(cluster)).toEqual({ 'cleanup.policy': 'delete,compact' });
    cluster.decide(alter(cluster, topic(alteration(APPEND, 'cleanup.policy', 'compact'))));
    expect(settings(cluster)).toEqual({ 'cleanup.policy': 'delete,compact' });
    cluster.decide(alter(cluster, topic(alteration(SUBTRACT, 'cleanup.policy', 'delete'))));
    expect(settings(cluster)).toEqual({ 'cleanup.policy': 'compact' });
  });

  it.each([
    [
      'an append to what is no list',
      topic(alteration(APPEND, 'min.insync.replicas', '1')),
      ErrorCode.INVALID_CONFIG,
    ],
    ['a bad value', topic(alteration(SET, 'min.insync.replicas', '0')), ErrorCode.INVALID_CONFIG],
    ['an unknown config', topic(alteration(SET, 'no.such', '0')), ErrorCode.INVALID_CONFIG],
    ['a set without value', topic(alteration(SET, 'cleanup.policy', null)), ErrorCode.INVALID_REQUEST],
    ['an unknown operation', topic(alteration(9, 'cleanup.policy', 'x')), ErrorCode.INVALID_REQUEST],
    [
      'a config twice',
      topic(alteration(SET, 'cleanup.policy', 'delete'), alteration(DELETE, 'cleanup.policy', null)),
      ErrorCode.INVALID_REQUEST,
    ],
    ['an unknown topic', { ...topic(), resourceName: 'none' }, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
    [
      'an unknown broker',
      { ...topic(), resourceType: ResourceType.BROKER, resourceName: '7' },
      ErrorCode.INVALID_REQUEST,
    ],
    [
      'a broker by no number',
      { ...topic(), resourceType: ResourceType.BROKER, resourceName: 'x' },
      ErrorCode.INVALID_REQUEST,
    ],
    ['a type without configs', { ...topic(), resourceType: ResourceType.GROUP }, ErrorCode.INVALID_REQUEST],
    ['an unknown type', { ...topic(), resourceType: 99 }, ErrorCode.INVALID_REQUEST],
    [
      'a broker config that may not change',
      { resourceType: ResourceType.BROKER, resourceName: '1', configs: [alteration(SET, 'broken', 'x')] },
      ErrorCode.INVALID_REQUEST,
    ],
  ])('refuses %s', (_what, resource, errorCode) => {
    const { records, answer } = alter(withTopic(), resource);
    expect(records).toEqual([]);
    expect(answer).toMatchObject([{ errorCode, errorMessage: expect.stringMatching(/.+/) }]);
  });

  it('makes all changes of a resource or none', () => {
    const cluster = withTopic();
    const { records } = alter(
      cluster,
      topic(alteration(SET, 'cleanup.policy', 'compact'), alteration(SET, 'min.insync.replicas', 'x')),
    );
    expect(records).toEqual([]);
  });

  it('refuses a resource that is named twice, and serves the others', () => {
    const cluster = withTopic();
    cluster.create('b');
    const other = { ...topic(alteration(SET, 'cleanup.policy', 'compact')), resourceName: 'b' };
    const answer = cluster.decide(alter(cluster, topic(), other, topic()));
    expect(answer.map(({ resourceName, errorCode }) => [resourceName, errorCode])).toEqual([
      ['a', ErrorCode.INVALID_REQUEST],
      ['b', 0],
    ]);
    expect(configsOf(cluster.image, ResourceType.TOPIC, 'b').get('cleanup.policy')).toBe('compact');
  });

  it('writes nothing for a value that is set already', () => {
    const { records, answer } = alter(
      withTopic({ 'cleanup.policy': 'compact' }),
      topic(alteration(SET, 'cleanup.policy', 'compact')),
    );
    expect(records).toEqual([]);
    expect(answer[0]?.errorCode).toBe(0);
  });

  it('changes nothing with validateOnly', () => {
    const cluster = withTopic();
    const resources = [topic(alteration(SET, 'cleanup.policy', 'compact'))];
    const { records, answer } = incrementalAlterConfigs(
      cluster.image,
      { resources, validateOnly: true },
      testSchema,
    );
    expect(records).toEqual([]);
    expect(answer[0]?.errorCode).toBe(0);
  });

  it.each([
    [ResourceType.TOPIC, 'a'],
    [ResourceType.BROKER, ''],
  ])(
    'R20: a lowered minimum makes eligible leaders needless (resource type %i)',
    (resourceType, resourceName) => {
      const cluster = new TestCluster();
      for (const id of [1, 2, 3]) cluster.start(id);
      cluster.create('a', { replicationFactor: 3 });
      const configs = (value: string) => [alteration(SET, 'min.insync.replicas', value)];
      cluster.decide(alter(cluster, { resourceType, resourceName, configs: configs('3') }));
      const epoch = cluster.image.brokers.get(3)?.epoch ?? -1;
      cluster.decide(fenceBroker(cluster.image, 3, epoch, testSchema));
      expect(cluster.partition('a').elr).toEqual([3]);
      cluster.decide(alter(cluster, { resourceType, resourceName, configs: configs('2') }));
      expect(cluster.partition('a').elr).toEqual([]);
    },
  );

  it('R20: a partition without leader gets any live replica when its topic allows that', () => {
    const cluster = new TestCluster();
    for (const id of [1, 2]) cluster.start(id);
    cluster.create('a', { assignments: [{ partitionIndex: 0, brokerIds: [1, 2] }] });
    for (const id of [2, 1]) {
      cluster.decide(fenceBroker(cluster.image, id, cluster.image.brokers.get(id)?.epoch ?? -1, testSchema));
    }
    cluster.start(2);
    expect(cluster.partition('a')).toMatchObject({ leader: -1 });
    cluster.decide(alter(cluster, topic(alteration(SET, 'unclean.leader.election.enable', 'true'))));
    expect(cluster.partition('a')).toMatchObject({ leader: 2, isr: [2], leaderRecoveryState: 1 });
  });

  it('R20: a lowered minimum leaves them where the ISR is still too small', () => {
    const cluster = new TestCluster();
    for (const id of [1, 2, 3]) cluster.start(id);
    cluster.create('a', { replicationFactor: 3, configs: [{ name: 'min.insync.replicas', value: '3' }] });
    for (const id of [1, 2, 3]) {
      cluster.decide(fenceBroker(cluster.image, id, cluster.image.brokers.get(id)?.epoch ?? -1, testSchema));
    }
    const { elr } = cluster.partition('a');
    expect(elr).toHaveLength(3);
    cluster.decide(alter(cluster, topic(alteration(SET, 'min.insync.replicas', '1'))));
    expect(cluster.partition('a').elr).toEqual(elr);
  });
});

describe('replaceConfigs', () => {
  it('drops what is not given', () => {
    const cluster = withTopic({ 'cleanup.policy': 'compact', 'min.insync.replicas': '1' });
    const resources = [
      {
        resourceType: ResourceType.TOPIC,
        resourceName: 'a',
        configs: [{ name: 'min.insync.replicas', value: '2' }],
      },
    ];
    cluster.decide(replaceConfigs(cluster.image, { resources, validateOnly: false }, testSchema));
    expect(settings(cluster)).toEqual({ 'min.insync.replicas': '2' });
  });
});
