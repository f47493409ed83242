/** Requests as other people's clients sent them (see `vectors/capture.ts`): read as what was asked, written back alike. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type AnyApi,
  apiByKey,
  checkBatch,
  decodeRecords,
  decodeRequestHeader,
  decodeSubscription,
  encodeRequest,
} from './index.ts';
import { ByteReader } from './byte-reader.ts';

interface Capture {
  readonly client: string;
  readonly version: string;
  readonly frames: readonly { api: string; apiKey: number; apiVersion: number; hex: string }[];
}

const captures = ['kafkajs', 'platformatic-kafka'].map(
  (name): Capture => JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8')),
);

/** What the repertoires asked for, whatever the client and the version. */
const ASKED: Readonly<Record<string, object>> = {
  Produce: {
    transactionalId: null,
    acks: -1,
    topicData: [{ name: 'vector-topic', partitionData: [{ index: 0 }] }],
  },
  Fetch: {
    replicaId: -1,
    minBytes: 1,
    isolationLevel: 1,
    sessionId: 0,
    topics: [{ partitions: [{ partition: 0, fetchOffset: 0 }] }],
    forgottenTopicsData: [],
    rackId: '',
  },
  ListOffsets: {
    replicaId: -1,
    isolationLevel: 1,
    topics: [{ name: 'vector-topic', partitions: [{ partitionIndex: 0, timestamp: -2 }] }],
  },
  Metadata: { topics: [{ name: 'vector-topic' }] },
  OffsetCommit: {
    groupId: 'vector-group',
    generationIdOrMemberEpoch: 1,
    memberId: 'recorded-member',
    topics: [{ name: 'vector-topic', partitions: [{ partitionIndex: 0, committedOffset: 1 }] }],
  },
  JoinGroup: {
    groupId: 'vector-group',
    sessionTimeoutMs: 12_345,
    rebalanceTimeoutMs: 23_456,
    memberId: '',
    protocolType: 'consumer',
  },
  SyncGroup: {
    groupId: 'vector-group',
    generationId: 1,
    memberId: 'recorded-member',
    assignments: [{ memberId: 'recorded-member' }],
  },
  DescribeGroups: { groups: ['vector-group'], includeAuthorizedOperations: false },
  CreateTopics: {
    validateOnly: false,
    topics: [
      {
        name: 'vector-topic',
        numPartitions: 3,
        replicationFactor: 1,
        assignments: [],
        configs: [{ name: 'retention.ms', value: '1000' }],
      },
    ],
  },
  DeleteRecords: { topics: [{ name: 'vector-topic', partitions: [{ partitionIndex: 0, offset: 1 }] }] },
  AddPartitionsToTxn: {
    v3AndBelowTransactionalId: 'vector-transaction',
    v3AndBelowProducerId: 4000,
    v3AndBelowProducerEpoch: 3,
    v3AndBelowTopics: [{ name: 'vector-topic', partitions: [0] }],
  },
  AddOffsetsToTxn: {
    transactionalId: 'vector-transaction',
    producerId: 4000,
    producerEpoch: 3,
    groupId: 'vector-group',
  },
  EndTxn: { transactionalId: 'vector-transaction', producerId: 4000, producerEpoch: 3, committed: true },
  TxnOffsetCommit: {
    transactionalId: 'vector-transaction',
    groupId: 'vector-group',
    producerId: 4000,
    producerEpoch: 3,
    topics: [{ name: 'vector-topic', partitions: [{ partitionIndex: 0, committedOffset: 42 }] }],
  },
  DescribeConfigs: {
    includeSynonyms: true,
    resources: [{ resourceType: 2, resourceName: 'vector-topic', configurationKeys: ['retention.ms'] }],
  },
  CreatePartitions: { topics: [{ name: 'vector-topic', count: 4, assignments: null }], validateOnly: false },
  DeleteGroups: { groupsNames: ['vector-group'] },
  IncrementalAlterConfigs: {
    resources: [
      {
        resourceType: 2,
        resourceName: 'vector-topic',
        configs: [{ name: 'retention.ms', configOperation: 0, value: '2000' }],
      },
    ],
  },
};

const SECOND_RECORD: Readonly<Record<string, readonly unknown[]>> = {
  kafkajs: [1_700_000_000_123, null, null],
  '@platformatic/kafka': [undefined, undefined, undefined],
};

type Body = Record<string, unknown>;

function readBody(api: AnyApi, header: ReturnType<typeof decodeRequestHeader>, frame: Uint8Array): Body {
  const reader = new ByteReader(frame, header.bodyPosition);
  const body = api.readRequest(reader, header.apiVersion) as Body;
  expect(reader.remaining).toBe(0);
  return body;
}

describe.each(captures)('$client $version', ({ client, frames }) => {
  it.each(frames)('$api $apiVersion', ({ api: name, apiKey, apiVersion, hex }) => {
    const frame = Buffer.from(hex, 'hex');
    const header = decodeRequestHeader(frame);
    expect(header).toMatchObject({ apiKey, apiVersion, clientId: 'vector-client', supported: true });
    const api = apiByKey(apiKey) as AnyApi;
    const body = readBody(api, header, frame);
    expect(body).toMatchObject(ASKED[name] ?? {});
    const again = encodeRequest(api, apiVersion, header.correlationId, header.clientId, body as never);
    expect(Buffer.concat(again).subarray(4).toString('hex')).toBe(hex);
  });

  const bodyOf = (name: string): Body[] =>
    frames
      .filter((frame) => frame.api === name)
      .map(({ apiKey, hex }) => {
        const frame = Buffer.from(hex, 'hex');
        return readBody(apiByKey(apiKey) as AnyApi, decodeRequestHeader(frame), frame);
      });

  it('writes batches that pass the check of the produce path, with the records that were sent', () => {
    const bodies = bodyOf('Produce') as { topicData: { partitionData: { records: Uint8Array }[] }[] }[];
    expect(bodies.length).toBeGreaterThan(1);
    for (const body of bodies) {
      const records = body.topicData[0]?.partitionData[0]?.records as Uint8Array;
      expect(
        checkBatch(records, { maxBatchBytes: 1_048_588, allowZstd: true, requireKeys: false }),
      ).toBeNull();
      const [first, second] = decodeRecords(records);
      expect(first).toMatchObject({ offset: 0, timestamp: 1_700_000_000_000 });
      expect(Buffer.from(first?.key ?? []).toString()).toBe('seat-1');
      expect(Buffer.from(first?.value ?? []).toString()).toBe('held');
      expect(first?.headers).toEqual([{ key: 'trace', value: Buffer.from('abc') }]);
      // Only one repertoire sends a second record, without key and value.
      expect([second?.timestamp, second?.key, second?.value]).toEqual(SECOND_RECORD[client]);
    }
  });

  it('subscribes in the embedded protocol', () => {
    for (const body of bodyOf('JoinGroup') as { protocols: { metadata: Uint8Array }[] }[]) {
      expect(decodeSubscription(body.protocols[0]?.metadata as Uint8Array).topics).toEqual(['vector-topic']);
    }
  });
});
