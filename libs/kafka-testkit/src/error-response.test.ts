import {
  type AnyApi,
  type Api,
  apis,
  decodeResponse,
  encodeResponse,
  ErrorCode,
} from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { errorResponse } from './error-response.ts';

const CODE = ErrorCode.NOT_LEADER_OR_FOLLOWER;

/** The answer as a client in that version reads it. */
function read(api: AnyApi, version: number, request: Readonly<Record<string, unknown>>): unknown {
  const response = errorResponse(api, version, request, CODE);
  const untyped = api as unknown as Api<unknown, unknown, never, object>;
  const frame = Buffer.concat(encodeResponse(untyped, version, 1, response)).subarray(4);
  return decodeResponse(untyped, version, frame).body;
}

const topicId = 'AAAAAAAAAAAAAAAAAAAAAQ';

const stories: readonly [string, AnyApi, number, Record<string, unknown>, unknown][] = [
  [
    'each partition of Produce',
    apis.produce,
    9,
    { acks: -1, topicData: [{ name: 't', partitionData: [{ index: 3 }, { index: 5 }] }] },
    {
      responses: [
        {
          name: 't',
          partitionResponses: [
            { index: 3, errorCode: CODE },
            { index: 5, errorCode: CODE },
          ],
        },
      ],
    },
  ],
  [
    'each partition of Fetch by name, and not the session',
    apis.fetch,
    11,
    { topics: [{ topic: 't', partitions: [{ partition: 2 }] }], forgottenTopicsData: [] },
    { errorCode: 0, responses: [{ topic: 't', partitions: [{ partitionIndex: 2, errorCode: CODE }] }] },
  ],
  [
    'each partition of Fetch by id',
    apis.fetch,
    13,
    { topics: [{ topicId, partitions: [{ partition: 2 }] }] },
    { responses: [{ topicId, partitions: [{ partitionIndex: 2, errorCode: CODE }] }] },
  ],
  [
    'each partition of ListOffsets',
    apis.listOffsets,
    5,
    { topics: [{ name: 't', partitions: [{ partitionIndex: 1, timestamp: -1 }] }] },
    {
      topics: [
        { name: 't', partitions: [{ partitionIndex: 1, errorCode: CODE, timestamp: -1, offset: -1 }] },
      ],
    },
  ],
  [
    'groups, topics and partitions of OffsetFetch',
    apis.offsetFetch,
    8,
    { groups: [{ groupId: 'g', topics: [{ name: 't', partitionIndexes: [0, 4] }] }] },
    {
      groups: [
        {
          groupId: 'g',
          errorCode: CODE,
          topics: [
            {
              name: 't',
              partitions: [
                { partitionIndex: 0, errorCode: CODE },
                { partitionIndex: 4, errorCode: CODE },
              ],
            },
          ],
        },
      ],
    },
  ],
  [
    'keys of FindCoordinator',
    apis.findCoordinator,
    4,
    { coordinatorKeys: ['g'] },
    { coordinators: [{ key: 'g', errorCode: CODE }] },
  ],
  [
    'FindCoordinator as a whole where it asks for one',
    apis.findCoordinator,
    2,
    { key: 'g' },
    { errorCode: CODE },
  ],
  [
    'groups of DescribeGroups',
    apis.describeGroups,
    5,
    { groups: ['g'] },
    { groups: [{ groupId: 'g', errorCode: CODE }] },
  ],
  [
    'topics of DeleteTopics by name',
    apis.deleteTopics,
    3,
    { topicNames: ['t'] },
    { responses: [{ name: 't', errorCode: CODE }] },
  ],
  [
    'resources of DescribeConfigs',
    apis.describeConfigs,
    4,
    { resources: [{ resourceType: 2, resourceName: 't', configurationKeys: ['retention.ms'] }] },
    { results: [{ resourceType: 2, resourceName: 't', errorCode: CODE, configs: [] }] },
  ],
  [
    'JoinGroup as a whole',
    apis.joinGroup,
    7,
    { groupId: 'g', memberId: 'm', protocols: [{ name: 'range' }] },
    { errorCode: CODE, members: [] },
  ],
  [
    'InitProducerId as a whole',
    apis.initProducerId,
    4,
    { producerId: 7 },
    { errorCode: CODE, producerId: -1 },
  ],
];

describe('the answer of a broker that refuses', () => {
  it.each(stories)('puts the code on %s', (_name, api, version, request, expected) => {
    expect(read(api, version, request)).toMatchObject(expected as object);
  });

  it.each(Object.values(apis).map((api) => [api.name, api as AnyApi] as const))(
    '%s: can be sent in every version',
    (_name, api) => {
      for (let version = api.minVersion; version <= api.maxVersion; version += 1) {
        expect(() => read(api, version, {})).not.toThrow();
      }
    },
  );
});
