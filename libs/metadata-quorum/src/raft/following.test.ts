import { ErrorCode } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { DEFAULT_QUORUM_LIMITS } from './quorum-settings.ts';
import { contentBatch, MemoryQuorumLog } from './testing/memory-quorum-log.ts';
import { type BenchOptions, ReplicaBench } from './testing/replica-bench.ts';

const storedState = { leaderId: 2, leaderEpoch: 3, votedId: -1 };
const leader = { epoch: 3, leaderId: 2 };

/** Voter 1 follows 2 in epoch 3; its log ends at 3. */
const following = (options: BenchOptions = {}) =>
  new ReplicaBench({ storedState, log: MemoryQuorumLog.of([1, 1, 2]), ...options });

let pending = -1;
function fetchOf(bench: ReplicaBench) {
  const [fetch] = bench.sent('fetch');
  if (fetch !== undefined) pending = fetch.requestId;
  return fetch?.body.topics?.[0]?.partitions?.[0];
}
function answer(
  bench: ReplicaBench,
  ...rest: Parameters<ReplicaBench['answerFetch']> extends [number, ...infer R] ? R : never
) {
  fetchOf(bench);
  bench.answerFetch(pending, ...rest);
}

describe('a follower', () => {
  it('R1, R6: asks from the end of what it has synced, with the epoch of its last record', () => {
    const bench = following();
    expect(fetchOf(bench)).toMatchObject({
      partition: 0,
      currentLeaderEpoch: 3,
      fetchOffset: 3,
      lastFetchedEpoch: 2,
      logStartOffset: 0,
    });
    expect(bench.sent('fetch')[0]).toMatchObject({
      to: 2,
      body: { replicaState: { replicaId: 1 }, maxWaitMs: 0 },
    });
  });

  it('asks with patience once it has heard its leader', () => {
    const bench = following();
    answer(bench, leader);
    expect(bench.sent('fetch')[0]?.body.maxWaitMs).toBe(500);
  });

  it('asks for more when what it got is synced, and not before', () => {
    const bench = following();
    const batches = [contentBatch(3, 2, 'a', 2), contentBatch(5, 3, 'b')];
    answer(bench, { ...leader, highWatermark: 9 }, batches);
    expect(bench.ofType('append')).toEqual([{ type: 'append', batches }]);
    expect(bench.sent('fetch')).toEqual([]);
    bench.pass(10);
    expect(bench.effects).toEqual([]);
    bench.sync();
    expect(bench.ofType('high-watermark')).toEqual([{ type: 'high-watermark', offset: 6 }]);
    expect(fetchOf(bench)).toMatchObject({ fetchOffset: 6, lastFetchedEpoch: 3 });
  });

  it('R4: takes for committed what the leader says, as far as it holds it', () => {
    const bench = following();
    answer(bench, { ...leader, highWatermark: 2 });
    expect(bench.replica.highWatermark).toBe(2);
    answer(bench, { ...leader, highWatermark: 1 });
    expect(bench.replica.highWatermark).toBe(2);
    answer(bench, { ...leader, highWatermark: 9 }, [contentBatch(3, 3, 'a')]);
    expect(bench.replica.highWatermark).toBe(3);
    bench.sync();
    expect(bench.replica.highWatermark).toBe(4);
  });

  it('takes only batches that continue its log, KAFKA-18723: and none of a later epoch', () => {
    const bench = following();
    answer(bench, leader, [contentBatch(4, 3, 'gap')]);
    expect(bench.ofType('append')).toEqual([]);
    bench.pass(20);
    answer(bench, leader, [contentBatch(3, 1, 'an elder epoch')]);
    expect(bench.ofType('append')).toEqual([]);
    bench.pass(20);
    const [first, later] = [contentBatch(3, 3, 'a'), contentBatch(4, 4, 'of the next leader')];
    answer(bench, leader, [first, later]);
    expect(bench.ofType('append')).toEqual([{ type: 'append', batches: [first] }]);
  });

  it('F23, R28: takes an answer to the request under way, once', () => {
    const bench = following();
    fetchOf(bench);
    const batch = contentBatch(3, 3, 'a');
    bench.answerFetch(pending + 7, leader, [batch]);
    expect(bench.effects).toEqual([]);
    bench.answerFetch(pending, leader, [batch]);
    bench.answerFetch(pending, leader, [batch]);
    expect(bench.effects).toEqual([]);
    bench.sync();
    expect(bench.log.logEndOffset).toBe(4);
  });

  it('gives a fetch up that is not answered, and takes no answer to it then', () => {
    const bench = following();
    fetchOf(bench);
    const late = pending;
    bench.pass(1000);
    expect(fetchOf(bench)).toMatchObject({ fetchOffset: 3 });
    bench.answerFetch(late, leader, [contentBatch(3, 3, 'late')]);
    expect(bench.effects).toEqual([]);
  });

  it('asks again after a pause where it is refused or cannot write', () => {
    const bench = following();
    answer(bench, { errorCode: ErrorCode.UNKNOWN_SERVER_ERROR, ...leader });
    expect(bench.sent('fetch')).toEqual([]);
    bench.pass(20);
    answer(bench, leader, [contentBatch(3, 3, 'a')]);
    bench.log.truncate(3);
    bench.give({ type: 'append-failed' });
    expect(bench.sent('fetch')).toEqual([]);
    bench.pass(20);
    expect(fetchOf(bench)).toMatchObject({ fetchOffset: 3 });
  });

  it('stands for election when its leader is silent, and goes on fetching if it is not elected', () => {
    const bench = following();
    answer(bench, leader);
    bench.pass(1999);
    expect(bench.role).toBe('follower');
    bench.pass(1);
    expect(bench.role).toBe('prospective');
    expect(bench.replica.leaderAndEpoch).toEqual(leader);
    for (const { requestId } of bench.sent('vote')) bench.answerVote(requestId, 3, false, 2);
    expect(bench.role).toBe('follower');
    expect(bench.sent('fetch').map(({ to }) => to)).toEqual([2]);
    expect(bench.ofType('persist-state')).toEqual([]);
  });

  it('refusals of its fetch are no sign of its leader', () => {
    const bench = following();
    answer(bench, leader);
    for (let passed = 0; passed < 2000; passed += 100) {
      answer(bench, { errorCode: ErrorCode.UNKNOWN_SERVER_ERROR, ...leader });
      bench.pass(100);
    }
    expect(bench.role).toBe('prospective');
  });

  it('F26: persists a leader before it says a word to it', () => {
    const bench = new ReplicaBench();
    expect(bench.beginEpoch(3, 6)).toMatchObject({ errorCode: 0, leaderId: 3, leaderEpoch: 6 });
    expect(bench.effects.map(({ type }) => type)).toEqual([
      'persist-state',
      'leader-changed',
      'respond',
      'send',
    ]);
    expect(bench.ofType('persist-state')[0]?.state).toEqual({ leaderId: 3, leaderEpoch: 6, votedId: -1 });
  });

  it('keeps the vote that it gave in the epoch', () => {
    const bench = new ReplicaBench();
    bench.vote(3, 6, { epoch: 0, offset: 0 });
    bench.beginEpoch(3, 6);
    expect(bench.ofType('persist-state')[0]?.state).toEqual({ leaderId: 3, leaderEpoch: 6, votedId: 3 });
  });

  it.each([
    ['an elder epoch', 3, 2, ErrorCode.FENCED_LEADER_EPOCH],
    ['one that is no voter', 9, 4, ErrorCode.INCONSISTENT_VOTER_SET],
    ['itself', 1, 4, undefined],
  ])('does not follow %s', (_, leaderId, epoch, errorCode) => {
    const bench = following();
    expect(bench.beginEpoch(leaderId, epoch)?.errorCode).toBe(errorCode);
    expect(bench.replica.leaderAndEpoch).toEqual(leader);
  });

  it('does not follow a leader whose addresses are all of other listeners', () => {
    const bench = new ReplicaBench();
    const partition = {
      partitionIndex: 0,
      voterDirectoryId: 'AAAAAAAAAAAAAAAAAAAAAA',
      leaderId: 2,
      leaderEpoch: 1,
    };
    const topics = [{ topicName: '__cluster_metadata', partitions: [partition] }];
    const ask = (name: string) => {
      const leaderEndpoints = [{ name, host: 'controller-2', port: 9093 }];
      const body = { clusterId: null, voterId: 1, topics, leaderEndpoints };
      bench.give({ type: 'request', token: 1, api: 'beginQuorumEpoch', body });
      return bench.answers('beginQuorumEpoch')[0]?.body.errorCode;
    };
    expect(ask('PLAINTEXT')).toBe(ErrorCode.INVALID_REQUEST);
    expect(bench.role).toBe('unattached');
    expect(ask('CONTROLLER')).toBe(0);
    expect(bench.role).toBe('follower');
  });
});

describe("a follower whose log parts from its leader's", () => {
  it('R24: cuts its log, and asks again when that is done', () => {
    const bench = following();
    answer(bench, { ...leader, highWatermark: 3, diverging: { epoch: 1, endOffset: 2 } });
    expect(bench.ofType('truncate')).toEqual([{ type: 'truncate', endOffset: 2 }]);
    expect(fetchOf(bench)).toMatchObject({ fetchOffset: 2, lastFetchedEpoch: 1 });
  });

  it('KAFKA-14704: takes no high watermark from the answer that says so', () => {
    const bench = following();
    answer(bench, { ...leader, highWatermark: 3, diverging: { epoch: 1, endOffset: 2 } });
    expect(bench.replica.highWatermark).toBe(0);
  });

  it('never cuts below what is committed', () => {
    const bench = following();
    answer(bench, { ...leader, highWatermark: 3 });
    expect(() => answer(bench, { ...leader, diverging: { epoch: 1, endOffset: 2 } })).toThrow(
      expect.objectContaining({ code: 'COMMITTED_RECORDS_LOST' }),
    );
  });
});

describe('a follower that needs a snapshot', () => {
  const id = { endOffset: 20, epoch: 2 };
  const chunkOf = (bench: ReplicaBench) => {
    const [fetch] = bench.sent('fetchSnapshot');
    if (fetch !== undefined) pending = fetch.requestId;
    return fetch?.body.topics?.[0]?.partitions?.[0];
  };
  const give = (bench: ReplicaBench, position: number, bytes: number, fields = {}) => {
    chunkOf(bench);
    bench.answerSnapshot(pending, { id, size: 10, position, bytes: new Uint8Array(bytes), ...fields });
  };
  const started = (options: BenchOptions = {}) => {
    const bench = following(options);
    answer(bench, { ...leader, highWatermark: 30, snapshotId: id });
    return bench;
  };

  it('fetches it chunk by chunk, and puts it in the place of its log', () => {
    const bench = started();
    expect(chunkOf(bench)).toMatchObject({ currentLeaderEpoch: 3, snapshotId: id, position: 0 });
    give(bench, 0, 6);
    expect(bench.effects.slice(0, 2)).toEqual([
      { type: 'begin-snapshot', id, sizeInBytes: 10 },
      { type: 'write-snapshot', id, position: 0, bytes: new Uint8Array(6) },
    ]);
    expect(chunkOf(bench)).toMatchObject({ position: 6 });
    give(bench, 6, 4);
    expect(bench.effects).toEqual([
      { type: 'write-snapshot', id, position: 6, bytes: new Uint8Array(4) },
      { type: 'install-snapshot', id },
    ]);
    bench.pass(10_000);
    expect(bench.effects).toEqual([]);
    bench.log.installSnapshot(id, 10);
    bench.give({ type: 'snapshot-installed', id });
    expect(bench.ofType('high-watermark')).toEqual([{ type: 'high-watermark', offset: 20 }]);
    expect(fetchOf(bench)).toMatchObject({ fetchOffset: 20, lastFetchedEpoch: 2, logStartOffset: 20 });
  });

  it.each([
    ['another position', 5, 4, {}],
    ['another snapshot', 6, 4, { id: { endOffset: 21, epoch: 2 } }],
    ['more than there is', 6, 5, {}],
    ['nothing', 6, 0, {}],
    ['another size', 6, 4, { size: 11 }],
    ['an error', 6, 4, { errorCode: ErrorCode.SNAPSHOT_NOT_FOUND }],
  ])('drops it on %s, and asks for the log again', (_, position, bytes, fields) => {
    const bench = started();
    give(bench, 0, 6);
    give(bench, position, bytes, fields);
    expect(bench.ofType('discard-snapshot')).toEqual([{ type: 'discard-snapshot', id }]);
    expect(bench.ofType('write-snapshot')).toEqual([]);
    bench.pass(20);
    expect(fetchOf(bench)).toMatchObject({ fetchOffset: 3 });
  });

  it('takes none that is larger than it may be', () => {
    const bench = started({ settings: { limits: { ...DEFAULT_QUORUM_LIMITS, maxSnapshotBytes: 9 } } });
    give(bench, 0, 6);
    expect(bench.ofType('begin-snapshot')).toEqual([]);
  });

  it('drops it when another leads', () => {
    const bench = started();
    give(bench, 0, 6);
    bench.beginEpoch(3, 4);
    expect(bench.ofType('discard-snapshot')).toEqual([{ type: 'discard-snapshot', id }]);
    expect(bench.sent('fetch').map(({ to }) => to)).toEqual([3]);
  });

  it('waits for one that is being put in place, whoever leads by then', () => {
    const bench = started();
    give(bench, 0, 10);
    bench.beginEpoch(3, 4);
    expect(bench.sent('fetch')).toEqual([]);
    bench.log.installSnapshot(id, 10);
    bench.give({ type: 'snapshot-installed', id });
    expect(fetchOf(bench)).toMatchObject({ fetchOffset: 20 });
  });

  it('asks again if it was found to be unfit', () => {
    const bench = started();
    give(bench, 0, 10);
    bench.give({ type: 'snapshot-unfit', id });
    bench.pass(20);
    expect(fetchOf(bench)).toMatchObject({ fetchOffset: 3 });
    expect(bench.replica.highWatermark).toBe(0);
  });

  it('takes none that ends before what is committed', () => {
    const bench = following();
    answer(bench, { ...leader, highWatermark: 3 });
    expect(() => answer(bench, { ...leader, snapshotId: { endOffset: 2, epoch: 1 } })).toThrow(
      expect.objectContaining({ code: 'COMMITTED_RECORDS_LOST' }),
    );
  });
});

describe('an observer', () => {
  const observer = (options: BenchOptions = {}) => new ReplicaBench({ nodeId: 9, ...options });

  it('asks one voter after another who leads, and follows whom they name', () => {
    const bench = observer();
    expect(bench.sent('fetch')).toMatchObject([{ to: 2, body: { maxWaitMs: 0 } }]);
    answer(bench, { errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER, epoch: 0 });
    bench.passUntil('send');
    expect(bench.sent('fetch')).toMatchObject([{ to: 3 }]);
    answer(bench, { errorCode: ErrorCode.FENCED_LEADER_EPOCH, epoch: 4, leaderId: 1 });
    expect(bench.replica.leaderAndEpoch).toEqual({ leaderId: 1, epoch: 4 });
    expect(bench.effects.map(({ type }) => type)).toEqual(['persist-state', 'leader-changed', 'send']);
    expect(bench.sent('fetch')).toMatchObject([{ to: 1 }]);
  });

  it('looks for its leader when that is silent, and never stands for election', () => {
    const bench = observer({ storedState });
    expect(bench.role).toBe('follower');
    bench.pass(2000);
    expect(bench.role).toBe('unattached');
    expect(bench.sent('fetch')).toHaveLength(1);
    for (let passed = 0; passed < 20_000; passed += 500) {
      bench.pass(500);
      expect(bench.sent('vote')).toEqual([]);
    }
  });

  it('finds its leader again in the same epoch', () => {
    const bench = observer({ storedState });
    bench.pass(2000);
    answer(bench, { errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER, ...leader });
    expect(bench.replica.leaderAndEpoch).toEqual(leader);
  });
});
