import { ErrorCode, ZERO_UUID } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { MetadataCache, type MetadataResponse } from './metadata-cache.ts';

const ID = 'AAAAAAAAAAAAAAAAAAAAAQ';
const OTHER_ID = 'AAAAAAAAAAAAAAAAAAAAAg';

function response(
  leaders: readonly (readonly [leader: number, epoch: number])[],
  more: { readonly errorCode?: number; readonly topicId?: string } = {},
): MetadataResponse {
  return {
    throttleTimeMs: 0,
    clusterId: 'c',
    controllerId: 1,
    clusterAuthorizedOperations: 0,
    brokers: [1, 2].map((nodeId) => ({ nodeId, host: `b${nodeId}`, port: 9092, rack: null })),
    topics: [
      {
        errorCode: more.errorCode ?? 0,
        name: 't',
        topicId: more.topicId ?? ID,
        isInternal: false,
        topicAuthorizedOperations: 0,
        partitions: leaders.map(([leaderId, leaderEpoch], partitionIndex) => ({
          errorCode: 0,
          partitionIndex,
          leaderId,
          leaderEpoch,
          replicaNodes: [1, 2],
          isrNodes: [1, 2],
          offlineReplicas: [],
        })),
      },
    ],
  };
}

describe('metadata cache', () => {
  it('knows leaders and which partitions have one', () => {
    const cache = new MetadataCache();
    cache.apply(
      response([
        [1, 0],
        [-1, 1],
        [2, 0],
      ]),
    );
    expect([0, 1, 2, 3].map((partition) => cache.leaderOf('t', partition))).toEqual([1, -1, 2, -1]);
    expect(cache.topic('t')?.available).toEqual([0, 2]);
    expect(cache.nameOf(ID)).toBe('t');
    expect(cache.leaderOf('u', 0)).toBe(-1);
  });

  it('does not go back to a leader of an older epoch', () => {
    const cache = new MetadataCache();
    cache.apply(response([[2, 5]]));
    cache.apply(response([[1, 4]]));
    expect(cache.leaderOf('t', 0)).toBe(2);
    cache.apply(response([[1, 6]]));
    expect(cache.leaderOf('t', 0)).toBe(1);
  });

  it('starts over when the topic is another one of the same name', () => {
    const cache = new MetadataCache();
    cache.apply(
      response([
        [2, 5],
        [2, 5],
      ]),
    );
    cache.apply(response([[1, 0]], { topicId: OTHER_ID }));
    expect(cache.leaderOf('t', 0)).toBe(1);
    expect(cache.topic('t')?.partitions.length).toBe(1);
  });

  it('takes a leader from a refusal, if it is later and known', () => {
    const cache = new MetadataCache();
    cache.apply(response([[1, 3]]));
    expect(cache.learnLeader('t', 0, 2, 3)).toBe(false);
    expect(cache.learnLeader('t', 0, 9, 4)).toBe(false);
    expect(cache.learnLeader('t', 0, 2, 4)).toBe(true);
    expect(cache.leaderOf('t', 0)).toBe(2);
  });

  it('keeps the partitions of a topic that is not to be found for the moment, and says so', () => {
    const cache = new MetadataCache();
    cache.apply(response([[1, 0]]));
    cache.apply(response([], { errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, topicId: ZERO_UUID }));
    expect(cache.topic('t')).toMatchObject({ errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION });
    expect(cache.leaderOf('t', 0)).toBe(1);
  });
});
