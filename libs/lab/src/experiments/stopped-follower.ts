/** A follower that stands still: when it leaves the ISR, what the high watermark does, and what acks=all waits for. */
import type { Bench, Sent } from '../bench.ts';
import type { Experiment, Pace } from '../experiment.ts';
import { between, type Finding, same, says } from '../finding.ts';
import type { PartitionView } from '../partition-view.ts';
import { pause } from '../until.ts';

const TOPIC = 'rep';
const FOLLOWER = 3;
const LAG_MS = 5_000;
const IDLE_MS = 12_000;
/** Up to which the last catching up may lie before the stop: `replica.fetch.wait.max.ms`. */
const FETCH_WAIT_MS = 500;
/** Of a busy machine. */
const SLACK_MS = 10_000;

export interface StoppedFollower {
  readonly fetchers: Readonly<Record<number, readonly string[]>>;
  readonly first: readonly number[];
  readonly afterIdleTime: PartitionView;
  readonly warmUp: readonly (number | null)[];
  readonly highWatermarkBefore: number;
  readonly acks1: readonly Sent[];
  readonly highWatermarkMeanwhile: number;
  readonly acksAll: Sent;
  /** From the stop to the answer. */
  readonly acksAllAfterMs: number;
  readonly highWatermarkAfter: number;
  readonly afterShrink: PartitionView;
  readonly leaderSaid: readonly string[];
  readonly back: PartitionView;
  readonly leaderSaidThen: readonly string[];
  readonly checkpoints: Readonly<Record<number, number | null>>;
}

export const stoppedFollower: Experiment<StoppedFollower> = {
  name: 'stopped-follower',
  title: 'A stopped follower, the ISR, the high watermark and acks=all',
  shows:
    'Only time puts a follower out of the ISR, and only where it lags. Until the controller confirms that it is out, the ' +
    'high watermark stands still and acks=all waits; then both go on at once.',
  properties: (pace) => ({
    'replica.lag.time.max.ms': String(pace.ms(LAG_MS)),
    'broker.session.timeout.ms': '30000',
    'replica.high.watermark.checkpoint.interval.ms': '1000',
  }),
  run,
  verdict,
};

async function run(bench: Bench, pace: Pace): Promise<StoppedFollower> {
  const { narrator } = bench;
  narrator.step(`topic ${TOPIC}, replicas 1,2,3 (leader 1), and who fetches from whom`);
  await bench.createTopic(TOPIC, [1, 2, 3]);
  const fetchers = { 1: await bench.fetchers(1), 2: await bench.fetchers(2), 3: await bench.fetchers(3) };

  narrator.step('write 10 records with acks=all');
  const all = bench.producer('all');
  const one = bench.producer(1);
  const first = await bench.sendBatch(all, TOPIC, names('record', 10));

  narrator.step(`SIGSTOP broker ${FOLLOWER}, no new records, wait ${pace.ms(IDLE_MS)} ms`);
  bench.stopStill(FOLLOWER);
  await pause(pace.ms(IDLE_MS));
  const afterIdleTime = await bench.describe(TOPIC);
  bench.goOn(FOLLOWER);

  narrator.step(`warm up, SIGSTOP broker ${FOLLOWER} again, then produce`);
  const warmUp = [
    offsetOf(await bench.send(one, TOPIC, 'warmup-acks1', 'acks=1')),
    offsetOf(await bench.send(all, TOPIC, 'warmup-acksall', 'acks=all')),
  ];
  const highWatermarkBefore = await bench.highWatermark(TOPIC);
  const stoppedAt = bench.stopStill(FOLLOWER);
  const acks1: Sent[] = [];
  for (const name of names('acks1', 5)) acks1.push(await bench.send(one, TOPIC, name, 'acks=1'));
  const highWatermarkMeanwhile = await bench.highWatermark(TOPIC);
  const acksAll = await bench.send(all, TOPIC, 'acksall-1', 'acks=all');
  const acksAllAfterMs = performance.now() - stoppedAt;
  narrator.line(`that is ${Math.round(acksAllAfterMs)} ms after the stop`);
  const highWatermarkAfter = await bench.highWatermark(TOPIC);
  const afterShrink = await bench.describe(TOPIC);
  const leaderSaid = bench.said(1, 'Shrinking ISR', 'ISR updated');

  narrator.step(`SIGCONT broker ${FOLLOWER}`);
  bench.goOn(FOLLOWER);
  await bench.untilView(TOPIC, 'the follower is back', ({ isr }) => isr.length === 3);
  const back = await bench.describe(TOPIC);
  const leaderSaidThen = bench.said(1, 'ISR updated');

  narrator.step('high watermarks on disk');
  const checkpoints = await bench.checkpoints(TOPIC, 18);
  return {
    ...{
      fetchers,
      first,
      afterIdleTime,
      warmUp,
      highWatermarkBefore,
      acks1,
      highWatermarkMeanwhile,
      acksAll,
    },
    ...{ acksAllAfterMs, highWatermarkAfter, afterShrink, leaderSaid, back, leaderSaidThen, checkpoints },
  };
}

function verdict(seen: StoppedFollower, pace: Pace): readonly Finding[] {
  const fetcher = 'ReplicaFetcherThread-0-1';
  const answered = seen.acks1.map((sent) => ('tookMs' in sent ? sent.tookMs : Number.POSITIVE_INFINITY));
  const lag = pace.ms(LAG_MS);
  return [
    same(
      'R1',
      'the followers have a fetcher each, the leader none',
      { 1: [], 2: [fetcher], 3: [fetcher] },
      seen.fetchers,
    ),
    same('R16', 'ten records with acks=all', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], seen.first),
    same('R11', 'without new records a stopped follower stays in the ISR', [1, 2, 3], seen.afterIdleTime.isr),
    same('R20', 'and nothing has changed in the partition', 0, seen.afterIdleTime.partitionEpoch),
    same('R16', 'two records to warm up', [10, 11], seen.warmUp),
    same('R7', 'the high watermark before the stop', 12, seen.highWatermarkBefore),
    same('R16', 'five records with acks=1', [12, 13, 14, 15, 16], seen.acks1.map(offsetOf)),
    between(
      'R16',
      'the slowest of them was answered without waiting for the follower',
      [0, lag - FETCH_WAIT_MS],
      Math.max(...answered),
    ),
    same('R7', 'which nobody sees: the high watermark stands still', 12, seen.highWatermarkMeanwhile),
    same('R18', 'one record with acks=all', 17, offsetOf(seen.acksAll)),
    between(
      'R11',
      'which was answered once the follower had lagged for too long',
      // A busy follower may have caught up a good while before it was stopped.
      [lag / 4, lag * 1.5 + SLACK_MS],
      seen.acksAllAfterMs,
    ),
    same('R8', 'and the high watermark jumps', 18, seen.highWatermarkAfter),
    same('R15', 'the ISR without it', [1, 2], seen.afterShrink.isr),
    same('R13', 'one change of the partition', 1, seen.afterShrink.partitionEpoch),
    says(
      'R30',
      'the leader says that it shrinks',
      /Shrinking ISR from [123,]+ to 1,2\. Leader: \(highWatermark: 12, endOffset: 18\)\. Out of sync replicas: \(brokerId: 3, endOffset: 12, lastCaughtUpTimeMs: \d+\)\./,
      seen.leaderSaid,
    ),
    says('R30', 'and that it has', /ISR updated to 1,2\s+and version updated to 1/, seen.leaderSaid),
    same('R12', 'the follower comes back into the ISR', [1, 2, 3], seen.back.isr),
    same('R13', 'by a second change', 2, seen.back.partitionEpoch),
    says(
      'R30',
      'which the leader tells',
      /ISR updated to [123,]+\s+and version updated to 2/,
      seen.leaderSaidThen,
    ),
    same('R9', 'all three have the high watermark on disk', { 1: 18, 2: 18, 3: 18 }, seen.checkpoints),
  ];
}

const names = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index + 1}`);

const offsetOf = (sent: Sent): number | null => ('offset' in sent ? sent.offset : null);
