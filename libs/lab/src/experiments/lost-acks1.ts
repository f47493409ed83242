/** Records that only the leader had when it died: acks=1 said yes to them, and they are nowhere. */
import type { Bench } from '../bench.ts';
import { logBytes, valuesOf } from '../dumped-log.ts';
import type { Experiment, Pace } from '../experiment.ts';
import { type Finding, same, says } from '../finding.ts';
import type { PartitionView } from '../partition-view.ts';
import { until } from '../until.ts';
import {
  BOTH_EPOCHS,
  FIRST_EPOCH,
  FRESH,
  type LeaderAlone,
  leaveLeaderAlone,
  LOST,
  OK,
  TOPIC,
} from './leader-alone.ts';

const LAG_MS = 10_000;
const SESSION_MS = 9_000;
const RESTART_CATCHES_UP_MS = 30_000;

export interface LostAcks1 extends LeaderAlone {
  readonly elected: PartitionView;
  readonly fresh: readonly number[];
  readonly epochsAfterElection: Readonly<Record<number, string>>;
  readonly oldLeaderSaid: readonly string[];
  readonly whole: PartitionView;
  readonly oldLeaderLog: readonly string[];
  readonly logsAreEqual: boolean;
  readonly epochsAtTheEnd: Readonly<Record<number, string>>;
  readonly consumed: readonly string[];
}

export const lostAcks1: Experiment<LostAcks1> = {
  name: 'lost-acks1',
  title: 'Records with acks=1 that go with their leader',
  shows:
    'acks=1 promises the log of a leader and no more. The next leader begins a new epoch where its own log ends; the old ' +
    'one, back again, cuts off what it alone had.',
  properties: (pace) => ({
    // Never under the second for which the followers stand still before anything is written.
    'replica.lag.time.max.ms': String(Math.max(pace.ms(LAG_MS), 5_000)),
    'broker.session.timeout.ms': String(pace.ms(SESSION_MS)),
    'broker.heartbeat.interval.ms': String(Math.min(2_000, pace.ms(2_000))),
  }),
  run,
  verdict,
};

async function run(bench: Bench): Promise<LostAcks1> {
  const { narrator } = bench;
  const alone = await leaveLeaderAlone(bench, 0);

  narrator.step('wait for a new leader, then 3 records with acks=all');
  await bench.untilView(TOPIC, 'a new leader', ({ leader }) => leader === 2);
  const elected = await bench.describe(TOPIC);
  const fresh = await bench.sendBatch(bench.producer('all'), TOPIC, FRESH);
  bench.log(2, TOPIC);
  const epochsAfterElection = await bench.epochs(TOPIC, {
    1: FIRST_EPOCH,
    2: BOTH_EPOCHS,
    3: BOTH_EPOCHS,
  });

  narrator.step('restart broker 1');
  await bench.restart(1);
  await bench.untilView(TOPIC, 'broker 1 in the ISR', ({ isr }) => isr.length === 3);
  const whole = await bench.describe(TOPIC);
  const oldLeaderSaid = bench.said(1, 'Truncating');
  const logsAreEqual = await until(
    'the same log',
    RESTART_CATCHES_UP_MS,
    () => equalLogs(bench) || null,
  ).catch(() => false);
  const oldLeaderLog = valuesOf(bench.log(1, TOPIC));
  const epochsAtTheEnd = await bench.epochs(TOPIC, { 1: BOTH_EPOCHS, 2: BOTH_EPOCHS, 3: BOTH_EPOCHS });

  narrator.step('what a consumer sees');
  const consumed = await bench.consume(TOPIC, OK.length + FRESH.length);
  return {
    ...{ ...alone, elected, fresh, epochsAfterElection, oldLeaderSaid, whole, oldLeaderLog, logsAreEqual },
    ...{ epochsAtTheEnd, consumed },
  };
}

/** To the byte, on all three disks. */
function equalLogs(bench: Bench): boolean {
  const [first, ...others] = [1, 2, 3].map((id) => logBytes(bench.node(id).partitionFolder(TOPIC, 0)));
  return first !== undefined && others.every((bytes) => bytes.equals(first));
}

function verdict(seen: LostAcks1, _pace: Pace): readonly Finding[] {
  const [first, second] = [FIRST_EPOCH, BOTH_EPOCHS];
  return [
    same('R16', 'ten records with acks=all', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], seen.ok),
    same(
      'R21',
      'one epoch, from offset 0 on, everywhere',
      { 1: first, 2: first, 3: first },
      seen.epochsBefore,
    ),
    same('R16', 'five records with acks=1, all answered', [10, 11, 12, 13, 14], seen.lost),
    same('R16', "all of them on the dead leader's disk", [...OK, ...LOST], seen.deadLog),
    same('R20', 'the next of the ISR leads', 2, seen.elected.leader),
    same('R14', 'the dead one has left the ISR', [2, 3], seen.elected.isr),
    same('R20', 'in a new leader epoch', 1, seen.elected.leaderEpoch),
    same('R16', 'new records take the offsets of the lost ones', [10, 11, 12], seen.fresh),
    same(
      'R21',
      'the new epoch begins at offset 10',
      { 1: first, 2: second, 3: second },
      seen.epochsAfterElection,
    ),
    says(
      'R24',
      'the old leader cuts its log where the paths part',
      /Truncating partition div-0 to offset 10\b/,
      seen.oldLeaderSaid,
    ),
    same('R12', 'and comes back into the ISR', [1, 2, 3], seen.whole.isr),
    same('R3', 'its log is that of the others', [...OK, ...FRESH], seen.oldLeaderLog),
    same('R3', 'to the byte', true, seen.logsAreEqual),
    same('R24', 'and so is its epoch file', { 1: second, 2: second, 3: second }, seen.epochsAtTheEnd),
    same('R5', 'a consumer finds no trace of what was lost', [...OK, ...FRESH], seen.consumed),
  ];
}
