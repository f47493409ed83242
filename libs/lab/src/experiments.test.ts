// Verdicts on made-up observations: what the article shows holds, and each deviation from it does not.
import { describe, expect, it } from 'vitest';
import { paceOf } from './experiment.ts';
import type { LostAcks1 } from './experiments/lost-acks1.ts';
import { lostAcks1 } from './experiments/lost-acks1.ts';
import { type MinIsr, minIsr } from './experiments/min-isr.ts';
import { type StoppedFollower, stoppedFollower } from './experiments/stopped-follower.ts';
import { type TooSlow, tooSlow } from './experiments/too-slow.ts';
import type { Finding } from './finding.ts';
import type { PartitionView } from './partition-view.ts';

const pace = paceOf(1);
const whole: PartitionView = {
  leader: 1,
  leaderEpoch: 0,
  partitionEpoch: 0,
  replicas: [1, 2, 3],
  isr: [1, 2, 3],
  elr: [],
  lastKnownElr: [],
};
const numbered = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index + 1}`);
const at = (offset: number) => ({ offset, tookMs: 10 });
const refused = (message: string) => ({ refused: 'NOT_ENOUGH_REPLICAS', message });
const broken = (findings: readonly Finding[]): readonly string[] =>
  findings.filter(({ held }) => !held).map(({ statement }) => statement);

describe('the verdict on a stopped follower', () => {
  const shown: StoppedFollower = {
    fetchers: { 1: [], 2: ['ReplicaFetcherThread-0-1'], 3: ['ReplicaFetcherThread-0-1'] },
    first: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    afterIdleTime: whole,
    warmUp: [10, 11],
    highWatermarkBefore: 12,
    acks1: [12, 13, 14, 15, 16].map(at),
    highWatermarkMeanwhile: 12,
    acksAll: at(17),
    acksAllAfterMs: 5126,
    highWatermarkAfter: 18,
    afterShrink: { ...whole, isr: [1, 2], partitionEpoch: 1 },
    leaderSaid: [
      'Shrinking ISR from 2,1,3 to 1,2. Leader: (highWatermark: 12, endOffset: 18). Out of sync replicas: (brokerId: 3, endOffset: 12, lastCaughtUpTimeMs: 1794027649149).',
      'ISR updated to 1,2  and version updated to 1',
    ],
    back: { ...whole, partitionEpoch: 2 },
    leaderSaidThen: ['ISR updated to 2,1,3  and version updated to 2'],
    checkpoints: { 1: 18, 2: 18, 3: 18 },
  };

  it('holds for the article’s figures', () => {
    expect(broken(stoppedFollower.verdict(shown, pace))).toEqual([]);
  });

  it.each<[string, Partial<StoppedFollower>, number]>([
    ['R11: an idle follower leaves', { afterIdleTime: { ...whole, isr: [1, 2] } }, 1],
    ['R7: unreplicated records are seen', { highWatermarkMeanwhile: 17 }, 1],
    ['R18: acks=all does not wait', { acksAllAfterMs: 20 }, 1],
    ['R8: the high watermark stays', { highWatermarkAfter: 12 }, 1],
    ['R9: a checkpoint is behind', { checkpoints: { 1: 18, 2: 18, 3: 12 } }, 1],
    ['R30: the leader is silent', { leaderSaid: [] }, 2],
  ])('%s', (_what, change, failures) => {
    expect(broken(stoppedFollower.verdict({ ...shown, ...change }, pace))).toHaveLength(failures);
  });
});

describe('the verdict on min.insync.replicas', () => {
  const words = 'Messages are rejected since there are fewer in-sync replicas than required.';
  const shown: MinIsr = {
    whole: { acksAll: at(0), acks1: at(1) },
    exitCode: 0,
    shrunk: { ...whole, isr: [1, 2], elr: [3] },
    below: { acksAll: refused(words), acks1: at(2) },
    lowered: { acksAll: at(3), acks1: at(4) },
    log: ['acks-all', 'acks-1', 'acks-1', 'acks-all', 'acks-1'],
  };

  it('holds for the article’s figures', () => {
    expect(broken(minIsr.verdict(shown, pace))).toEqual([]);
  });

  it('R17: fails when the refused record was written', () => {
    const lowered = { acksAll: at(4), acks1: at(5) };
    const log = ['acks-all', 'acks-1', 'acks-all', 'acks-1', 'acks-all', 'acks-1'];
    expect(broken(minIsr.verdict({ ...shown, lowered, log }, pace))).toHaveLength(2);
  });
});

describe('the verdict on lost records', () => {
  const epochs = { 1: '0 1 0 0', 2: '0 1 0 0', 3: '0 1 0 0' };
  const [ok, lost, fresh] = [numbered('ok', 10), numbered('lost', 5), numbered('new', 3)];
  const alone = {
    ok: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    epochsBefore: epochs,
    lost: [10, 11, 12, 13, 14],
    killedAfterMs: 1171,
    deadLog: [...ok, ...lost],
  };
  const second = '0 2 0 0 1 10';
  const shown: LostAcks1 = {
    ...alone,
    elected: { ...whole, leader: 2, leaderEpoch: 1, isr: [2, 3] },
    fresh: [10, 11, 12],
    epochsAfterElection: { 1: '0 1 0 0', 2: second, 3: second },
    oldLeaderSaid: ['Truncating partition div-0 to offset 10 due to leader epoch and offset'],
    whole,
    oldLeaderLog: [...ok, ...fresh],
    logsAreEqual: true,
    epochsAtTheEnd: { 1: second, 2: second, 3: second },
    consumed: [...ok, ...fresh],
  };

  it('holds for the article’s figures', () => {
    expect(broken(lostAcks1.verdict(shown, pace))).toEqual([]);
  });

  it('R24: fails when the old leader keeps what it alone had', () => {
    const change = { oldLeaderLog: [...ok, ...lost], logsAreEqual: false, oldLeaderSaid: [] };
    expect(broken(lostAcks1.verdict({ ...shown, ...change }, pace))).toHaveLength(3);
  });

  const kept: TooSlow = {
    ...alone,
    leaderless: { ...whole, leader: null, isr: [], elr: [1] },
    back: whole,
    consumed: [...ok, ...lost],
  };

  it('holds when nobody else may lead and nothing is lost', () => {
    expect(broken(tooSlow.verdict(kept, pace))).toEqual([]);
  });

  it('R20: fails when somebody else leads', () => {
    const leaderless = { ...whole, leader: 2, isr: [2] };
    expect(broken(tooSlow.verdict({ ...kept, leaderless, consumed: ok }, pace))).toHaveLength(4);
  });
});
