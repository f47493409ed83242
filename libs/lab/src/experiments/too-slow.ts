/** The same, but the leader lives until it is alone in the ISR: nobody else may lead, so nothing is lost, and nothing served. */
import type { Bench } from '../bench.ts';
import type { Experiment, Pace } from '../experiment.ts';
import { type Finding, same } from '../finding.ts';
import type { PartitionView } from '../partition-view.ts';
import { type LeaderAlone, leaveLeaderAlone, LOST, OK, TOPIC } from './leader-alone.ts';

const LAG_MS = 10_000;
const SESSION_MS = 9_000;
/** Lag, the time until it is looked at, and a second more. */
const PAST_THE_LAG_MS = 16_000;

export interface TooSlow extends LeaderAlone {
  readonly leaderless: PartitionView;
  readonly back: PartitionView;
  readonly consumed: readonly string[];
}

export const tooSlow: Experiment<TooSlow> = {
  name: 'too-slow',
  title: 'The same, too slow: the ISR is the leader alone when it dies',
  shows:
    'Only who was in sync may lead. With the last of them dead there is no leader, and its records are safe on its ' +
    'disk until it comes back.',
  properties: (pace) => ({
    'replica.lag.time.max.ms': String(pace.ms(LAG_MS)),
    'broker.session.timeout.ms': String(pace.ms(SESSION_MS)),
    'broker.heartbeat.interval.ms': String(Math.min(2_000, pace.ms(2_000))),
  }),
  run,
  verdict,
};

async function run(bench: Bench, pace: Pace): Promise<TooSlow> {
  const { narrator } = bench;
  const alone = await leaveLeaderAlone(bench, pace.ms(PAST_THE_LAG_MS) + 1_000);

  narrator.step('wait until the dead leader is fenced');
  await bench.untilView(TOPIC, 'no leader', ({ leader }) => leader === null);
  const leaderless = await bench.describe(TOPIC);

  narrator.step('restart broker 1');
  await bench.restart(1);
  await bench.untilView(
    TOPIC,
    'broker 1 leads, all in sync',
    (view) => view.leader === 1 && view.isr.length === 3,
  );
  const back = await bench.describe(TOPIC);

  narrator.step('what a consumer sees');
  return { ...alone, leaderless, back, consumed: await bench.consume(TOPIC, OK.length + LOST.length) };
}

function verdict(seen: TooSlow, _pace: Pace): readonly Finding[] {
  return [
    same('R16', 'five records with acks=1, all answered', [10, 11, 12, 13, 14], seen.lost),
    same('R16', "all of them on the dead leader's disk", [...OK, ...LOST], seen.deadLog),
    same('R20', 'nobody leads', null, seen.leaderless.leader),
    same('R20', 'nobody is in sync', [], seen.leaderless.isr),
    same('R20', 'the dead leader may lead again', [1], seen.leaderless.elr),
    same('R20', 'which it does', 1, seen.back.leader),
    same('R12', 'the others come back into the ISR', [1, 2, 3], seen.back.isr),
    same('R5', 'and nothing is lost', [...OK, ...LOST], seen.consumed),
  ];
}
