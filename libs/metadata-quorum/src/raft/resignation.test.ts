import { ErrorCode } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { MemoryQuorumLog } from './testing/memory-quorum-log.ts';
import { ReplicaBench } from './testing/replica-bench.ts';

const storedState = { leaderId: 2, leaderEpoch: 3, votedId: -1 };
const follower = (options = {}) =>
  new ReplicaBench({ storedState, log: MemoryQuorumLog.of([2, 2]), ...options });

const successors = (bench: ReplicaBench) =>
  bench
    .sent('endQuorumEpoch')[0]
    ?.body.topics?.[0]?.partitions?.[0]?.preferredCandidates?.map((each) => each.candidateId);

describe('a leader that no majority fetches from (KAFKA-15489)', () => {
  it('resigns after one and a half fetch time-outs, and tells the others who should follow', () => {
    const bench = ReplicaBench.leader();
    bench.pass(1000);
    bench.fetch(3, { epoch: 1, offset: 1 });
    bench.pass(2999);
    expect(bench.role).toBe('leader');
    bench.pass(1);
    expect(bench.role).toBe('resigned');
    expect(bench.sent('endQuorumEpoch').map(({ to }) => to)).toEqual([2, 3]);
    expect(successors(bench)).toEqual([3, 2]);
    expect(bench.ofType('term-ended')).toEqual([{ type: 'term-ended', epoch: 1 }]);
    expect(bench.replica.leaderAndEpoch).toEqual({ leaderId: -1, epoch: 1 });
  });

  it('F9: has more time until its term begins where elections before came to nothing, and the usual from then on', () => {
    const bench = new ReplicaBench();
    bench.stand();
    while (bench.role === 'prospective') bench.pass(bench.replica.nextDueAtMs - bench.now);
    bench.stand();
    bench.win();
    bench.sync();
    bench.pass(5999);
    expect(bench.role).toBe('leader');
    bench.fetch(3, { epoch: 1, offset: 1 });
    expect(bench.ofType('term-began')).toHaveLength(1);
    bench.pass(2999);
    expect(bench.role).toBe('leader');
    bench.pass(1);
    expect(bench.role).toBe('resigned');
  });

  it('stays while one of two others fetches, and does not count observers', () => {
    const bench = ReplicaBench.leader();
    for (let passed = 0; passed < 8000; passed += 1000) {
      bench.pass(1000);
      bench.fetch(2, { epoch: 1, offset: 1 });
    }
    expect(bench.role).toBe('leader');
    for (let passed = 0; passed < 3000; passed += 1000) {
      bench.pass(1000);
      bench.fetch(11, { epoch: 1, offset: 1 });
    }
    expect(bench.role).toBe('resigned');
  });

  it('does not count fetches of other epochs', () => {
    const bench = ReplicaBench.leader();
    for (let passed = 0; passed < 3000; passed += 1000) {
      bench.pass(1000);
      bench.fetch(2, { epoch: 0, offset: 0 }, { leaderEpoch: 0 });
    }
    expect(bench.role).toBe('resigned');
  });

  it('of a quorum of one needs nobody', () => {
    const bench = new ReplicaBench({ voters: [1] });
    bench.sync();
    expect(bench.replica.nextDueAtMs).toBe(Infinity);
    bench.pass(1_000_000);
    expect(bench.role).toBe('leader');
  });
});

describe('a resigned leader', () => {
  it('answers those who wait for its log, and votes for nobody in its epoch', () => {
    const bench = ReplicaBench.leader();
    bench.fetch(2, { epoch: 1, offset: 1 });
    const token = bench.fetch(2, { epoch: 1, offset: 1 });
    bench.give({ type: 'resign' });
    expect(bench.answers('fetch')).toMatchObject([
      {
        token,
        body: {
          responses: [
            {
              partitions: [
                {
                  errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER,
                  currentLeader: { leaderId: -1, leaderEpoch: 1 },
                },
              ],
            },
          ],
        },
      },
    ]);
    expect(bench.vote(3, 1, { epoch: 0, offset: 9 }).granted).toBe(false);
    expect(bench.vote(3, 1, { epoch: 1, offset: 9 }, true).granted).toBe(true);
    expect(bench.vote(3, 2, { epoch: 1, offset: 9 }).granted).toBe(true);
  });

  it('stands again after an election time-out, in another epoch', () => {
    const bench = ReplicaBench.leader();
    bench.give({ type: 'resign' });
    bench.pass(1500);
    expect(bench.role).toBe('prospective');
    bench.win();
    expect(bench.replica.leaderAndEpoch).toEqual({ leaderId: 1, epoch: 2 });
  });

  it('F26: is resigned after a restart as well: its epoch is over', () => {
    const bench = new ReplicaBench({ storedState: { leaderId: 1, leaderEpoch: 4, votedId: 1 } });
    expect(bench.role).toBe('resigned');
    expect(bench.vote(2, 4, { epoch: 3, offset: 9 }).granted).toBe(false);
    expect(bench.beginEpoch(2, 4)).toMatchObject({ leaderId: -1, leaderEpoch: 4 });
    expect(bench.role).toBe('resigned');
  });

  it('is one whose log could not be written', () => {
    const bench = ReplicaBench.leader();
    bench.give({ type: 'append-failed' });
    expect(bench.role).toBe('resigned');
    const only = new ReplicaBench({ voters: [1] });
    only.log.truncate(0);
    only.give({ type: 'append-failed' });
    expect(only.role).toBe('resigned');
    only.pass(1500);
    expect(only.replica.leaderAndEpoch).toEqual({ leaderId: 1, epoch: 2 });
  });

  it('keeps telling a voter until it has answered', () => {
    const bench = ReplicaBench.leader();
    bench.give({ type: 'resign' });
    const [toSecond, toThird] = bench.sent('endQuorumEpoch');
    const partition = { partitionIndex: 0, errorCode: 0, leaderId: -1, leaderEpoch: 1 };
    const body = { errorCode: 0, topics: [{ topicName: '', partitions: [partition] }], nodeEndpoints: [] };
    bench.give({
      type: 'response',
      requestId: toSecond?.requestId ?? -1,
      api: 'endQuorumEpoch',
      body,
      batches: [],
    });
    bench.give({ type: 'request-failed', requestId: toThird?.requestId ?? -1 });
    bench.pass(20);
    expect(bench.sent('endQuorumEpoch').map(({ to }) => to)).toEqual([3]);
  });
});

describe('a follower whose leader resigns', () => {
  it('stands at once if it is the first of the successors', () => {
    const bench = follower();
    expect(bench.endEpoch(2, 3, [1, 3])).toMatchObject({ errorCode: 0, leaderId: -1 });
    expect(bench.role).toBe('prospective');
    expect(bench.sent('vote').map(({ to }) => to)).toEqual([2, 3]);
  });

  it('waits for its turn otherwise', () => {
    const second = follower();
    second.endEpoch(2, 3, [3, 1]);
    expect(second.role).toBe('unattached');
    expect(second.replica.nextDueAtMs).toBe(second.now + 375);
    const unnamed = follower();
    unnamed.endEpoch(2, 3, [3]);
    expect(unnamed.replica.nextDueAtMs).toBe(unnamed.now + 1500);
  });

  it('is not put off by the same news again', () => {
    const bench = follower();
    bench.endEpoch(2, 3, [3, 1]);
    const dueAtMs = bench.replica.nextDueAtMs;
    bench.pass(100);
    bench.endEpoch(2, 3, [3]);
    expect(bench.replica.nextDueAtMs).toBe(dueAtMs);
  });

  it('F23: goes on with its election when it is told twice', () => {
    const bench = follower();
    bench.endEpoch(2, 3, [1, 3]);
    const [, toThird] = bench.sent('vote');
    bench.endEpoch(2, 3, [1, 3]);
    bench.answerVote(toThird?.requestId ?? -1, 3, true);
    expect(bench.role).toBe('candidate');
  });

  it('takes its turn among the other voters where the leader lost its leadership with its process, and names nobody', () => {
    const first = follower();
    first.endEpoch(2, 3, []);
    expect(first.role).toBe('prospective');
    const last = new ReplicaBench({
      voters: [3, 2, 1],
      storedState: { leaderId: 2, leaderEpoch: 3, votedId: -1 },
    });
    last.endEpoch(2, 3, []);
    expect(last.replica.nextDueAtMs).toBe(last.now + 375);
  });

  it('does not follow it again in that epoch, whoever says that it leads', () => {
    const bench = follower();
    bench.endEpoch(2, 3, [3, 1]);
    bench.beginEpoch(2, 3);
    expect(bench.role).toBe('unattached');
    bench.pass(375);
    const [asked] = bench.sent('vote');
    bench.answerVote(asked?.requestId ?? -1, 3, false, 2);
    expect(bench.role).toBe('prospective');
    expect(bench.vote(3, 3, { epoch: 2, offset: 9 }).granted).toBe(false);
    bench.beginEpoch(3, 4);
    expect(bench.replica.leaderAndEpoch).toEqual({ leaderId: 3, epoch: 4 });
  });

  it('learns of it from the refusal of its fetch', () => {
    const bench = follower();
    const [fetch] = bench.sent('fetch');
    bench.answerFetch(fetch?.requestId ?? -1, { errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER, epoch: 3 });
    expect(bench.role).toBe('unattached');
    expect(bench.replica.leaderAndEpoch).toEqual({ leaderId: -1, epoch: 3 });
  });

  it.each([
    ['of an elder epoch', 2, 2, ErrorCode.FENCED_LEADER_EPOCH],
    ['by who is no voter', 9, 3, ErrorCode.INCONSISTENT_VOTER_SET],
    ['by who does not lead', 3, 3, ErrorCode.NONE],
  ])('stays when it is said %s', (_, leaderId, epoch, errorCode) => {
    const bench = follower();
    expect(bench.endEpoch(leaderId, epoch, [1])).toMatchObject({ errorCode });
    expect(bench.role).toBe('follower');
  });
});

describe('a node that stops', () => {
  it('closes at once if it does not lead', () => {
    const bench = follower();
    expect(bench.give({ type: 'shutdown' }).at(-1)).toEqual({ type: 'closed' });
    bench.pass(10_000);
    expect(bench.ofType('closed')).toEqual([]);
    expect(bench.role).toBe('follower');
  });

  it('closes at once if it is the only voter', () => {
    const bench = new ReplicaBench({ voters: [1] });
    bench.sync();
    const effects = bench.give({ type: 'shutdown' });
    expect(effects.map(({ type }) => type)).toEqual(expect.arrayContaining(['term-ended', 'closed']));
    expect(bench.role).toBe('resigned');
    expect(bench.replica.nextDueAtMs).toBe(Infinity);
  });

  it('resigns if it leads, votes for another, and closes when that one leads', () => {
    const bench = ReplicaBench.leader();
    bench.fetch(3, { epoch: 1, offset: 1 });
    bench.fetch(3, { epoch: 1, offset: 1 });
    bench.give({ type: 'shutdown' });
    expect(successors(bench)).toEqual([3, 2]);
    expect(bench.ofType('closed')).toEqual([]);
    expect(bench.vote(3, 2, { epoch: 1, offset: 1 }).granted).toBe(true);
    expect(bench.ofType('closed')).toEqual([]);
    bench.beginEpoch(3, 2);
    expect(bench.ofType('closed')).toHaveLength(1);
  });

  it('resigns only when the others that are there know all that is decided, or half a second later', () => {
    const bench = ReplicaBench.leader();
    bench.fetch(3, { epoch: 1, offset: 1 });
    bench.give({ type: 'shutdown' });
    expect(bench.role).toBe('leader');
    bench.fetch(3, { epoch: 1, offset: 1 });
    expect(bench.role).toBe('resigned');
    const late = ReplicaBench.leader();
    late.fetch(3, { epoch: 1, offset: 1 });
    late.give({ type: 'shutdown' });
    late.pass(499);
    expect(late.role).toBe('leader');
    late.pass(1);
    expect(late.role).toBe('resigned');
  });

  it('goes on asking who is there, and closes soon where those go as well who knew of it', () => {
    const bench = ReplicaBench.leader();
    bench.give({ type: 'shutdown' });
    const partition = { partitionIndex: 0, errorCode: 0, leaderId: -1, leaderEpoch: 1 };
    const body = { errorCode: 0, topics: [{ topicName: '', partitions: [partition] }], nodeEndpoints: [] };
    for (const { requestId } of bench.sent('endQuorumEpoch')) {
      bench.give({ type: 'response', requestId, api: 'endQuorumEpoch', body, batches: [] });
    }
    expect(bench.replica.nextDueAtMs).toBe(bench.now + 50);
    let failures = 0;
    while (bench.ofType('closed').length === 0 && failures < 10) {
      if (bench.sent('endQuorumEpoch').length === 0) bench.passUntil('send', 100);
      for (const { requestId } of bench.sent('endQuorumEpoch')) {
        bench.give({ type: 'request-failed', requestId, closed: true });
        failures += 1;
      }
    }
    expect([bench.ofType('closed').length, failures]).toEqual([1, 6]);
  });

  it('closes soon if nobody is left to vote for another: a whole cluster stops', () => {
    const bench = ReplicaBench.leader();
    bench.give({ type: 'shutdown' });
    let failures = 0;
    while (bench.ofType('closed').length === 0 && failures < 10) {
      if (bench.sent('endQuorumEpoch').length === 0) bench.passUntil('send', 100);
      for (const { requestId } of bench.sent('endQuorumEpoch')) {
        bench.give({ type: 'request-failed', requestId, closed: true });
        failures += 1;
      }
    }
    expect([bench.ofType('closed').length, failures]).toEqual([1, 6]);
  });

  it('closes in a bounded time, and stands for no election meanwhile', () => {
    const bench = ReplicaBench.leader();
    bench.give({ type: 'shutdown' });
    bench.passUntil('closed', 2000);
    expect(bench.role).toBe('resigned');
  });
});
