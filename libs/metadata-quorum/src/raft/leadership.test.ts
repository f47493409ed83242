import { ErrorCode } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { contentBatch, MemoryQuorumLog } from './testing/memory-quorum-log.ts';
import { ReplicaBench } from './testing/replica-bench.ts';
import { DEFAULT_QUORUM_LIMITS } from './quorum-settings.ts';

/** Voter 1 leads in epoch 3; its log holds offsets 0 and 1 of epoch 2, and its own first record at 2. */
const leading = () => ReplicaBench.leader({ log: MemoryQuorumLog.of([2, 2]) });

const own = (offset: number) => ({ epoch: 3, offset });

function appended(bench: ReplicaBench, content = 'a'): void {
  const { nextAppendOffset } = bench.log;
  bench.give({ type: 'append', batch: contentBatch(nextAppendOffset, 3, content) });
}

const partitionOf = (bench: ReplicaBench) => bench.answers('fetch')[0]?.body.responses?.[0]?.partitions?.[0];
const tokens = (bench: ReplicaBench) => bench.answers('fetch').map(({ token }) => token);

describe('what a leader commits', () => {
  it('is what a majority of voters has synced, once that covers a record of its own epoch', () => {
    const bench = leading();
    bench.fetch(2, { epoch: 2, offset: 2 });
    expect(bench.replica.highWatermark).toBe(0);
    bench.fetch(2, own(3));
    expect(bench.ofType('high-watermark')).toEqual([{ type: 'high-watermark', offset: 3 }]);
    expect(bench.ofType('term-began')).toEqual([{ type: 'term-began', epoch: 3, offset: 3 }]);
  });

  it('does not count records of elder epochs on a majority, which another leader could overwrite', () => {
    const bench = leading();
    bench.fetch(2, { epoch: 2, offset: 2 });
    bench.fetch(3, { epoch: 2, offset: 2 });
    expect(bench.replica.highWatermark).toBe(0);
    expect(bench.replica.description.voters.map(({ logEndOffset }) => logEndOffset)).toEqual([3, 2, 2]);
  });

  it('does not count what the leader itself has not synced', () => {
    const bench = new ReplicaBench({ log: MemoryQuorumLog.of([2, 2]) });
    bench.stand();
    bench.win();
    bench.fetch(2, { epoch: 2, offset: 2 });
    expect(bench.replica.description.voters.map(({ logEndOffset }) => logEndOffset)).toEqual([2, 2, -1]);
    bench.sync();
    expect(bench.replica.highWatermark).toBe(0);
    bench.fetch(2, own(3));
    appended(bench);
    expect(bench.replica.highWatermark).toBe(3);
    bench.sync();
    expect(bench.replica.highWatermark).toBe(3);
    bench.fetch(3, own(4));
    expect(bench.replica.highWatermark).toBe(4);
  });

  it('does not count observers', () => {
    const bench = leading();
    bench.fetch(11, own(3));
    bench.fetch(12, own(3));
    expect(bench.replica.highWatermark).toBe(0);
  });

  it('R23, KAFKA-13141: does not count a fetch from a log that parts from its own', () => {
    const bench = leading();
    bench.fetch(2, { epoch: 2, offset: 3 });
    expect(partitionOf(bench)).toMatchObject({ errorCode: 0, divergingEpoch: { epoch: 2, endOffset: 2 } });
    expect(bench.replica.highWatermark).toBe(0);
    expect(bench.replica.description.voters[1]?.logEndOffset).toBe(-1);
  });

  it('never falls, also where a voter has less than before', () => {
    const bench = leading();
    bench.fetch(2, own(3));
    bench.fetch(2, { epoch: 2, offset: 1 });
    bench.fetch(3, { epoch: 2, offset: 1 });
    expect(bench.replica.highWatermark).toBe(3);
  });

  it('takes a majority of five to be three', () => {
    const bench = new ReplicaBench({ voters: [1, 2, 3, 4, 5] });
    bench.stand();
    for (const to of [2, 3]) {
      const asked = bench.replica.description.role;
      bench.answerVote(idOfVote(bench, to), 0, true);
      expect(asked).toBe('prospective');
    }
    for (const to of [2, 3]) bench.answerVote(idOfVote(bench, to), 1, true);
    bench.sync();
    bench.fetch(4, { epoch: 1, offset: 1 });
    expect(bench.replica.highWatermark).toBe(0);
    bench.fetch(5, { epoch: 1, offset: 1 });
    expect(bench.replica.highWatermark).toBe(1);
  });
});

/** Of the last election that was begun on the bench. */
function idOfVote(bench: ReplicaBench, to: number): number {
  const sent = bench.sent('vote');
  if (sent.length > 0) lastVotes = sent;
  return lastVotes.find((send) => send.to === to)?.requestId ?? -1;
}
let lastVotes: ReturnType<ReplicaBench['sent']> = [];

describe('the records that a leader writes', () => {
  it('are taken in its epoch, at the end of its log, and nowhere else', () => {
    const bench = leading();
    const wrong = [contentBatch(3, 2, 'elder'), contentBatch(4, 3, 'gap'), contentBatch(2, 3, 'twice')];
    for (const batch of wrong) {
      expect(bench.give({ type: 'append', batch })).toEqual([{ type: 'append-refused', batch }]);
    }
    const batch = contentBatch(3, 3, 'a', 2);
    expect(bench.give({ type: 'append', batch })).toEqual([{ type: 'append', batches: [batch] }]);
    expect(bench.log.nextAppendOffset).toBe(5);
  });

  it('are refused by who does not lead', () => {
    const bench = new ReplicaBench();
    const batch = contentBatch(0, 1, 'a');
    expect(bench.give({ type: 'append', batch })).toEqual([{ type: 'append-refused', batch }]);
  });
});

describe('a fetch at the leader', () => {
  it('gets what is synced, beyond what is committed', () => {
    const bench = leading();
    const token = bench.fetch(2, { epoch: 2, offset: 1 });
    expect(bench.answers('fetch')).toMatchObject([
      { token, read: { from: 'log', fromOffset: 1, toOffset: 3, maxBytes: 1_000_000 } },
    ]);
    expect(partitionOf(bench)).toMatchObject({
      errorCode: 0,
      highWatermark: 0,
      currentLeader: { leaderId: 1, leaderEpoch: 3 },
    });
    appended(bench);
    bench.fetch(3, { epoch: 2, offset: 1 });
    expect(bench.answers('fetch')[0]?.read).toMatchObject({ toOffset: 3 });
  });

  it('waits when there is nothing to tell, and is answered by an append', () => {
    const bench = leading();
    bench.fetch(2, own(3));
    expect(partitionOf(bench)).toMatchObject({ highWatermark: 3 });
    const token = bench.fetch(2, own(3));
    expect(bench.answers('fetch')).toEqual([]);
    appended(bench);
    expect(bench.answers('fetch')).toEqual([]);
    bench.sync();
    expect(bench.answers('fetch')).toMatchObject([{ token, read: { fromOffset: 3, toOffset: 4 } }]);
  });

  it('is answered when the high watermark passes what its sender was told', () => {
    const bench = leading();
    bench.fetch(11, own(3));
    bench.fetch(3, own(2));
    const observer = bench.fetch(11, own(3));
    expect(tokens(bench)).toEqual([]);
    const voter = bench.fetch(2, own(3));
    expect(new Set(tokens(bench))).toEqual(new Set([observer, voter]));
    for (const { body } of bench.answers('fetch')) {
      expect(body.responses?.[0]?.partitions?.[0]).toMatchObject({ highWatermark: 3 });
    }
  });

  it('KAFKA-14704: does not tell the high watermark to who is told that its log parts', () => {
    const bench = leading();
    bench.fetch(2, own(3));
    bench.fetch(3, { epoch: 2, offset: 3 });
    const token = bench.fetch(3, own(3));
    expect(tokens(bench)).toEqual([token]);
  });

  it('is answered with nothing when its time is up', () => {
    const bench = leading();
    bench.fetch(2, own(3));
    const token = bench.fetch(2, own(3));
    bench.pass(499);
    expect(tokens(bench)).toEqual([]);
    expect(bench.replica.nextDueAtMs).toBeLessThanOrEqual(bench.now + 1);
    bench.pass(1);
    expect(bench.answers('fetch')).toMatchObject([{ token, read: null }]);
  });

  it('does not wait where its sender does not want to', () => {
    const bench = leading();
    bench.fetch(2, own(3));
    const token = bench.fetch(2, own(3), { maxWaitMs: 0 });
    expect(tokens(bench)).toEqual([token]);
  });

  it('is released by the next one of the same replica', () => {
    const bench = leading();
    bench.fetch(2, own(3));
    const first = bench.fetch(2, own(3));
    const second = bench.fetch(2, own(3));
    expect(tokens(bench)).toEqual([first]);
    appended(bench);
    bench.sync();
    expect(tokens(bench)).toEqual([second]);
  });

  it('of a consumer gets what is committed, and never waits', () => {
    const bench = leading();
    bench.fetch(-1, { epoch: 2, offset: 0 });
    expect(bench.answers('fetch')).toMatchObject([{ read: null }]);
    bench.fetch(2, own(3));
    appended(bench);
    bench.sync();
    bench.fetch(-1, { epoch: 2, offset: 0 });
    expect(bench.answers('fetch')[0]?.read).toMatchObject({ fromOffset: 0, toOffset: 3 });
    bench.fetch(-1, own(3));
    expect(bench.answers('fetch')).toMatchObject([{ read: null }]);
    expect(bench.replica.description.observers).toEqual([]);
  });

  it('gives no more than the leader may give at a time', () => {
    const bench = ReplicaBench.leader({
      settings: { limits: { ...DEFAULT_QUORUM_LIMITS, fetchMaxBytes: 500 } },
    });
    bench.fetch(2, { epoch: 0, offset: 0 });
    expect(bench.answers('fetch')[0]?.read).toMatchObject({ maxBytes: 500 });
  });

  it.each([
    ['of an elder epoch', { leaderEpoch: 2 }, ErrorCode.FENCED_LEADER_EPOCH],
    ['of a later epoch', { leaderEpoch: 4 }, ErrorCode.UNKNOWN_LEADER_EPOCH],
    ['of another cluster', { clusterId: 'other' }, ErrorCode.INCONSISTENT_CLUSTER_ID],
  ])('%s is refused, and counts for nothing', (_, options, errorCode) => {
    const bench = leading();
    bench.fetch(2, own(3), options);
    const [answer] = bench.answers('fetch');
    expect(answer?.body.errorCode || partitionOf(bench)?.errorCode).toBe(errorCode);
    expect(bench.replica.highWatermark).toBe(0);
  });

  it('is refused where its position is none, or its sender the leader itself', () => {
    const bench = leading();
    for (const [from, at] of [
      [2, { epoch: -1, offset: 3 }],
      [2, own(-1)],
      [1, own(3)],
    ] as const) {
      bench.fetch(from, at);
      expect(partitionOf(bench)?.errorCode).toBe(ErrorCode.INVALID_REQUEST);
    }
  });

  it('is answered by who does not lead with who does', () => {
    const bench = new ReplicaBench({ storedState: { leaderId: 2, leaderEpoch: 3, votedId: -1 } });
    bench.fetch(3, { epoch: 0, offset: 0 }, { leaderEpoch: 3 });
    expect(partitionOf(bench)).toMatchObject({
      errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER,
      currentLeader: { leaderId: 2, leaderEpoch: 3 },
    });
  });

  it('leaves room for so many observers; the one that was silent longest gives way', () => {
    const bench = ReplicaBench.leader({
      settings: { limits: { ...DEFAULT_QUORUM_LIMITS, maxObservers: 2 } },
    });
    const at = { epoch: 1, offset: 1 };
    bench.fetch(11, at);
    const parked = bench.fetch(11, at);
    bench.pass(1);
    bench.fetch(12, at);
    bench.pass(1);
    bench.fetch(13, at);
    expect(tokens(bench)).toContain(parked);
    expect(bench.replica.description.observers.map(({ id }) => id)).toEqual([12, 13]);
  });
});

describe('snapshots at the leader', () => {
  const withSnapshot = () => {
    const log = MemoryQuorumLog.of([1, 1, 1, 2]);
    const id = log.takeSnapshot(3, 90);
    return {
      id,
      bench: ReplicaBench.leader({
        log,
        settings: { limits: { ...DEFAULT_QUORUM_LIMITS, snapshotChunkBytes: 40 } },
      }),
    };
  };
  const answerOf = (bench: ReplicaBench) => bench.answers('fetchSnapshot')[0];
  const errorOf = (bench: ReplicaBench) => answerOf(bench)?.body.topics?.[0]?.partitions?.[0]?.errorCode;

  it('a follower from before the log is told which one to fetch', () => {
    const { bench, id } = withSnapshot();
    bench.fetch(2, { epoch: 1, offset: 1 });
    expect(partitionOf(bench)).toMatchObject({ errorCode: 0, snapshotId: id });
    expect(bench.answers('fetch')[0]?.read).toBeNull();
    expect(bench.replica.description.voters[1]?.logEndOffset).toBe(-1);
  });

  it('are given in bounded chunks', () => {
    const { bench, id } = withSnapshot();
    bench.fetchSnapshot(2, id, 40);
    expect(answerOf(bench)).toMatchObject({
      read: { from: 'snapshot', id, position: 40, maxBytes: 40 },
      body: { topics: [{ partitions: [{ errorCode: 0, snapshotId: id, size: 90, position: 40 }] }] },
    });
    bench.fetchSnapshot(2, id, 40, 7);
    expect(answerOf(bench)?.read).toMatchObject({ maxBytes: 7 });
  });

  it('are refused where there is none of that id, or nothing at that position', () => {
    const { bench, id } = withSnapshot();
    bench.fetchSnapshot(2, { ...id, epoch: 9 }, 0);
    expect(errorOf(bench)).toBe(ErrorCode.SNAPSHOT_NOT_FOUND);
    for (const position of [-1, 90]) {
      bench.fetchSnapshot(2, id, position);
      expect(errorOf(bench)).toBe(ErrorCode.POSITION_OUT_OF_RANGE);
    }
    const none = ReplicaBench.leader();
    none.fetchSnapshot(2, id, 0);
    expect(errorOf(none)).toBe(ErrorCode.SNAPSHOT_NOT_FOUND);
  });

  it('are a sign of life of who fetches them', () => {
    const { bench, id } = withSnapshot();
    for (let passed = 0; passed < 10_000; passed += 1000) {
      bench.pass(1000);
      bench.fetchSnapshot(2, id, 0);
    }
    expect(bench.role).toBe('leader');
  });
});

describe('BeginQuorumEpoch', () => {
  it('goes to a voter until it is acknowledged, or the voter fetches', () => {
    const bench = new ReplicaBench();
    bench.stand();
    bench.win();
    const [toSecond, toThird] = bench.sent('beginQuorumEpoch');
    bench.give({ type: 'request-failed', requestId: toSecond?.requestId ?? -1 });
    bench.give({ type: 'request-failed', requestId: toThird?.requestId ?? -1 });
    bench.pass(20);
    expect(bench.sent('beginQuorumEpoch').map(({ to }) => to)).toEqual([2, 3]);
    const [again] = bench.sent('beginQuorumEpoch');
    const partition = { partitionIndex: 0, errorCode: 0, leaderId: 1, leaderEpoch: 1 };
    const body = { errorCode: 0, topics: [{ topicName: '', partitions: [partition] }], nodeEndpoints: [] };
    bench.give({
      type: 'response',
      requestId: again?.requestId ?? -1,
      api: 'beginQuorumEpoch',
      body,
      batches: [],
    });
    bench.sync();
    bench.fetch(3, { epoch: 0, offset: 0 });
    bench.pass(2001);
    expect(bench.sent('beginQuorumEpoch')).toEqual([]);
  });
});
