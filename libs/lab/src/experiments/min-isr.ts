/** min.insync.replicas: which records are refused before they are written, and that lowering it takes effect at once. */
import type { Producer } from '@seatlog/kafka-client';
import type { Bench, Sent } from '../bench.ts';
import { valuesOf } from '../dumped-log.ts';
import type { Experiment } from '../experiment.ts';
import { type Finding, same, says } from '../finding.ts';
import type { PartitionView } from '../partition-view.ts';

const TOPIC = 'strict';
const REFUSAL = /Messages are rejected since there are fewer in-sync replicas than required\./;

interface Pair {
  readonly acksAll: Sent;
  readonly acks1: Sent;
}

export interface MinIsr {
  readonly whole: Pair;
  readonly exitCode: number | null;
  readonly shrunk: PartitionView;
  readonly below: Pair;
  readonly lowered: Pair;
  readonly log: readonly string[];
}

export const minIsr: Experiment<MinIsr> = {
  name: 'min-isr',
  title: 'min.insync.replicas=3 with a broker down',
  shows:
    'acks=all alone asks for min.insync.replicas, and what it refuses is not written. A broker that is stopped in ' +
    'order leaves the ISR at once, by the controller. The setting takes effect without a restart.',
  properties: () => ({}),
  run,
  verdict,
};

async function run(bench: Bench): Promise<MinIsr> {
  const { narrator } = bench;
  const once = { retries: 0, enableIdempotence: false };
  const all = bench.producer('all', once);
  const one = bench.producer(1, once);

  narrator.step(`topic ${TOPIC}, replicas 1,2,3, min.insync.replicas=3`);
  await bench.createTopic(TOPIC, [1, 2, 3], { 'min.insync.replicas': '3' });
  const whole = await sendPair(bench, all, one);

  narrator.step('stop broker 3 (SIGTERM, controlled shutdown)');
  const exitCode = await bench.stop(3);
  const shrunk = await bench.describe(TOPIC);
  const below = await sendPair(bench, all, one);

  narrator.step('min.insync.replicas=2');
  await bench.lowerMinIsr(TOPIC, 2);
  const lowered = await sendPair(bench, all, one);

  narrator.step("offsets on the leader's disk");
  return { whole, exitCode, shrunk, below, lowered, log: valuesOf(bench.log(1, TOPIC)) };
}

async function sendPair(bench: Bench, all: Producer, one: Producer): Promise<Pair> {
  return {
    acksAll: await bench.send(all, TOPIC, 'acks-all', 'acks=all'),
    acks1: await bench.send(one, TOPIC, 'acks-1', 'acks=1'),
  };
}

function verdict(seen: MinIsr): readonly Finding[] {
  return [
    same('R16', 'with all brokers both are written', [0, 1], offsetsOf(seen.whole)),
    same('R14', 'the stopped broker ends in order', 0, seen.exitCode),
    same('R14', 'and has left the ISR by then', [1, 2], seen.shrunk.isr),
    same('R20', 'it may still lead one day', [3], seen.shrunk.elr),
    same('R17', 'acks=all is refused, acks=1 is written', [null, 2], offsetsOf(seen.below)),
    same('R17', 'for lack of replicas', 'NOT_ENOUGH_REPLICAS', codeOf(seen.below.acksAll)),
    says('R17', "in Kafka's words", REFUSAL, [messageOf(seen.below.acksAll)]),
    same('R17', 'two are enough from now on', [3, 4], offsetsOf(seen.lowered)),
    same(
      'R17',
      'what was refused is not in the log',
      ['acks-all', 'acks-1', 'acks-1', 'acks-all', 'acks-1'],
      seen.log,
    ),
  ];
}

const offsetsOf = ({ acksAll, acks1 }: Pair): readonly (number | null)[] =>
  [acksAll, acks1].map((sent) => ('offset' in sent ? sent.offset : null));
const codeOf = (sent: Sent): string | null => ('refused' in sent ? sent.refused : null);
const messageOf = (sent: Sent): string => ('refused' in sent ? sent.message : '');
