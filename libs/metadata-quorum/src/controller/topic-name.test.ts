import { describe, expect, it } from 'vitest';
import { emptyImage } from '../image/cluster-image.ts';
import { foldAll } from '../image/image-draft.ts';
import { CollisionIndex, isInternalTopic, topicNameProblem } from './topic-name.ts';

describe('topicNameProblem', () => {
  it.each(['a', '0', '-', '_', '...', '.a', 'a.', 'Order_events-2.retry', 'a'.repeat(249)])(
    'F46: takes %j',
    (name) => {
      expect(topicNameProblem(name)).toBeNull();
    },
  );

  it.each(['', '.', '..', 'a'.repeat(250), 'a b', 'a/b', '../a', 'a\u0000', 'ä', 'a\n', 'a:b', '漢', 'a\\b'])(
    'F46: refuses %j',
    (name) => {
      expect(topicNameProblem(name)).not.toBeNull();
    },
  );
});

describe('CollisionIndex', () => {
  const image = foldAll(emptyImage, [
    { type: 'TopicRecord', name: 'a.b', topicId: 'AAAAAAAAAAAAAAAAAAAAAB' },
    { type: 'TopicRecord', name: 'plain', topicId: 'AAAAAAAAAAAAAAAAAAAAAC' },
  ]);

  it('F46: finds a topic that differs in dots and underscores alone', () => {
    const index = new CollisionIndex(image);
    expect(index.colliding('a_b')).toBe('a.b');
    expect(index.colliding('a.b')).toBeUndefined();
    expect(index.colliding('a.c')).toBeUndefined();
    expect(index.colliding('plain')).toBeUndefined();
  });

  it('knows names that were added after it was built', () => {
    const index = new CollisionIndex(image);
    expect(index.colliding('c_d')).toBeUndefined();
    index.add('c.d');
    expect(index.colliding('c_d')).toBe('c.d');
  });

  it('knows names that were added before it was needed', () => {
    const index = new CollisionIndex(image);
    index.add('c.d');
    expect(index.colliding('c_d')).toBe('c.d');
  });
});

describe('isInternalTopic', () => {
  it('knows the topics of the coordinators', () => {
    expect(isInternalTopic('__consumer_offsets')).toBe(true);
    expect(isInternalTopic('__cluster_metadata')).toBe(false);
    expect(isInternalTopic('__my_topic')).toBe(false);
  });
});
