/** A drill: a cluster, load, one fault after another, then rest, and a judgement on everything that was recorded. */
import { type Anomaly, checkHistory, HistoryRecorder } from '@seatlog/history';
import { createClient } from '@seatlog/kafka-client';
import { pause, until } from '@seatlog/lab';
import type { ClusterNode } from '@seatlog/local-stack';
import { DrillCluster, TOPIC } from './drill-cluster.ts';
import type { DrillSettings } from './drill-settings.ts';
import { type DeathKind, FailoverWatch, type Spread, spreadOf } from './failover-watch.ts';
import { FaultInjection } from './fault-injection.ts';
import { type FaultKind, FaultPlan } from './fault-plan.ts';
import { judgeEndState } from './end-state.ts';
import { Readers } from './readers.ts';
import { Writers } from './writers.ts';

export interface DrillReport {
  readonly ok: boolean;
  readonly seed: number;
  readonly brokers: number;
  readonly seconds: number;
  readonly faults: Partial<Record<FaultKind, number>>;
  /** Records sent and records read. */
  readonly operations: number;
  readonly acked: number;
  readonly failed: number;
  readonly unknown: number;
  readonly polled: number;
  readonly anomalyCount: number;
  /** The first of them. */
  readonly anomalies: readonly Anomaly[];
  readonly complaints: readonly string[];
  readonly sessionTimeoutMs: number;
  /** From the death of a leader to the next acknowledged record of its partition that was sent after it, by what else died. */
  readonly failoverMs: Readonly<Record<DeathKind, Spread>>;
  /** From the end of a fault (all nodes run) until every ISR is whole. */
  readonly isrWholeMs: Spread;
  readonly refusals: Readonly<Record<string, number>>;
  readonly consumerFailures: Readonly<Record<string, number>>;
}

export interface DrillOutcome {
  readonly report: DrillReport;
  readonly recorder: HistoryRecorder;
}

export interface DrillCompany {
  readonly say: (line: string) => void;
  /** Whoever wants to do a dead node harm, to see that it is noticed. */
  readonly whileDead?: (node: ClusterNode) => void;
}

const CLIENT_IDS = ['drill-producer-1', 'drill-producer-2', 'drill-producer-3'] as const;
/** As many records may wait as come in so many seconds. */
const CALM_SECONDS = 0.25;
const CALM_WITHIN_MS = 60_000;
const PROGRESS_MS = 5_000;
const MOST_LISTED = 20;

export async function runDrill(
  settings: DrillSettings,
  dataDirectory: string,
  company: DrillCompany,
): Promise<DrillOutcome> {
  await using cluster = await DrillCluster.start(dataDirectory, settings);
  // Awaited here: the cluster is stopped when this function returns.
  return await new Drill(settings, cluster, company).run();
}

class Drill {
  readonly #settings: DrillSettings;
  readonly #cluster: DrillCluster;
  readonly #began = performance.now();
  readonly #say: (line: string) => void;
  readonly #whileDead: DrillCompany['whileDead'];
  readonly #recorder = new HistoryRecorder();
  readonly #watch = new FailoverWatch();
  readonly #wholeMs: number[] = [];
  readonly #faults: Partial<Record<FaultKind, number>> = {};
  readonly #complaints: string[] = [];

  constructor(settings: DrillSettings, cluster: DrillCluster, { say, whileDead }: DrillCompany) {
    this.#settings = settings;
    this.#cluster = cluster;
    this.#whileDead = whileDead;
    this.#say = (line) => say(`${this.#seconds().toFixed(1).padStart(7)} s  ${line}`);
  }

  async run(): Promise<DrillOutcome> {
    const { brokers, partitions, rate } = this.#settings;
    await this.#createTopic();
    const bootstrap = this.#cluster.cluster.bootstrap;
    const readers = new Readers({ brokers: bootstrap, partitions, recorder: this.#recorder });
    for (const name of ['drill-member-1', 'drill-member-2']) readers.startMember(name);
    readers.startAlone('drill-alone');
    const writers = new Writers({
      brokers: bootstrap,
      clientIds: CLIENT_IDS,
      partitions,
      rate,
      recorder: this.#recorder,
      onAcked: (partition, beganAt) => this.#acked(partition, beganAt),
    });
    const progress = setInterval(() => this.#tellProgress(writers, readers), PROGRESS_MS);
    try {
      await this.#bringFaultsAbout(writers);
      this.#say('no more faults; waiting for what is under way');
      await writers.finish();
      const { complaints, read } = await judgeEndState(this.#cluster, readers, this.#recorder, partitions);
      this.#complaints.push(...complaints);
      readers.polled += read;
    } catch (error) {
      // A cluster that does not come back has a history all the same.
      this.#complain(error instanceof Error ? error.message : String(error));
    } finally {
      clearInterval(progress);
      await writers.finish();
      await readers.stop();
    }
    this.#complaints.push(...readers.complaints);
    this.#say(`checking a history of ${this.#recorder.length} entries on ${brokers} broker(s)`);
    return { report: this.#report(writers, readers), recorder: this.#recorder };
  }

  #acked(partition: number, beganAt: number): void {
    const latencyMs = this.#watch.acked(partition, beganAt, performance.now());
    if (latencyMs === null) return;
    this.#say(`partition ${partition} is written to again ${latencyMs.toFixed(0)} ms after its leader died`);
  }

  #complain(sentence: string): void {
    this.#complaints.push(sentence);
    this.#say(`  ✗ ${sentence}`);
  }

  async #createTopic(): Promise<void> {
    const { brokers, partitions } = this.#settings;
    await using client = createClient({ brokers: this.#cluster.cluster.bootstrap, clientId: 'drill-set-up' });
    await client.admin().createTopics([{ name: TOPIC, partitions, replicationFactor: brokers }]);
    await this.#cluster.untilWhole();
  }

  async #bringFaultsAbout(writers: Writers): Promise<void> {
    const { seed, faults, sessionTimeoutMs, mostCalmMs } = this.#settings;
    const plan = new FaultPlan(seed, faults);
    const injection = new FaultInjection(this.#cluster, sessionTimeoutMs, CLIENT_IDS, {
      say: (line) => this.#say(line),
      complain: (sentence) => this.#complain(sentence),
      whileDead: this.#whileDead,
      leaderDies: (partitions, kind) => this.#watch.leaderDied(partitions, kind, performance.now()),
    });
    for (let done = 0; !this.#isOver(done); done += 1) {
      const fault = plan.next();
      await pause(fault.calm * mostCalmMs);
      this.#say(`fault ${done + 1}: ${fault.kind}`);
      await injection.bringAbout(fault);
      this.#faults[fault.kind] = (this.#faults[fault.kind] ?? 0) + 1;
      const wholeMs = await this.#cluster.untilWhole();
      this.#wholeMs.push(wholeMs);
      this.#say(`every ISR is whole after ${Math.round(wholeMs)} ms`);
      await this.#untilCalm(writers);
      this.#lookForFallen();
    }
  }

  /** Every partition has taken records since its leader died, and what was held up is through: each fault has its own figures. */
  async #untilCalm(writers: Writers): Promise<void> {
    const most = this.#settings.rate * CALM_SECONDS;
    const isCalm = (): boolean => this.#watch.waiting.length === 0 && writers.waiting <= most;
    await until('calm', CALM_WITHIN_MS, () => isCalm() || null).catch((error: unknown) =>
      this.#complain(`${String(error)}: ${writers.waiting} records wait for an answer`),
    );
  }

  #isOver(done: number): boolean {
    const { end } = this.#settings;
    return 'rounds' in end ? done >= end.rounds : this.#seconds() >= end.seconds;
  }

  #lookForFallen(): void {
    for (const { name, process } of this.#cluster.fallen()) {
      throw new Error(`${name} has ended by itself. Its last lines:\n${process.logTail()}`);
    }
  }

  #tellProgress(writers: Writers, readers: Readers): void {
    const { acked, failed, unknown } = writers.counts;
    const { waiting } = writers;
    this.#say(
      `sent ${writers.sent}: ${acked} acked, ${waiting} waiting, ${failed + unknown} failed; read ${readers.polled}`,
    );
  }

  #report(writers: Writers, readers: Readers): DrillReport {
    const { seed, brokers, sessionTimeoutMs } = this.#settings;
    const anomalies = checkHistory(this.#recorder.history);
    const unserved = this.#watch.waiting.map(
      (partition) => `${TOPIC}-${partition} took no record after its leader died`,
    );
    const complaints = [...this.#complaints, ...unserved];
    return {
      ok: anomalies.length === 0 && complaints.length === 0 && writers.counts.acked > 0,
      seed,
      brokers,
      seconds: Math.round(this.#seconds()),
      faults: this.#faults,
      operations: writers.sent + readers.polled,
      ...writers.counts,
      polled: readers.polled,
      anomalyCount: anomalies.length,
      anomalies: anomalies.slice(0, MOST_LISTED),
      complaints: complaints.slice(0, MOST_LISTED),
      sessionTimeoutMs,
      failoverMs: this.#failovers(),
      isrWholeMs: spreadOf(this.#wholeMs),
      refusals: Object.fromEntries(writers.refusals),
      consumerFailures: Object.fromEntries(readers.failures),
    };
  }

  #failovers(): Record<DeathKind, Spread> {
    const of = (kind: DeathKind): Spread => spreadOf(this.#watch.latenciesMs(kind));
    return { leader: of('leader'), controller: of('controller'), others: of('others') };
  }

  #seconds(): number {
    return (performance.now() - this.#began) / 1000;
  }
}
