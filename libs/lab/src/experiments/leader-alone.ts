/** What the two experiments on lost records begin with: records that the leader alone has, and its death. */
import type { Bench, Sent } from '../bench.ts';
import { valuesOf } from '../dumped-log.ts';
import { pause } from '../until.ts';

export const TOPIC = 'div';
const FOLLOWERS = [2, 3] as const;
/** Longer than a fetch that was sent before the stop may wait at the leader. */
const PARKED_FETCH_MS = 1_000;

export const OK = named('ok', 10);
export const LOST = named('lost', 5);
export const FRESH = named('new', 3);

/** An epoch file in a line: version, count, then each epoch with its start offset. */
export const FIRST_EPOCH = '0 1 0 0';
export const BOTH_EPOCHS = '0 2 0 0 1 10';

export interface LeaderAlone {
  readonly ok: readonly number[];
  readonly epochsBefore: Readonly<Record<number, string>>;
  readonly lost: readonly (number | null)[];
  readonly killedAfterMs: number;
  /** On the dead leader's disk. */
  readonly deadLog: readonly string[];
}

/** Followers stand still, the leader takes records with acks=1; after `thenWaitMs` it is killed and they go on. */
export async function leaveLeaderAlone(bench: Bench, thenWaitMs: number): Promise<LeaderAlone> {
  const { narrator } = bench;
  narrator.step(`topic ${TOPIC}, replicas 1,2,3 (leader 1), 10 records with acks=all`);
  await bench.createTopic(TOPIC, [1, 2, 3]);
  const all = bench.producer('all');
  const one = bench.producer(1);
  const ok = await bench.sendBatch(all, TOPIC, OK);
  const epochsBefore = await bench.epochs(TOPIC, { 1: FIRST_EPOCH, 2: FIRST_EPOCH, 3: FIRST_EPOCH });

  narrator.step('SIGSTOP brokers 2 and 3, 5 records with acks=1, SIGKILL the leader, SIGCONT 2 and 3');
  await connected(bench);
  const stoppedAt = performance.now();
  for (const id of FOLLOWERS) bench.stopStill(id);
  await pause(PARKED_FETCH_MS);
  const sent: Sent[] = [];
  for (const value of LOST) sent.push(await bench.send(one, TOPIC, value, 'acks=1'));
  if (thenWaitMs > 0) {
    narrator.line(`wait ${thenWaitMs} ms`);
    await pause(thenWaitMs);
    bench.said(1, 'Shrinking ISR', 'ISR updated');
  }
  await bench.kill(1);
  for (const id of FOLLOWERS) bench.goOn(id);
  const killedAfterMs = performance.now() - stoppedAt;
  narrator.line(`the leader died ${Math.round(killedAfterMs)} ms after the followers were stopped`);
  return {
    ok,
    epochsBefore,
    lost: sent.map((one) => ('offset' in one ? one.offset : null)),
    killedAfterMs,
    deadLog: valuesOf(bench.log(1, TOPIC)),
  };
}

/** The leader answers this client already: what follows must not wait for a broker that stands still. */
async function connected(bench: Bench): Promise<void> {
  await bench.highWatermark(TOPIC);
}

function named(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index + 1}`);
}
