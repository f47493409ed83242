/** Frames worked out by hand from the protocol's definition, byte for byte, in both directions. */
import { describe, expect, it } from 'vitest';
import {
  apis,
  decodeRequestBody,
  decodeRequestHeader,
  decodeResponse,
  encodeRequest,
  encodeResponse,
} from './index.ts';
import { hex, toHex } from './testing/hex.ts';

const withoutSize = (frame: Uint8Array): Uint8Array => frame.subarray(4);

describe('ApiVersions', () => {
  it('request 0: the plain header and nothing else', () => {
    const frame = hex(`
      0000000d      # size 13
      0012 0000     # key 18, version 0
      00000007      # correlation id
      0003 6b6361   # client id "kca"
    `);
    expect(toHex(...encodeRequest(apis.apiVersions, 0, 7, 'kca', {}))).toBe(toHex(frame));
    expect(decodeRequestHeader(withoutSize(frame))).toMatchObject({
      apiKey: 18,
      apiVersion: 0,
      correlationId: 7,
      clientId: 'kca',
      supported: true,
    });
  });

  it('request 3: the flexible header keeps the client id in its plain form', () => {
    const frame = hex(`
      00000016      # size 22
      0012 0003     # key 18, version 3
      00000007      # correlation id
      0003 6b6361   # client id, 16-bit length
      00            # no tagged fields in the header
      03 6c69       # software name "li", compact
      04 312e30     # software version "1.0"
      00            # no tagged fields
    `);
    const body = { clientSoftwareName: 'li', clientSoftwareVersion: '1.0' };
    expect(toHex(...encodeRequest(apis.apiVersions, 3, 7, 'kca', body))).toBe(toHex(frame));
    const header = decodeRequestHeader(withoutSize(frame));
    expect(decodeRequestBody(apis.apiVersions, header, withoutSize(frame))).toEqual(body);
  });

  it('F45: response 0 to an unknown version carries error 35 and the range of ApiVersions itself', () => {
    const frame = hex(`
      00000010        # size 16
      00000007        # correlation id
      0023            # error 35 UNSUPPORTED_VERSION
      00000001        # one API
      0012 0000 0004  # key 18, versions 0 to 4
    `);
    const body = { errorCode: 35, apiKeys: [{ apiKey: 18, minVersion: 0, maxVersion: 4 }] };
    expect(toHex(...encodeResponse(apis.apiVersions, 0, 7, body))).toBe(toHex(frame));
  });

  it('response 3: a flexible body behind the plain header', () => {
    const frame = hex(`
      00000031            # size 49
      00000007            # correlation id; no tagged fields follow
      0000                # no error
      02                  # one API
      0000 0000 000b 00   # key 0, versions 0 to 11, no tagged fields
      00000000            # throttle time
      03                  # three tagged fields
      00 0f               # tag 0 supported features, 15 bytes
        02                #   one
        09 6d65746164617461 # "metadata"
        0001 0007 00      #   versions 1 to 7, no tagged fields
      01 08 0000000000000005 # tag 1 epoch 5
      03 01 01            # tag 3 true
    `);
    const body = {
      errorCode: 0,
      apiKeys: [{ apiKey: 0, minVersion: 0, maxVersion: 11 }],
      supportedFeatures: [{ name: 'metadata', minVersion: 1, maxVersion: 7 }],
      finalizedFeaturesEpoch: 5,
      zkMigrationReady: true,
    };
    expect(toHex(...encodeResponse(apis.apiVersions, 3, 7, body))).toBe(toHex(frame));
    expect(decodeResponse(apis.apiVersions, 3, withoutSize(frame))).toEqual({
      correlationId: 7,
      body: { ...body, throttleTimeMs: 0, finalizedFeatures: [] },
    });
  });
});

describe('Metadata', () => {
  it('request 1: null asks for all topics, an empty list for none', () => {
    const all = hex(`
      0000000e
      0003 0001 00000001 ffff   # key, version, correlation id, no client id
      ffffffff                  # all topics
    `);
    const none = hex('0000000e 0003 0001 00000001 ffff 00000000');
    expect(toHex(...encodeRequest(apis.metadata, 1, 1, null, { topics: null }))).toBe(toHex(all));
    expect(toHex(...encodeRequest(apis.metadata, 1, 1, null, { topics: [] }))).toBe(toHex(none));
  });

  it('response 9: compact strings and lists, tagged fields after each structure', () => {
    const frame = hex(`
      00000049                  # size 73
      00000001 00               # correlation id, no tagged fields: header 1
      00000000                  # throttle time
      02                        # one broker
        00000001                #   node id
        03 6831                 #   "h1"
        00002384                #   port 9092
        00 00                   #   rack null, tags
      03 6331                   # cluster id "c1"
      00000001                  # controller
      02                        # one topic
        0000 02 74 00           #   no error, "t", not internal
        02                      #   one partition
          0000 00000000         #     no error, index 0
          00000001 00000003     #     leader 1, epoch 3
          02 00000001           #     replicas [1]
          02 00000001           #     in sync [1]
          01 00                 #     offline [], tags
        80000000 00             #   authorized operations unset, tags
      80000000 00               # the same of the cluster, tags
    `);
    const body = {
      brokers: [{ nodeId: 1, host: 'h1', port: 9092 }],
      clusterId: 'c1',
      controllerId: 1,
      topics: [
        {
          errorCode: 0,
          name: 't',
          partitions: [
            {
              errorCode: 0,
              partitionIndex: 0,
              leaderId: 1,
              leaderEpoch: 3,
              replicaNodes: [1],
              isrNodes: [1],
            },
          ],
        },
      ],
    };
    const encoded = encodeResponse(apis.metadata, 9, 1, body);
    expect(toHex(...encoded)).toBe(toHex(frame));
    expect(decodeResponse(apis.metadata, 9, withoutSize(frame)).body).toMatchObject(body);
  });
});

describe('Produce', () => {
  it('request 9: record bytes stand as they are', () => {
    const frame = hex(`
      00000027                  # size 39
      0000 0009 00000002 0001 63 00  # header 2 with client id "c"
      00                        # no transactional id
      ffff 00007530             # acks -1, 30 s
      02                        # one topic
        06 7365617473           #   "seats"
        02                      #   one partition
          00000001              #     index 1
          05 deadbeef           #     four bytes of records
          00 00                 #     tags of partition and topic
      00                        # tags
    `);
    const body = {
      acks: -1,
      timeoutMs: 30_000,
      topicData: [{ name: 'seats', partitionData: [{ index: 1, records: hex('deadbeef') }] }],
    };
    expect(toHex(...encodeRequest(apis.produce, 9, 2, 'c', body))).toBe(toHex(frame));
    const header = decodeRequestHeader(withoutSize(frame));
    const decoded = decodeRequestBody(apis.produce, header, withoutSize(frame));
    expect(toHex(decoded.topicData[0]?.partitionData[0]?.records ?? new Uint8Array(0))).toBe('deadbeef');
    expect(decoded).toMatchObject({ transactionalId: null, acks: -1, timeoutMs: 30_000 });
  });

  it('response 10: who leads now stands in tagged fields', () => {
    const frame = hex(`
      0000004b                  # size 75
      00000002 00               # header 1
      02                        # one topic
        02 74 02                #   "t", one partition
          00000000 0006         #     index 0, error 6 NOT_LEADER_OR_FOLLOWER
          ffffffffffffffff      #     no offset
          ffffffffffffffff      #     no append time
          ffffffffffffffff      #     no log start offset
          01 00                 #     no record errors, no message
          01 00 09              #     tag 0 current leader, 9 bytes
            00000002 00000005 00  #     leader 2, epoch 5, tags
        00                      #   tags
      00000000                  # throttle time
      01 00 0e                  # tag 0 node endpoints, 14 bytes
        02 00000002             #   node 2
        03 6832 00002384        #   "h2", port 9092
        00 00                   #   rack null, tags
    `);
    const body = {
      responses: [
        {
          name: 't',
          partitionResponses: [
            { index: 0, errorCode: 6, baseOffset: -1, currentLeader: { leaderId: 2, leaderEpoch: 5 } },
          ],
        },
      ],
      nodeEndpoints: [{ nodeId: 2, host: 'h2', port: 9092 }],
    };
    expect(toHex(...encodeResponse(apis.produce, 10, 2, body))).toBe(toHex(frame));
  });
});

describe('Fetch', () => {
  it('response 12: record bytes pass through, in as many pieces as they are given', () => {
    const [one, other] = [new Uint8Array(2000).fill(1), new Uint8Array(3000).fill(2)];
    const chunks = encodeResponse(apis.fetch, 12, 9, {
      responses: [
        {
          topic: 't',
          partitions: [{ partitionIndex: 0, errorCode: 0, highWatermark: 5, records: [one, other] }],
        },
      ],
    });
    expect(chunks[1]).toBe(one);
    expect(chunks[2]).toBe(other);
    const before = hex(`
      000013c3                  # size 5059
      00000009 00               # header 1
      00000000 0000 00000000    # throttle time, error, session
      02 02 74                  # one topic "t"
      02                        # one partition
        00000000 0000           #   index, error
        0000000000000005        #   high watermark
        ffffffffffffffff ffffffffffffffff  # last stable offset, log start offset
        01                      #   no aborted transactions
        ffffffff                #   no preferred replica
        8927                    #   5000 bytes of records
    `);
    expect(toHex(chunks[0] as Uint8Array)).toBe(toHex(before));
    expect(toHex(chunks[3] as Uint8Array)).toBe('000000');
    const [topic] = decodeResponse(apis.fetch, 12, withoutSize(Buffer.concat(chunks))).body.responses;
    expect(topic?.partitions[0]?.records).toHaveLength(5000);
  });

  it('request 4: fields of later versions are not there', () => {
    const frame = hex(`
      00000036                  # size 54
      0001 0004 00000003 ffff   # header 1
      ffffffff                  # replica id: a consumer
      000001f4 00000001         # wait 500 ms for 1 byte
      00010000 00               # at most 64 KiB, uncommitted too
      00000001 0001 74          # one topic "t"
      00000001                  # one partition
        00000000                #   index 0
        000000000000002a        #   from offset 42
        00008000                #   at most 32 KiB
    `);
    const body = {
      maxWaitMs: 500,
      minBytes: 1,
      maxBytes: 65_536,
      topics: [{ topic: 't', partitions: [{ partition: 0, fetchOffset: 42, partitionMaxBytes: 32_768 }] }],
    };
    expect(toHex(...encodeRequest(apis.fetch, 4, 3, null, body))).toBe(toHex(frame));
  });
});

describe('FindCoordinator', () => {
  it('request 0 is the group alone, request 4 a list of keys', () => {
    expect(toHex(...encodeRequest(apis.findCoordinator, 0, 1, null, { key: 'g' }))).toBe(
      toHex(hex('0000000d 000a 0000 00000001 ffff 0001 67')),
    );
    expect(toHex(...encodeRequest(apis.findCoordinator, 4, 1, null, { coordinatorKeys: ['g'] }))).toBe(
      toHex(hex('00000010 000a 0004 00000001 ffff 00   00   02 02 67 00')),
    );
  });
});

describe('Envelope', () => {
  it('request 0: a whole request, header and body, stands as it came', () => {
    const frame = hex(`
      00000026                  # size 38
      003a 0000 00000005 ffff 00  # header 2
      14                        # 19 bytes of request
        002b 0000 00000007 0001 63  # ElectLeaders 0, correlation id 7, from client "c"
        ffffffff 0000ea60       #   all partitions, 60 s
      00                        # no principal
      05 7f000001               # four bytes of address
      00                        # tags
    `);
    const inner = Buffer.concat(encodeRequest(apis.electLeaders, 0, 7, 'c', { topicPartitions: null }));
    const body = {
      requestData: inner.subarray(4),
      requestPrincipal: null,
      clientHostAddress: hex('7f000001'),
    };
    expect(toHex(...encodeRequest(apis.envelope, 0, 5, null, body))).toBe(toHex(frame));
    const decoded = decodeRequestBody(
      apis.envelope,
      decodeRequestHeader(withoutSize(frame)),
      withoutSize(frame),
    );
    expect(decodeRequestHeader(decoded.requestData)).toMatchObject({
      apiKey: 43,
      correlationId: 7,
      clientId: 'c',
    });
  });

  it('response 0: an answer with its own header, or none and an error', () => {
    const frame = hex(`
      00000015                  # size 21
      00000005 00               # header 1
      0d 000000070000000000000000 # 12 bytes of answer
      0000 00                   # no error, tags
    `);
    const body = { responseData: hex('000000070000000000000000'), errorCode: 0 };
    expect(toHex(...encodeResponse(apis.envelope, 0, 5, body))).toBe(toHex(frame));
    const refused = encodeResponse(apis.envelope, 0, 5, { errorCode: 41 });
    expect(toHex(...refused)).toBe(toHex(hex('00000009 00000005 00 00 0029 00')));
  });
});

describe('AlterPartitionReassignments', () => {
  it('request 0: null replicas cancel', () => {
    const frame = hex(`
      00000029                  # size 41
      002d 0000 00000001 ffff 00  # header 2
      00007530                  # 30 s
      02 02 74                  # one topic "t"
      03                        # two partitions
        00000000 03 00000002 00000003 00  # 0 to brokers 2 and 3
        00000001 00 00          # 1 stays: cancelled
      00 00                     # tags of topic and request
    `);
    const partitions = [
      { partitionIndex: 0, replicas: [2, 3] },
      { partitionIndex: 1, replicas: null },
    ];
    const body = { timeoutMs: 30_000, topics: [{ name: 't', partitions }] };
    const encoded = encodeRequest(apis.alterPartitionReassignments, 0, 1, null, body);
    expect(toHex(...encoded)).toBe(toHex(frame));
  });
});
