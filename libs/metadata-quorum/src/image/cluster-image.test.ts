import { describe, expect, it } from 'vitest';
import { partitionChange } from '../records/metadata-record.ts';
import type { MetadataRecord } from '../records/metadata-record.ts';
import { TestCluster } from '../testing/cluster.ts';
import { changesBetween } from './cluster-changes.ts';
import {
  configResource,
  emptyImage,
  liveBrokers,
  partitionOf,
  ResourceType,
  topicById,
} from './cluster-image.ts';
import { fold, foldAll } from './image-draft.ts';

function twoTopics(): TestCluster {
  const cluster = new TestCluster();
  cluster.start(1);
  cluster.create('a', { numPartitions: 2 });
  cluster.create('b');
  return cluster;
}

describe('fold', () => {
  it('leaves the image it began with as it was', () => {
    const { image } = twoTopics();
    const topicsBefore = [...image.topics.keys()];
    const partitions = image.topics.get('a')?.partitions;
    const id = image.topics.get('a')?.id ?? '';
    fold(image, partitionChange(id, 0, { isr: [] }));
    fold(image, { type: 'RemoveTopicRecord', topicId: id });
    expect([...image.topics.keys()]).toEqual(topicsBefore);
    expect(image.topics.get('a')?.partitions).toBe(partitions);
    expect(image.topics.get('a')?.partitions[0]?.isr).toEqual([1]);
  });

  it('shares what a record does not touch', () => {
    const { image } = twoTopics();
    const id = image.topics.get('a')?.id ?? '';
    const after = fold(image, partitionChange(id, 0, { leader: -1, isr: [] }));
    expect(after.brokers).toBe(image.brokers);
    expect(after.configs).toBe(image.configs);
    expect(after.topics.get('b')).toBe(image.topics.get('b'));
    expect(after.topics.get('a')?.partitions[1]).toBe(image.topics.get('a')?.partitions[1]);
    expect(partitionOf(after, 'a', 0)).toMatchObject({ leader: -1, leaderEpoch: 1, partitionEpoch: 1 });
  });

  it('gives one result whether records are folded one by one or together', () => {
    const { image } = twoTopics();
    const id = image.topics.get('a')?.id ?? '';
    const records: readonly MetadataRecord[] = [
      partitionChange(id, 1, { isr: [], leader: -1 }),
      { type: 'ConfigRecord', resourceType: 2, resourceName: 'a', name: 'k', value: 'v' },
      { type: 'RemoveTopicRecord', topicId: id },
      { type: 'TopicRecord', name: 'a', topicId: 'AAECAwQFBgcICQoLDA0ODw' },
      { type: 'ConfigRecord', resourceType: 2, resourceName: 'b', name: 'k', value: 'v' },
      { type: 'ConfigRecord', resourceType: 2, resourceName: 'b', name: 'k', value: null },
    ];
    expect(foldAll(image, records)).toEqual(records.reduce(fold, image));
  });

  it('clears eligible leaders of one topic, or of all', () => {
    const { image } = twoTopics();
    const withElr = [...image.topics.values()].reduce(
      (current, topic) =>
        fold(current, partitionChange(topic.id, 0, { eligibleLeaderReplicas: [1], lastKnownElr: [1] })),
      image,
    );
    const one = fold(withElr, { type: 'ClearElrRecord', topicName: 'a' });
    expect(partitionOf(one, 'a', 0)).toMatchObject({ elr: [], lastKnownElr: [] });
    expect(one.topics.get('b')).toBe(withElr.topics.get('b'));
    const all = fold(withElr, { type: 'ClearElrRecord', topicName: '' });
    expect(partitionOf(all, 'b', 0)).toMatchObject({ elr: [], lastKnownElr: [] });
  });

  it.each<[string, MetadataRecord]>([
    ['a topic that exists', { type: 'TopicRecord', name: 'a', topicId: 'AAECAwQFBgcICQoLDA0ODw' }],
    ['the end of an unknown topic', { type: 'RemoveTopicRecord', topicId: 'AAECAwQFBgcICQoLDA0ODw' }],
    ['a change of an unknown partition', partitionChange('AAECAwQFBgcICQoLDA0ODw', 0, {})],
    ['an unknown broker', { type: 'FenceBrokerRecord', id: 9, epoch: 1 }],
    ['an epoch that a broker does not have', { type: 'UnfenceBrokerRecord', id: 1, epoch: 99 }],
    [
      'producer ids that go back',
      { type: 'ProducerIdsRecord', brokerId: 1, brokerEpoch: 1, nextProducerId: 0 },
    ],
  ])('refuses %s', (_what, record) => {
    expect(() => fold(twoTopics().image, record)).toThrow(expect.objectContaining({ code: 'FOLD_MISMATCH' }));
  });
});

describe('lookups', () => {
  it('finds topics by name and by id', () => {
    const { image } = twoTopics();
    const id = image.topics.get('a')?.id ?? '';
    expect(topicById(image, id)?.name).toBe('a');
    expect(topicById(image, 'AAECAwQFBgcICQoLDA0ODw')).toBeUndefined();
    expect(partitionOf(image, 'a', 1)?.index).toBe(1);
    expect(partitionOf(image, 'a', 2)).toBeUndefined();
    expect(partitionOf(image, 'none', 0)).toBeUndefined();
  });

  it('shows unfenced brokers alone, by id', () => {
    const cluster = new TestCluster();
    for (const id of [3, 1]) cluster.start(id);
    cluster.register(2);
    expect(liveBrokers(cluster.image).map(({ id }) => id)).toEqual([1, 3]);
  });

  it('gives back what a config key was made of, colons in names included', () => {
    expect(configResource(`${ResourceType.TOPIC}:a:b`)).toEqual({ resourceType: 2, resourceName: 'a:b' });
  });
});

describe('changesBetween', () => {
  it('finds nothing between an image and itself', () => {
    const { image } = twoTopics();
    expect(changesBetween(image, image)).toEqual({
      createdTopics: [],
      deletedTopics: [],
      partitions: [],
      configs: [],
      brokers: [],
      featuresChanged: false,
    });
  });

  it('finds everything from the empty image on', () => {
    const { image } = twoTopics();
    const changes = changesBetween(emptyImage, image);
    expect(changes.createdTopics.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(changes.partitions).toHaveLength(3);
    expect(changes.brokers.map(({ id }) => id)).toEqual([1]);
    expect(changes.featuresChanged).toBe(true);
  });

  it('finds a changed partition, a changed config and a deleted topic', () => {
    const { image } = twoTopics();
    const after = foldAll(image, [
      partitionChange(image.topics.get('a')?.id ?? '', 1, { isr: [], leader: -1 }),
      { type: 'ConfigRecord', resourceType: 4, resourceName: '', name: 'k', value: 'v' },
      { type: 'RemoveTopicRecord', topicId: image.topics.get('b')?.id ?? '' },
    ]);
    const changes = changesBetween(image, after);
    expect(
      changes.partitions.map(({ topic, before, after: now }) => [topic.name, before?.leader, now.leader]),
    ).toEqual([['a', 1, -1]]);
    expect(changes.deletedTopics.map(({ name }) => name)).toEqual(['b']);
    expect(changes.createdTopics).toEqual([]);
    expect(changes.configs).toEqual([{ resourceType: 4, resourceName: '' }]);
  });

  it('takes a topic that was deleted and made again for two', () => {
    const { image } = twoTopics();
    const after = foldAll(image, [
      { type: 'RemoveTopicRecord', topicId: image.topics.get('b')?.id ?? '' },
      { type: 'TopicRecord', name: 'b', topicId: 'AAECAwQFBgcICQoLDA0ODw' },
    ]);
    const { createdTopics, deletedTopics } = changesBetween(image, after);
    expect(deletedTopics).toEqual([image.topics.get('b')]);
    expect(createdTopics).toEqual([after.topics.get('b')]);
  });
});
