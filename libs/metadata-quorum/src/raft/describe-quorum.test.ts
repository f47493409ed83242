import { apis, decodeResponse, encodeResponse, ErrorCode } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { contentBatch } from './testing/memory-quorum-log.ts';
import { DIRECTORY_ID, ReplicaBench } from './testing/replica-bench.ts';

const NOW = 1_700_000_000_000;
const request = { topics: [{ topicName: '__cluster_metadata', partitions: [{ partitionIndex: 0 }] }] };
const partitionOf = (bench: ReplicaBench) =>
  bench.replica.describeQuorum(request).topics?.[0]?.partitions?.[0];

describe('DescribeQuorum', () => {
  it('tells of the voters and observers: log ends, last fetches, and when each had caught up', () => {
    const bench = ReplicaBench.leader();
    const at = { epoch: 1, offset: 1 };
    bench.pass(100);
    bench.fetch(2, at);
    const caughtUp = NOW + bench.now;
    bench.fetch(11, at);
    bench.give({ type: 'append', batch: contentBatch(1, 1, 'a') });
    bench.sync();
    bench.pass(50);
    bench.fetch(11, at);
    bench.pass(50);
    bench.fetch(2, { epoch: 1, offset: 2 });
    bench.pass(7);
    const now = NOW + bench.now;
    expect(partitionOf(bench)).toMatchObject({
      errorCode: 0,
      leaderId: 1,
      leaderEpoch: 1,
      highWatermark: 2,
      currentVoters: [
        {
          replicaId: 1,
          replicaDirectoryId: DIRECTORY_ID,
          logEndOffset: 2,
          lastFetchTimestamp: now,
          lastCaughtUpTimestamp: now,
        },
        { replicaId: 2, logEndOffset: 2, lastFetchTimestamp: now - 7, lastCaughtUpTimestamp: now - 7 },
        { replicaId: 3, logEndOffset: -1, lastFetchTimestamp: -1, lastCaughtUpTimestamp: -1 },
      ],
      observers: [{ replicaId: 11, logEndOffset: 1, lastCaughtUpTimestamp: caughtUp }],
    });
  });

  it('R10: a replica that has all that was there at its last fetch had caught up then', () => {
    const bench = ReplicaBench.leader();
    bench.fetch(2, { epoch: 0, offset: 0 });
    const first = NOW + bench.now;
    bench.give({ type: 'append', batch: contentBatch(1, 1, 'a') });
    bench.sync();
    bench.pass(50);
    bench.fetch(2, { epoch: 1, offset: 1 });
    expect(partitionOf(bench)?.currentVoters?.[1]).toMatchObject({
      logEndOffset: 1,
      lastCaughtUpTimestamp: first,
    });
  });

  it('forgets an observer that has been silent for five minutes', () => {
    const bench = ReplicaBench.leader();
    bench.fetch(11, { epoch: 1, offset: 1 });
    for (let passed = 0; passed < 301_000; passed += 1000) {
      bench.pass(1000);
      bench.fetch(2, { epoch: 1, offset: 1 });
    }
    expect(bench.role).toBe('leader');
    expect(partitionOf(bench)?.observers).toEqual([]);
  });

  it('is refused by who does not lead, with who does', () => {
    const bench = new ReplicaBench({ storedState: { leaderId: 2, leaderEpoch: 3, votedId: -1 } });
    expect(partitionOf(bench)).toMatchObject({
      errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER,
      leaderId: 2,
      leaderEpoch: 3,
    });
  });

  it('knows of no other partition', () => {
    const bench = ReplicaBench.leader();
    const other = bench.replica.describeQuorum({
      topics: [
        { topicName: 'orders', partitions: [{ partitionIndex: 0 }] },
        { topicName: '__cluster_metadata', partitions: [{ partitionIndex: 1 }] },
      ],
    });
    for (const { partitions } of other.topics ?? []) {
      expect(partitions?.[0]?.errorCode).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    }
  });

  it.each([0, 1, 2])('can be sent in version %i', (version) => {
    const body = ReplicaBench.leader().replica.describeQuorum(request, version);
    const frame = Buffer.concat(encodeResponse(apis.describeQuorum, version, 1, body)).subarray(4);
    const decoded = decodeResponse(apis.describeQuorum, version, frame).body;
    expect(decoded.topics[0]?.partitions[0]?.currentVoters).toHaveLength(3);
    expect(decoded.nodes.map(({ listeners }) => listeners[0])).toEqual(
      version < 2
        ? []
        : [1, 2, 3].map((id) => ({ name: 'CONTROLLER', host: `controller-${id}`, port: 9093 })),
    );
  });
});
