/**
 * Stories of a cluster as text: a command, dashes, what came of it.
 *
 *     begin lag=5000 session=30000      produce all ok 10        stop 3 / continue 3 / kill 1 / terminate 3 / start 1
 *     configure 2                       expect-answers           wait 12000
 *     describe   watermarks   epochs   checkpoints   fetchers   consume   dump 1   log 1   counts 1
 *
 * `produce <acks> <word> <count>` sends one record after another, a second apart at most, and prints what was answered
 * within that second; `answers` waits for those that are still out.
 */
import { errorByCode } from '@seatlog/kafka-protocol';
import { type Produced, SimulatedCluster } from './simulated-cluster.ts';
import type { SimulatedBroker } from './simulated-broker.ts';

const ANSWER_WITHIN_MS = 1000;
const LONGEST_WAIT_MS = 60_000;

export class Transcript {
  #cluster = new SimulatedCluster();
  #unanswered: Produced[] = [];
  #linesSeen = new Map<number, number>();
  #stoppedAtMs = 0;

  /** The text again, with what each command gives now. */
  static run(text: string): string {
    const transcript = new Transcript();
    const blocks = text.trim().split(/\n\n+/);
    return `${blocks.map((block) => transcript.#play(block)).join('\n\n')}\n`;
  }

  #play(block: string): string {
    const lines = block.split('\n');
    const divider = lines.indexOf('----');
    const given = divider < 0 ? lines : lines.slice(0, divider);
    const commands = given.filter((line) => !line.startsWith('#'));
    if (commands.length === 0) return block;
    const output = commands.flatMap((command) => this.#command(command));
    return [...given, '----', ...output].join('\n');
  }

  #command(line: string): readonly string[] {
    const [name = '', ...words] = line.split(' ');
    const about = words.map(Number);
    switch (name) {
      case 'begin':
        return this.#begin(words);
      case 'produce':
        return this.#produce(words);
      case 'answers':
        return this.#answers();
      case 'wait':
        this.#cluster.clock.advance(about[0] ?? 0);
        return [];
      case 'configure':
        this.#cluster.controller.configure(about[0] ?? 1);
        return [];
      case 'stop':
        this.#stoppedAtMs = this.#cluster.clock.monotonic();
        return this.#signal(about, (broker) => broker.process.stop());
      case 'continue':
        return this.#signal(about, (broker) => broker.process.continue());
      case 'kill':
        return this.#signal(about, (broker) => broker.kill());
      case 'terminate':
        return this.#signal(about, (broker) => broker.terminate());
      case 'start':
        return this.#signal(about, (broker) => broker.start());
      default:
        return this.#show(name, about);
    }
  }

  #begin(words: readonly string[]): readonly string[] {
    const given = new Map(words.map((word) => word.split('=') as [string, string]));
    const number = (name: string, otherwise: number): number => Number(given.get(name) ?? otherwise);
    this.#cluster = new SimulatedCluster({
      topic: given.get('topic') ?? 'demo',
      replicaLagTimeMaxMs: number('lag', 30_000),
      sessionTimeoutMs: number('session', 9000),
      minInsyncReplicas: number('min-isr', 1),
    });
    this.#cluster.begin();
    return this.#describe();
  }

  #signal(ids: readonly number[], send: (broker: SimulatedBroker) => void): readonly string[] {
    for (const id of ids) send(this.#cluster.brokerOf(id));
    return [];
  }

  #produce([acks = '', word = '', count]: readonly string[]): readonly string[] {
    const output: string[] = [];
    const total = Number(count ?? 1);
    for (let number = 1; number <= total; number++) {
      const name = count === undefined ? word : `${word}-${number}`;
      const produced = this.#cluster.produce(acks === 'all' ? -1 : Number(acks), [name]);
      for (let passed = 0; passed < ANSWER_WITHIN_MS && produced.outcome === undefined; passed++) {
        this.#cluster.clock.advance(1);
      }
      if (produced.outcome === undefined) this.#unanswered.push(produced);
      output.push(told(produced));
    }
    return output;
  }

  #answers(): readonly string[] {
    const { clock } = this.#cluster;
    for (let passed = 0; passed < LONGEST_WAIT_MS; passed += 1) {
      if (this.#unanswered.every((produced) => produced.outcome !== undefined)) break;
      clock.advance(1);
    }
    return this.#unanswered
      .splice(0)
      .map((produced) => `${told(produced)}, ${produced.answeredAtMs - this.#stoppedAtMs} ms after the stop`);
  }

  #show(name: string, [id = 0]: readonly number[]): readonly string[] {
    const { brokers } = this.#cluster;
    switch (name) {
      case 'describe':
        return this.#describe();
      case 'watermarks':
        return brokers.map(({ id, log, isLeading }) => {
          const role = isLeading ? 'leads' : 'follows';
          return `broker ${id} ${role}: HW ${log.highWatermark}, LEO ${log.logEndOffset}`;
        });
      case 'epochs':
        return brokers.map(({ id, log }) => `broker ${id}: ${log.epochCheckpoint}`);
      case 'checkpoints':
        return brokers.map(
          (it) => `broker ${it.id}: ${this.#cluster.settings.topic} 0 ${it.checkpointedHighWatermark}`,
        );
      case 'fetchers':
        return brokers.map(({ id, fetchers }) => {
          const names = Array.from(fetchers.fetchers, (fetcher) => fetcher.identity.name);
          return `broker ${id}: ${names.join(' ') || 'none'}`;
        });
      case 'consume':
        return [this.#cluster.consume().join(' ')];
      case 'dump':
        return this.#cluster.brokerOf(id).log.batches.map(({ baseOffset, lastOffset, leaderEpoch }) => {
          const words = this.#cluster.brokerOf(id).log.words(baseOffset, lastOffset + 1);
          return `offset ${baseOffset} epoch ${leaderEpoch}: ${words.join(' ')}`;
        });
      case 'log': {
        const { lines } = this.#cluster.brokerOf(id);
        const unseen = lines.slice(this.#linesSeen.get(id) ?? 0);
        this.#linesSeen.set(id, lines.length);
        return unseen;
      }
      case 'counts':
        return Array.from(this.#cluster.brokerOf(id).counted, ([metric, count]) => `${metric} ${count}`);
      default:
        throw new Error(`"${name}" is no command`);
    }
  }

  #describe(): readonly string[] {
    const { partition } = this.#cluster.controller.image;
    const { leader, leaderEpoch, partitionEpoch, replicas, isr, elr } = partition;
    return [
      `leader ${leader === -1 ? 'none' : leader} epoch ${leaderEpoch} version ${partitionEpoch} ` +
        `replicas ${replicas.join(',')} isr ${isr.join(',') || '-'} elr ${elr.join(',') || '-'}`,
    ];
  }
}

function told({ words, acks, outcome }: Produced): string {
  const asked = `${words.join(' ')} (acks=${acks === -1 ? 'all' : acks})`;
  if (outcome === undefined) return `${asked} waits`;
  const { errorCode, baseOffset } = outcome;
  return errorCode === 0 ? `${asked} at offset ${baseOffset}` : `${asked} ${errorByCode(errorCode).name}`;
}
