import { ErrorCode } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import type { PartitionMetadata } from './cluster-view.ts';
import type { FetchLook, FetchVerdict } from './fetch-verdict.ts';
import { PartitionReplica, type ReplicaEffect, type ReplicaEvent } from './partition-replica.ts';
import { MemoryLog } from './testing/memory-log.ts';
import { answerWith } from './testing/parked-fetches.ts';
import { sampleBatch } from './testing/sample-batch.ts';
import { TOPIC_ID } from './testing/simulated-settings.ts';

const moment = { now: 1_700_000_000_000, monotonic: 5000 };
const consumerFetch: FetchLook = {
  replicaId: -1,
  brokerEpoch: -1,
  currentLeaderEpoch: -1,
  fetchOffset: 0,
  lastFetchedEpoch: -1,
  logStartOffset: -1,
  isReadCommitted: false,
  mayReadFromFollower: false,
};
const config = { minInsyncReplicas: 1, replicaLagTimeMaxMs: 30_000 };

function metadata(
  leader: number,
  leaderEpoch: number,
  more: Partial<PartitionMetadata> = {},
): PartitionMetadata {
  return {
    leader,
    leaderEpoch,
    partitionEpoch: leaderEpoch,
    replicas: [1, 2],
    isr: [1, 2],
    leaderRecoveryState: 0,
    ...more,
  };
}

/** Broker 1's replica; what it asks of its log is not carried out. */
class Bench {
  readonly log: MemoryLog;
  readonly replica: PartitionReplica;
  readonly effects: ReplicaEffect[] = [];

  constructor(log: MemoryLog = MemoryLog.of('0@0', 3)) {
    this.log = log;
    this.replica = new PartitionReplica({
      brokerId: 1,
      identity: { topic: 'demo', topicId: TOPIC_ID, partition: 0 },
      log,
      cluster: {
        brokerEpoch: 11,
        broker: (id) => ({ epoch: id + 10, fenced: false, inControlledShutdown: false }),
      },
      config,
      fetchBackoffMs: 1000,
    });
  }

  step(event: ReplicaEvent): readonly ReplicaEffect[] {
    const effects = this.replica.step(event, moment);
    this.effects.push(...effects);
    return effects;
  }

  learn(leader: number, leaderEpoch: number, more: Partial<PartitionMetadata> = {}): readonly string[] {
    return this.step({ type: 'metadata', metadata: metadata(leader, leaderEpoch, more) }).map(
      ({ type }) => type,
    );
  }

  /** A fetch that is answered with one batch more. */
  fetchOne(): readonly ReplicaEffect[] {
    this.replica.follower?.takePosition(1);
    const records = sampleBatch(['word'], { baseOffset: this.log.logEndOffset });
    const answer = answerWith({ records, highWatermark: 4, logStartOffset: 0 });
    return this.step({ type: 'follower-event', event: { type: 'fetched', requestId: 1, answer } });
  }

  look(look: Partial<FetchLook>, when: 'first' | 'again' = 'first') {
    return this.replica.lookAtFetch({ ...consumerFetch, ...look }, when, moment);
  }

  check(look: Partial<FetchLook>): FetchVerdict {
    return this.look(look).verdict;
  }
}

describe('a replica', () => {
  it('leads, follows and leads again as the metadata says', () => {
    const bench = new Bench();
    bench.learn(1, 0);
    expect(bench.replica.role).toBe('leading');
    expect(bench.learn(2, 1)).toEqual(['wake-fetches', 'role', 'follow', 'fetch-state-changed']);
    expect(bench.replica.follower).toMatchObject({ leaderId: 2, leaderEpoch: 1 });
    bench.learn(-1, 2);
    expect(bench.replica.follower?.state.kind).toBe('leaderless');
    const effects = bench.learn(1, 3);
    expect(effects).toContain('unfollow');
    expect(effects.slice(-3)).toEqual(['role', 'assign-leader-epoch', 'wake-fetches']);
    expect(bench.replica.leader?.leaderEpoch).toBe(3);
  });

  it('takes no metadata that is older than what it knows', () => {
    const bench = new Bench();
    bench.learn(2, 5);
    expect(bench.learn(1, 4)).toEqual([]);
    expect([bench.replica.role, bench.replica.leaderId, bench.replica.leaderEpoch]).toEqual([
      'following',
      2,
      5,
    ]);
  });

  it('fetches on as before when only its ISR changes', () => {
    const bench = new Bench();
    bench.learn(2, 1);
    bench.replica.follower?.takePosition(1);
    expect(bench.learn(2, 1, { partitionEpoch: 2, isr: [2] })).toEqual([]);
    expect(bench.replica.follower?.state.kind).toBe('fetching');
  });

  it('R21: leads only when what it was writing as a follower is written', () => {
    const bench = new Bench();
    bench.learn(2, 1);
    bench.fetchOne();
    bench.learn(1, 2);
    expect(bench.replica.role).toBe('electing');
    expect(bench.replica.appendError(1)).toBe(ErrorCode.NOT_LEADER_OR_FOLLOWER);
    bench.log.appendAsFollower(sampleBatch(['word'], { baseOffset: 3 }));
    const effects = bench.step({ type: 'follower-event', event: { type: 'appended', outcome: 'done' } });
    expect(effects).toContainEqual({ type: 'assign-leader-epoch', epoch: 2, startOffset: 4 });
    expect(bench.replica.role).toBe('leading');
  });

  it('F8, R21: leads with a log that takes no more, whatever was being written to it', () => {
    const bench = new Bench();
    bench.log.queue(['never counts'], 0);
    bench.learn(1, 2);
    expect(bench.replica.role).toBe('electing');
    bench.log.failure = new Error('the disk is gone');
    bench.step({ type: 'leader-event', event: { type: 'log-end-advanced' } });
    expect(bench.replica.role).toBe('leading');
    expect(bench.learn(1, 3)).toContain('assign-leader-epoch');
    expect([bench.replica.role, bench.replica.leader?.leaderEpoch]).toEqual(['leading', 3]);
    expect(bench.check({ fetchOffset: 3 })).toMatchObject({ kind: 'read' });
  });

  it('R21: leads only when what it was writing as an earlier leader is written', () => {
    const bench = new Bench();
    const queued = bench.log.queue(['left over'], 0);
    bench.learn(1, 2);
    expect(bench.replica.role).toBe('electing');
    bench.log.write(queued);
    bench.step({ type: 'leader-event', event: { type: 'log-end-advanced' } });
    expect(bench.replica.role).toBe('leading');
  });

  it('R21: begins a later epoch of its own only when what it was writing in the earlier one is written', () => {
    const bench = new Bench();
    bench.learn(1, 1);
    const queued = bench.log.queue(['word'], 1);
    bench.learn(1, 3);
    expect(bench.replica.role).toBe('electing');
    expect(bench.replica.appendError(1)).toBe(ErrorCode.NOT_LEADER_OR_FOLLOWER);
    bench.log.write(queued);
    bench.step({ type: 'leader-event', event: { type: 'log-end-advanced' } });
    expect(bench.replica.role).toBe('leading');
    expect(bench.effects).toContainEqual({ type: 'assign-leader-epoch', epoch: 3, startOffset: 4 });
  });

  it('R21: knows nothing of its followers any more when another may have led since, though it heard of none', () => {
    const bench = new Bench();
    bench.learn(1, 1);
    const look = { ...consumerFetch, replicaId: 2, brokerEpoch: 12, fetchOffset: 3, lastFetchedEpoch: 0 };
    bench.replica.lookAtFetch(look, 'first', moment);
    const endOf = (): number | undefined => [...(bench.replica.leader?.followers ?? [])][0]?.logEndOffset;
    expect(endOf()).toBe(3);
    bench.learn(1, 2);
    expect(endOf()).toBe(3);
    bench.learn(1, 4);
    expect([bench.replica.role, endOf()]).toEqual(['leading', -1]);
  });

  it('R28: takes no answer to a fetch of its time as a follower once it leads', () => {
    const bench = new Bench();
    bench.learn(2, 1);
    const follower = bench.replica.follower;
    follower?.takePosition(7);
    bench.learn(1, 2);
    const answer = answerWith({ records: sampleBatch(['word'], { baseOffset: 3 }), highWatermark: 4 });
    expect(follower?.step({ type: 'fetched', requestId: 7, answer }, moment)).toEqual([]);
    expect(bench.step({ type: 'follower-event', event: { type: 'fetched', requestId: 7, answer } })).toEqual(
      [],
    );
  });

  it('goes back to following if another is elected while it waits to lead', () => {
    const bench = new Bench();
    bench.learn(2, 1);
    bench.fetchOne();
    bench.learn(1, 2);
    bench.learn(2, 3);
    expect([bench.replica.role, bench.replica.follower?.leaderEpoch]).toEqual(['following', 3]);
    bench.step({ type: 'follower-event', event: { type: 'appended', outcome: 'done' } });
    expect(bench.replica.follower?.state.kind).toBe('ready');
  });

  it('KIP-966: leaves a smaller ISR to the metadata, which brings the minimum that the controller held it to', () => {
    const bench = new Bench();
    bench.learn(1, 1);
    bench.log.append(['word'], 1);
    bench.step({ type: 'leader-event', event: { type: 'log-end-advanced' } });
    const late = { now: moment.now, monotonic: moment.monotonic + 60_000 };
    const effects = bench.replica.step({ type: 'leader-event', event: { type: 'lag-check' } }, late);
    const proposal = effects.find((effect) => effect.type === 'propose-isr')?.proposal;
    if (proposal === undefined) throw new Error('nothing was proposed');
    const verdict = { kind: 'accepted', leaderEpoch: 1, partitionEpoch: 2, isr: [1] } as const;
    bench.step({ type: 'leader-event', event: { type: 'isr-answered', proposal, verdict } });
    expect(bench.replica.leader?.maximalIsr).toEqual([1, 2]);
    bench.step({
      type: 'metadata',
      metadata: metadata(1, 1, { partitionEpoch: 2, isr: [1] }),
      config: { ...config, minInsyncReplicas: 2 },
    });
    expect(bench.replica.leader?.isr).toEqual([1]);
    expect(bench.replica.leader?.highWatermark).toBe(0);
  });

  it('takes a smaller minimum and the loss of its leadership as one: nothing is committed in between', () => {
    const bench = new Bench();
    bench.step({ type: 'configured', config: { ...config, minInsyncReplicas: 2 } });
    bench.learn(1, 1, { isr: [1] });
    bench.log.append(['word'], 1);
    bench.step({ type: 'leader-event', event: { type: 'log-end-advanced' } });
    const effects = bench.step({ type: 'metadata', metadata: metadata(2, 2), config });
    expect(effects.some((effect) => effect.type === 'update-high-watermark')).toBe(false);
  });

  it('leads with the settings that were last given', () => {
    const bench = new Bench();
    bench.step({ type: 'configured', config: { ...config, minInsyncReplicas: 2 } });
    bench.learn(1, 0, { isr: [1] });
    expect(bench.replica.appendError(-1)).toBe(ErrorCode.NOT_ENOUGH_REPLICAS);
  });
});

describe('R20, R25: a replica that does not lead', () => {
  const leader = { leaderId: 2, leaderEpoch: 1 };
  const follower = (): Bench => {
    const bench = new Bench(MemoryLog.of('0@0', 5, 3));
    bench.learn(2, 1);
    return bench;
  };

  it('refuses produces, and says who leads to those who fetch', () => {
    const bench = follower();
    expect(bench.replica.appendError(-1)).toBe(ErrorCode.NOT_LEADER_OR_FOLLOWER);
    const refusal = { kind: 'refused', errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER, currentLeader: leader };
    expect(bench.check({})).toEqual(refusal);
    expect(bench.check({ replicaId: 3, mayReadFromFollower: true })).toEqual(refusal);
  });

  it('also when nobody leads', () => {
    const bench = new Bench();
    bench.learn(-1, 1);
    expect(bench.replica.appendError(1)).toBe(ErrorCode.NOT_LEADER_OR_FOLLOWER);
    expect(bench.check({})).toMatchObject({ currentLeader: { leaderId: -1, leaderEpoch: 1 } });
  });

  it.each([
    [0, ErrorCode.FENCED_LEADER_EPOCH],
    [2, ErrorCode.UNKNOWN_LEADER_EPOCH],
  ])('holds epoch %i against its own', (currentLeaderEpoch, errorCode) => {
    const refusal = { kind: 'refused', errorCode, currentLeader: leader };
    expect(follower().check({ currentLeaderEpoch, mayReadFromFollower: true })).toEqual(refusal);
  });

  it('serves consumers that may read from it, up to its own high watermark', () => {
    const bench = follower();
    const read = { kind: 'read', bound: 'high-watermark' };
    expect(bench.check({ fetchOffset: 3, mayReadFromFollower: true, currentLeaderEpoch: 1 })).toEqual(read);
    // KIP-392: what it does not have yet is not out of range.
    expect(bench.check({ fetchOffset: 4, mayReadFromFollower: true })).toMatchObject({
      errorCode: ErrorCode.OFFSET_NOT_AVAILABLE,
    });
    bench.log.raiseLogStart(2);
    expect(bench.check({ fetchOffset: 1, mayReadFromFollower: true })).toMatchObject({
      errorCode: ErrorCode.OFFSET_OUT_OF_RANGE,
    });
  });
});

describe('R29: a wait', () => {
  it('at a replica that does not lead ends at once', () => {
    const bench = new Bench();
    bench.learn(2, 1);
    const event = { type: 'await-replication', token: 4, requiredOffset: 1 } as const;
    expect(bench.step({ type: 'leader-event', event })).toEqual([
      { type: 'end-wait', token: 4, errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER, lowWatermark: -1 },
    ]);
  });

  it.each<[string, ReplicaEvent]>([
    ['another leads', { type: 'metadata', metadata: metadata(2, 1) }],
    ['nobody leads', { type: 'metadata', metadata: metadata(-1, 1) }],
    ['the replica is stopped', { type: 'stopped' }],
  ])('ends when %s', (_why, event) => {
    const bench = new Bench();
    bench.learn(1, 0);
    bench.step({ type: 'leader-event', event: { type: 'await-replication', token: 4, requiredOffset: 9 } });
    const errorCode = ErrorCode.NOT_LEADER_OR_FOLLOWER;
    const effects = bench.step(event);
    expect(effects).toContainEqual({ type: 'end-wait', token: 4, errorCode, lowWatermark: -1 });
    expect(effects).toContainEqual({ type: 'wake-fetches', whose: 'all' });
  });

  it('a stopped follower is fetched for no more', () => {
    const bench = new Bench();
    bench.learn(2, 1);
    expect(bench.step({ type: 'stopped' }).map(({ type }) => type)).toContain('unfollow');
    expect(bench.replica.role).toBe('idle');
  });
});

describe('R6, R23: a look at a follower’s fetch', () => {
  const fetch = { replicaId: 2, brokerEpoch: 12, currentLeaderEpoch: 4, logStartOffset: 0 };
  const known = (bench: Bench): readonly number[] =>
    Array.from(bench.replica.leader?.followers ?? [], (follower) => follower.logEndOffset);
  const leading = (): Bench => {
    const bench = new Bench(MemoryLog.of('0@0,1@5', 8));
    bench.learn(1, 4);
    return bench;
  };

  it('is its report, when it comes', () => {
    const bench = leading();
    const { verdict, effects } = bench.look({ ...fetch, fetchOffset: 8, lastFetchedEpoch: 1 });
    expect(verdict).toEqual({ kind: 'read', bound: 'log-end' });
    expect(known(bench)).toEqual([8]);
    expect(effects).toContainEqual({ type: 'update-high-watermark', highWatermark: 8 });
  });

  it('is none when it had been parked', () => {
    const bench = leading();
    expect(bench.look({ ...fetch, fetchOffset: 8, lastFetchedEpoch: 1 }, 'again').effects).toEqual([]);
    expect(known(bench)).toEqual([-1]);
  });

  it.each<[string, Partial<FetchLook>]>([
    ['KAFKA-13141: its history is another', { fetchOffset: 7, lastFetchedEpoch: 0 }],
    ['it is of another epoch', { fetchOffset: 8, lastFetchedEpoch: 1, currentLeaderEpoch: 3 }],
    ['it is out of range', { fetchOffset: 9, lastFetchedEpoch: -1 }],
    ['it is of a process that has a successor', { fetchOffset: 8, lastFetchedEpoch: 1, brokerEpoch: 11 }],
  ])('is none when %s', (_why, look) => {
    const bench = leading();
    const { verdict, effects } = bench.look({ ...fetch, ...look });
    expect(verdict.kind).not.toBe('read');
    expect(effects).toEqual([]);
    expect(known(bench)).toEqual([-1]);
  });
});
