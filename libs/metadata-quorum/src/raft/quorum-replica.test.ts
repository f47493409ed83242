import { describe, expect, it } from 'vitest';
import { contentBatch, MemoryQuorumLog } from './testing/memory-quorum-log.ts';
import { ReplicaBench } from './testing/replica-bench.ts';

const only = { voters: [1] };

describe('a quorum of one', () => {
  it('elects itself at its start, in an epoch that is persisted before anything is written', () => {
    const bench = new ReplicaBench(only);
    expect(bench.effects.filter(({ type }) => type !== 'log' && type !== 'leader-changed')).toEqual([
      { type: 'persist-state', state: { leaderId: 1, leaderEpoch: 1, votedId: 1 } },
      {
        type: 'append-leader-change',
        baseOffset: 0,
        epoch: 1,
        record: { type: 'LeaderChange', leaderId: 1, voters: [1], grantingVoters: [1] },
      },
    ]);
  });

  it('F26: uses an epoch that neither its file nor its log has seen', () => {
    const ofFile = new ReplicaBench({
      ...only,
      storedState: { leaderId: 1, leaderEpoch: 9, votedId: 1 },
      log: MemoryQuorumLog.of([4]),
    });
    expect(ofFile.replica.leaderAndEpoch).toEqual({ leaderId: 1, epoch: 10 });
    const ofLog = new ReplicaBench({
      ...only,
      storedState: { leaderId: 1, leaderEpoch: 2, votedId: 1 },
      log: MemoryQuorumLog.of([4]),
    });
    expect(ofLog.replica.leaderAndEpoch).toEqual({ leaderId: 1, epoch: 5 });
  });

  it('begins its term when its first record is synced, and commits what is synced', () => {
    const bench = new ReplicaBench({ ...only, log: MemoryQuorumLog.of([1, 1]) });
    expect(bench.replica.highWatermark).toBe(0);
    expect(bench.sync()).toEqual([
      { type: 'high-watermark', offset: 3 },
      { type: 'term-began', epoch: 2, offset: 3 },
    ]);
    const batch = contentBatch(3, 2, 'a');
    expect(bench.give({ type: 'append', batch })).toEqual([{ type: 'append', batches: [batch] }]);
    expect(bench.replica.highWatermark).toBe(3);
    expect(bench.sync()).toEqual([{ type: 'high-watermark', offset: 4 }]);
  });

  it('commits no more than is synced while more is being written', () => {
    const bench = new ReplicaBench(only);
    bench.sync();
    for (const offset of [1, 2]) bench.give({ type: 'append', batch: contentBatch(offset, 1, 'a') });
    expect(bench.sync(2)).toEqual([{ type: 'high-watermark', offset: 2 }]);
    expect(bench.sync()).toEqual([{ type: 'high-watermark', offset: 3 }]);
  });
});
