import { ErrorCode, ZERO_UUID } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { contentBatch, MemoryQuorumLog } from './testing/memory-quorum-log.ts';
import { CLUSTER_ID, ReplicaBench } from './testing/replica-bench.ts';

const types = (bench: ReplicaBench) =>
  bench.effects.map(({ type }) => type).filter((type) => type !== 'log' && type !== 'leader-changed');
const preVotes = (bench: ReplicaBench) =>
  bench.sent('vote').map(({ to, body }) => [to, body.topics?.[0]?.partitions?.[0]?.preVote]);

describe('a voter without a leader', () => {
  it('asks for pre-votes after its election time-out, in the epoch that it is in, and persists nothing', () => {
    const bench = new ReplicaBench({ log: MemoryQuorumLog.of([1, 1, 3]) });
    expect(bench.replica.nextDueAtMs).toBe(1000 + 1500);
    expect(bench.pass(1499)).toEqual([]);
    bench.pass(1);
    expect(bench.role).toBe('prospective');
    expect(types(bench)).toEqual(['send', 'send']);
    expect(bench.sent('vote')[0]).toMatchObject({
      to: 2,
      body: {
        clusterId: CLUSTER_ID,
        voterId: 2,
        topics: [
          {
            partitions: [{ replicaEpoch: 3, replicaId: 1, lastOffset: 3, lastOffsetEpoch: 3, preVote: true }],
          },
        ],
      },
    });
  });

  it('F26: persists its epoch and its own vote before it asks for votes', () => {
    const bench = new ReplicaBench();
    bench.stand();
    bench.answerVote(bench.sent('vote')[0]?.requestId ?? -1, 0, true);
    expect(types(bench)).toEqual(['persist-state', 'send', 'send']);
    expect(bench.ofType('persist-state')[0]?.state).toEqual({ leaderId: -1, leaderEpoch: 1, votedId: 1 });
    expect(preVotes(bench)).toEqual([
      [2, false],
      [3, false],
    ]);
    expect(bench.role).toBe('candidate');
  });

  it('leads with a majority, says so in its first record, and tells the voters', () => {
    const bench = new ReplicaBench({ log: MemoryQuorumLog.of([4]) });
    bench.stand();
    bench.win();
    expect(types(bench)).toEqual(['persist-state', 'append-leader-change', 'send', 'send']);
    expect(bench.ofType('persist-state')[0]?.state).toEqual({ leaderId: 1, leaderEpoch: 5, votedId: 1 });
    expect(bench.ofType('append-leader-change')[0]).toMatchObject({
      baseOffset: 1,
      epoch: 5,
      record: { leaderId: 1, voters: [1, 2, 3], grantingVoters: [1, 2] },
    });
    expect(bench.sent('beginQuorumEpoch').map(({ to }) => to)).toEqual([2, 3]);
    expect(bench.replica.leaderAndEpoch).toEqual({ leaderId: 1, epoch: 5 });
  });

  it('F23: counts an answer once, and none to a request that it did not make', () => {
    const bench = new ReplicaBench({ voters: [1, 2, 3, 4, 5] });
    bench.stand();
    const [first] = bench.sent('vote');
    for (let times = 0; times < 3; times += 1) bench.answerVote(first?.requestId ?? -1, 0, true);
    bench.answerVote(12_345, 0, true);
    expect(bench.role).toBe('prospective');
  });

  it('F26, F23: takes no vote of an elder epoch, and no answer to a former run of its process', () => {
    const bench = new ReplicaBench();
    bench.stand();
    expect(bench.sent('vote').every(({ requestId }) => requestId >= 7 * 2 ** 20)).toBe(true);
    bench.answerVote(bench.sent('vote')[0]?.requestId ?? -1, 0, true);
    const [toSecond] = bench.sent('vote');
    bench.answerVote(toSecond?.requestId ?? -1, 0, true);
    expect(bench.role).toBe('candidate');
    bench.pass(20);
    bench.answerVote(bench.sent('vote')[0]?.requestId ?? -1, 1, true);
    expect(bench.role).toBe('leader');
  });

  it('counts a pre-vote of who names a leader that it does not hear, and does not follow that one', () => {
    const bench = new ReplicaBench();
    bench.stand();
    bench.answerVote(bench.sent('vote')[0]?.requestId ?? -1, 0, true, 3);
    expect(bench.role).toBe('candidate');
  });

  it('follows the leader that a refusal names', () => {
    const bench = new ReplicaBench();
    bench.stand();
    bench.answerVote(bench.sent('vote')[0]?.requestId ?? -1, 0, false, 3);
    expect(bench.replica.leaderAndEpoch).toEqual({ leaderId: 3, epoch: 0 });
  });

  it('asks again where a request failed, and where it is not answered in time', () => {
    const bench = new ReplicaBench({
      settings: { timing: { ...new ReplicaBench().settings.timing, electionTimeoutMs: 9000 } },
    });
    bench.passUntil('send', 20_000);
    const [toSecond] = bench.sent('vote');
    bench.give({ type: 'request-failed', requestId: toSecond?.requestId ?? -1 });
    expect(bench.effects).toEqual([]);
    bench.pass(20);
    expect(bench.sent('vote').map(({ to }) => to)).toEqual([2]);
    bench.pass(1980);
    expect(bench.sent('vote').map(({ to }) => to)).toEqual([3]);
  });

  it('pauses at random after an election it did not win, longer each time up to a bound', () => {
    const bench = new ReplicaBench();
    const pauses: number[] = [];
    for (let election = 0; election < 8; election += 1) {
      bench.passUntil('send', 20_000);
      for (const { requestId } of bench.sent('vote')) bench.answerVote(requestId, 0, false);
      expect(bench.role).toBe('unattached');
      pauses.push(bench.replica.nextDueAtMs - bench.now);
    }
    expect(pauses).toEqual([100, 200, 400, 500, 500, 500, 500, 500]);
    expect(bench.replica.leaderAndEpoch.epoch).toBe(0);
  });

  it('loses at once where one voter refuses and the other is not there', () => {
    const bench = new ReplicaBench();
    bench.stand();
    const [toSecond, toThird] = bench.sent('vote');
    bench.give({ type: 'request-failed', requestId: toThird?.requestId ?? -1, closed: true });
    expect(bench.role).toBe('prospective');
    bench.answerVote(toSecond?.requestId ?? -1, 0, false);
    expect(bench.role).toBe('unattached');
    expect(bench.replica.nextDueAtMs).toBe(bench.now + 100);
  });

  it('waits for a voter that is silent, though another refuses', () => {
    const bench = new ReplicaBench();
    bench.stand();
    const [toSecond, toThird] = bench.sent('vote');
    bench.answerVote(toSecond?.requestId ?? -1, 0, false);
    bench.give({ type: 'request-failed', requestId: toThird?.requestId ?? -1 });
    expect(bench.role).toBe('prospective');
    bench.pass(20);
    bench.answerVote(bench.sent('vote')[0]?.requestId ?? -1, 0, true);
    expect(bench.role).toBe('candidate');
  });

  it('waits for voters that are about to start: nobody has refused', () => {
    const bench = new ReplicaBench();
    bench.stand();
    for (const { requestId } of bench.sent('vote'))
      bench.give({ type: 'request-failed', requestId, closed: true });
    expect(bench.role).toBe('prospective');
    bench.pass(20);
    bench.answerVote(bench.sent('vote')[0]?.requestId ?? -1, 0, true);
    expect(bench.role).toBe('candidate');
  });

  it('gives up an election that nobody answers', () => {
    const bench = new ReplicaBench();
    bench.stand();
    bench.pass(1500);
    expect(bench.role).toBe('unattached');
  });

  it('F9: gives the voters more time after elections that came to nothing: they may be slow', () => {
    const bench = new ReplicaBench();
    const lengths: number[] = [];
    for (let election = 0; election < 5; election += 1) {
      bench.stand();
      const began = bench.now;
      while (bench.role === 'prospective') bench.pass(bench.replica.nextDueAtMs - bench.now);
      lengths.push(bench.now - began);
    }
    expect(lengths).toEqual([1500, 3000, 6000, 12_000, 12_000]);
  });

  it('does not stand while its log is being written', () => {
    const bench = new ReplicaBench({ storedState: { leaderId: 2, leaderEpoch: 1, votedId: -1 } });
    const { requestId } = bench.sent('fetch')[0] ?? { requestId: -1 };
    bench.answerFetch(requestId, { epoch: 1, leaderId: 2 }, [contentBatch(0, 1, 'a')]);
    bench.pass(10_000);
    expect(bench.role).toBe('follower');
    bench.sync();
    expect(bench.role).toBe('follower');
    bench.pass(2000);
    expect(bench.role).toBe('prospective');
  });
});

describe('a voter whose log is being written', () => {
  it('stands when that is done, though its turn has come before', () => {
    const bench = new ReplicaBench({ storedState: { leaderId: 2, leaderEpoch: 1, votedId: -1 } });
    const [fetch] = bench.sent('fetch');
    bench.answerFetch(fetch?.requestId ?? -1, { epoch: 1, leaderId: 2 }, [contentBatch(0, 1, 'a')]);
    bench.endEpoch(2, 1, [1, 3]);
    expect(bench.role).toBe('unattached');
    expect(bench.replica.nextDueAtMs).toBe(Infinity);
    bench.sync();
    expect(bench.role).toBe('prospective');
    expect(bench.sent('vote')[0]?.body.topics?.[0]?.partitions?.[0]).toMatchObject({
      lastOffset: 1,
      lastOffsetEpoch: 1,
    });
  });
});

describe('a voter that is asked for its vote', () => {
  it('F26: persists the vote before it gives it', () => {
    const bench = new ReplicaBench();
    expect(bench.vote(2, 1, { epoch: 0, offset: 0 })).toMatchObject({ errorCode: 0, granted: true });
    expect(types(bench)).toEqual(['persist-state', 'respond']);
    expect(bench.ofType('persist-state')[0]?.state).toEqual({ leaderId: -1, leaderEpoch: 1, votedId: 2 });
  });

  it('F26: remembers after a restart whom it voted for', () => {
    const storedState = { leaderId: -1, leaderEpoch: 4, votedId: 2 };
    const bench = new ReplicaBench({ storedState });
    expect(bench.vote(3, 4, { epoch: 3, offset: 9 })).toMatchObject({ granted: false });
    expect(bench.vote(2, 4, { epoch: 3, offset: 9 })).toMatchObject({ granted: true });
    expect(bench.vote(3, 5, { epoch: 3, offset: 9 })).toMatchObject({ granted: true });
  });

  it('waits a whole election time-out for whom it voted for', () => {
    const bench = new ReplicaBench();
    bench.pass(1400);
    bench.vote(2, 1, { epoch: 0, offset: 0 });
    expect(bench.replica.nextDueAtMs).toBe(bench.now + 1500);
  });

  it('keeps its own election when epochs pass by without a vote of its', () => {
    const bench = new ReplicaBench({ log: MemoryQuorumLog.of([3]) });
    const dueAtMs = bench.replica.nextDueAtMs;
    for (const epoch of [4, 5, 6]) {
      bench.pass(100);
      expect(bench.vote(2, epoch, { epoch: 2, offset: 7 }).granted).toBe(false);
    }
    expect(bench.replica.nextDueAtMs).toBe(dueAtMs);
  });

  it('compares logs by what it has synced', () => {
    const bench = new ReplicaBench({ log: MemoryQuorumLog.of([1, 1]) });
    expect(bench.vote(2, 2, { epoch: 1, offset: 1 }).granted).toBe(false);
    expect(bench.vote(2, 3, { epoch: 1, offset: 2 }).granted).toBe(true);
  });

  it('grants no pre-vote while it hears its leader, and one when it does not any more', () => {
    const bench = new ReplicaBench({ storedState: { leaderId: 2, leaderEpoch: 1, votedId: -1 } });
    expect(bench.vote(3, 1, { epoch: 0, offset: 0 }, true).granted).toBe(true);
    bench.give({ type: 'tick' });
    const again = new ReplicaBench({ storedState: { leaderId: 2, leaderEpoch: 1, votedId: -1 } });
    again.answerFetch(again.sent('fetch')[0]?.requestId ?? -1, { epoch: 1, leaderId: 2 });
    expect(again.vote(3, 1, { epoch: 0, offset: 0 }, true)).toMatchObject({ granted: false, leaderId: 2 });
    again.pass(2000);
    expect(again.role).toBe('prospective');
    expect(again.vote(3, 1, { epoch: 0, offset: 0 }, true).granted).toBe(true);
    expect(types(again)).toEqual(['respond']);
  });

  it('takes a greater epoch from whoever asks, and is in no lower one afterwards', () => {
    const bench = ReplicaBench.leader();
    expect(bench.vote(3, 7, { epoch: 0, offset: 0 })).toMatchObject({ errorCode: 0, granted: false });
    expect(bench.role).toBe('unattached');
    expect(bench.ofType('persist-state')[0]?.state).toEqual({ leaderId: -1, leaderEpoch: 7, votedId: -1 });
    expect(bench.vote(2, 6, { epoch: 5, offset: 9 })).toMatchObject({
      errorCode: ErrorCode.FENCED_LEADER_EPOCH,
    });
    expect(bench.effects.some(({ type }) => type === 'persist-state')).toBe(false);
  });

  it('grants no vote in an epoch whose leader it knows', () => {
    const bench = new ReplicaBench({ storedState: { leaderId: 2, leaderEpoch: 3, votedId: -1 } });
    expect(bench.vote(3, 3, { epoch: 2, offset: 9 }).granted).toBe(false);
    bench.pass(2000);
    expect(bench.role).toBe('prospective');
    expect(bench.vote(3, 3, { epoch: 2, offset: 9 }).granted).toBe(false);
  });
});

describe('a vote that is not in order', () => {
  const partition = {
    partitionIndex: 0,
    replicaEpoch: 5,
    replicaId: 2,
    replicaDirectoryId: ZERO_UUID,
    voterDirectoryId: ZERO_UUID,
    lastOffsetEpoch: 1,
    lastOffset: 3,
    preVote: false,
  };
  const ask = (body: object, fields: object = {}, options = {}) => {
    const bench = new ReplicaBench(options);
    const topics = [{ topicName: '__cluster_metadata', partitions: [{ ...partition, ...fields }] }];
    const whole = { clusterId: CLUSTER_ID, voterId: 1, topics, ...body };
    bench.give({ type: 'request', token: 1, api: 'vote', body: whole });
    const [answer] = bench.answers('vote');
    expect(bench.ofType('persist-state')).toEqual([]);
    return answer?.body.errorCode || answer?.body.topics?.[0]?.partitions?.[0]?.errorCode;
  };

  it.each([
    ['of another cluster', { clusterId: 'other' }, {}, ErrorCode.INCONSISTENT_CLUSTER_ID],
    [
      'of another topic',
      { topics: [{ topicName: 'orders', partitions: [partition] }] },
      {},
      ErrorCode.INVALID_REQUEST,
    ],
    ['of no topic', { topics: [] }, {}, ErrorCode.INVALID_REQUEST],
    ['of another partition', {}, { partitionIndex: 1 }, ErrorCode.INVALID_REQUEST],
    ['for another voter', { voterId: 3 }, {}, ErrorCode.INVALID_VOTER_KEY],
    [
      'for another directory',
      {},
      { voterDirectoryId: 'AAAAAAAAAAAAAAAAAAAAAw' },
      ErrorCode.INVALID_VOTER_KEY,
    ],
    ['from who is no voter', {}, { replicaId: 9 }, ErrorCode.INCONSISTENT_VOTER_SET],
    ['from itself', {}, { replicaId: 1 }, ErrorCode.INVALID_REQUEST],
    ['with a log of the epoch that it asks for', {}, { lastOffsetEpoch: 5 }, ErrorCode.INVALID_REQUEST],
    ['with an impossible end', {}, { lastOffset: -1 }, ErrorCode.INVALID_REQUEST],
  ])('%s is refused and changes nothing', (_, body, fields, errorCode) => {
    expect(ask(body, fields)).toBe(errorCode);
  });

  it('at an observer is refused', () => {
    expect(ask({ voterId: 9 }, {}, { nodeId: 9 })).toBe(ErrorCode.INCONSISTENT_VOTER_SET);
  });

  it('is accepted where cluster and addressee are left open', () => {
    const bench = new ReplicaBench();
    const topics = [{ topicName: '__cluster_metadata', partitions: [partition] }];
    bench.give({ type: 'request', token: 1, api: 'vote', body: { clusterId: null, voterId: -1, topics } });
    expect(bench.answers('vote')[0]?.body.topics?.[0]?.partitions?.[0]?.voteGranted).toBe(true);
  });
});
