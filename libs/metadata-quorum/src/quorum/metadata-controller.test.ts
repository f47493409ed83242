import { describe, expect, it } from 'vitest';
import { ErrorCode } from '@seatlog/kafka-protocol';
import { createTopics } from '../controller/create-topics.ts';
import type { CreatedTopic } from '../controller/create-topics.ts';
import type { ClusterImage } from '../image/cluster-image.ts';
import { TestCluster, topicRequest } from '../testing/cluster.ts';
import type { ChangeOutcome } from './metadata-controller.ts';
import { MAX_PENDING_DECISIONS, MetadataController } from './metadata-controller.ts';

function setUp() {
  const cluster = new TestCluster();
  cluster.start(1);
  const controller = new MetadataController(cluster.image, 5);
  const outcomes: (ChangeOutcome<readonly CreatedTopic[]> | undefined)[] = [];
  const create = (name: string) => {
    const place = outcomes.push(undefined) - 1;
    return controller.change(
      (image: ClusterImage) =>
        createTopics(image, { topics: [topicRequest(name)], validateOnly: false }, cluster.context),
      (outcome) => {
        expect(outcomes[place]).toBeUndefined();
        outcomes[place] = outcome;
      },
    );
  };
  const codes = () =>
    outcomes.map((outcome) => (outcome?.kind === 'committed' ? outcome.answer[0]?.errorCode : outcome?.kind));
  return { cluster, controller, create, codes };
}

describe('MetadataController', () => {
  it('gives records their place in the log, and the answer when they are committed', () => {
    const { cluster, controller, create, codes } = setUp();
    const first = cluster.image.lastOffset + 1;
    const append = create('a');
    expect(append).toMatchObject({ baseOffset: first, lastOffset: first + 1, epoch: 5 });
    expect(append?.records).toHaveLength(2);
    expect(codes()).toEqual([undefined]);
    controller.committed(first);
    expect(codes()).toEqual([undefined]);
    controller.committed(first + 1);
    expect(codes()).toEqual([0]);
    expect(controller.pendingDecisions).toBe(0);
  });

  it('lets decisions see what is written before them, and their refusals wait for its commit', () => {
    const { controller, create, codes } = setUp();
    const append = create('a');
    expect(create('a')).toBeNull();
    expect(codes()).toEqual([undefined, undefined]);
    controller.committed(append?.lastOffset ?? -1);
    expect(codes()).toEqual([0, ErrorCode.TOPIC_ALREADY_EXISTS]);
  });

  it('answers at once what rests on committed records alone', () => {
    const { create, codes } = setUp();
    expect(create('..')).toBeNull();
    expect(codes()).toEqual([ErrorCode.INVALID_TOPIC_EXCEPTION]);
  });

  it('F26: goes back to what is committed when the log could not be written', () => {
    const { cluster, controller, create, codes } = setUp();
    create('a');
    create('b');
    controller.abandon(cluster.image, ErrorCode.KAFKA_STORAGE_ERROR, 'disk full');
    expect(codes()).toEqual(['failed', 'failed']);
    expect(controller.written).toBe(cluster.image);
    expect(create('a')).toMatchObject({ baseOffset: cluster.image.lastOffset + 1 });
  });

  it('refuses more decisions than may wait, and takes them again after a commit', () => {
    const { controller, create } = setUp();
    const append = create('a');
    const refusals: number[] = [];
    const propose = () =>
      controller.change(
        () => ({ records: [], answer: null }),
        (outcome) => refusals.push(outcome.kind === 'failed' ? outcome.errorCode : 0),
      );
    for (let waiting = 1; waiting < MAX_PENDING_DECISIONS; waiting += 1) propose();
    expect(refusals).toEqual([]);
    propose();
    expect(refusals).toEqual([ErrorCode.REQUEST_TIMED_OUT]);
    controller.committed(append?.lastOffset ?? -1);
    propose();
    expect(refusals.at(-1)).toBe(0);
  });

  it('lets a decision that is made while answers are given see a consistent log', () => {
    const { cluster, controller, create } = setUp();
    const seen: number[] = [];
    const first = create('a');
    controller.change(
      () => ({ records: [], answer: null }),
      () => seen.push(create('b')?.baseOffset ?? -1),
    );
    controller.committed(first?.lastOffset ?? -1);
    expect(seen).toEqual([cluster.image.lastOffset + 3]);
  });
});
