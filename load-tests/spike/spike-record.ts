/** Makes the record of a run from what was counted, read and measured. Pure: everything comes in. */
import { audit } from '../audit/audit.ts';
import type { AuditFacts } from '../audit/facts.ts';
import type { JournalEntry } from '../audit/journal.ts';
import type { Rule, Violation } from '../audit/violation.ts';
import { confirmationTimes, type SettledTimes } from './confirmation-times.ts';
import type { Fingerprint } from './fingerprint.ts';
import type { GeneratorResult } from './generator-messages.ts';
import { LatencyHistogram } from './latency-histogram.ts';
import type { LiveFigures } from './live-figures.ts';
import type { OrderSampler } from './order-sampler.ts';
import { saturationHints } from './saturation-hints.ts';
import type { SpikeSettings } from './spike-options.ts';
import type { SaturationFigures, SpikeRecord } from './spike-result.ts';

export interface MachineFacts {
  /** By process, in seconds; null where the system does not tell. */
  readonly cpuBefore: ReadonlyMap<string, number> | null;
  readonly cpuAfter: ReadonlyMap<string, number> | null;
  readonly cores: number;
  readonly loadAverage: number | null;
}

export interface SpikeFacts {
  readonly runId: string;
  readonly startedAt: Date;
  readonly settings: SpikeSettings;
  readonly fingerprint: Fingerprint;
  readonly generator: GeneratorResult;
  readonly machine: MachineFacts;
  readonly backlogAtEnd: number;
  readonly live: Pick<LiveFigures, 'timeline' | 'worstBacklog' | 'worstEventLoopP99Ms'>;
  readonly sampler: Pick<OrderSampler, 'confirmMs' | 'skipped'>;
  readonly settled: SettledTimes;
  /** Of the crowd. */
  readonly journal: readonly JournalEntry[];
  readonly atRest: boolean;
  readonly facts: AuditFacts;
}

const MOST_LISTED = 20;

export function recordOf(run: SpikeFacts): SpikeRecord {
  const { runId, startedAt, settings, fingerprint, generator, machine, live, sampler, atRest } = run;
  const { tally: counts } = generator;
  const confirm = confirmationTimes(run.journal, run.settled, runId);
  const histograms = {
    accept: LatencyHistogram.decoded(generator.accept),
    refuse: LatencyHistogram.decoded(generator.refuse),
    confirm: confirm.histogram,
    confirmSeen: sampler.confirmMs,
    lateness: LatencyHistogram.decoded(generator.lateness),
    startDelay: LatencyHistogram.decoded(generator.startDelay),
  };
  const latencyMs = mapped(histograms, (histogram) => histogram.figures());
  const startSeconds = Math.max(settings.seconds, (generator.lastStartAt - generator.beganAt) / 1000);
  const wallSeconds = (generator.endedAt - generator.beganAt) / 1000;
  const saturation: SaturationFigures = {
    worstEventLoopP99Ms: live.worstEventLoopP99Ms(),
    backlogAtEnd: run.backlogAtEnd,
    worstBacklog: live.worstBacklog(),
    drainMs: confirm.lastAt === null ? null : Math.max(0, Math.round(confirm.lastAt - generator.lastStartAt)),
    ...cpuFigures(machine, generator),
    loadAverage: machine.loadAverage,
  };
  const acceptedPerSecond = counts.accepted / startSeconds;
  const report = audit(run.facts);
  return {
    scenario: 'spike',
    ok: report.ok && counts.accepted > 0,
    runId,
    startedAt: startedAt.toISOString(),
    settings,
    fingerprint,
    counts,
    wallSeconds,
    offeredPerSecond: counts.offered / settings.seconds,
    achievedPerSecond: counts.started / startSeconds,
    acceptedPerSecond,
    latencyMs,
    confirmedEarly: confirm.early,
    samplesSkipped: sampler.skipped,
    saturation,
    hints: saturationHints({
      dropped: counts.dropped,
      latenessP99Ms: latencyMs.lateness.p99,
      refused: counts.refused,
      acceptedPerSecond,
      wallSeconds,
      cores: machine.cores,
      ...saturation,
    }),
    atRest,
    audit: {
      ok: report.ok,
      figures: report.figures,
      byRule: countsByRule(report.violations),
      violations: report.violations.slice(0, MOST_LISTED),
    },
    timeline: live.timeline,
    histograms: mapped(histograms, (histogram) => histogram.encoded()),
  };
}

function cpuFigures(
  { cpuBefore, cpuAfter }: MachineFacts,
  { cpuSeconds, tally }: GeneratorResult,
): Pick<SaturationFigures, 'cpuSeconds' | 'cpuMsPerRequest'> {
  if (cpuBefore === null || cpuAfter === null) return { cpuSeconds: null, cpuMsPerRequest: null };
  // A process that was started again meanwhile counts from its start.
  const ofSystem = [...cpuAfter].map(
    ([name, seconds]) => [name, sinceStart(seconds, cpuBefore.get(name))] as const,
  );
  const seconds = Object.fromEntries([...ofSystem, ['generator', cpuSeconds] as const]);
  const requests = Math.max(1, tally.started);
  return { cpuSeconds: seconds, cpuMsPerRequest: mapped(seconds, (one) => (one * 1000) / requests) };
}

function sinceStart(after: number, before = 0): number {
  return after < before ? after : after - before;
}

function countsByRule(violations: readonly Violation[]): Readonly<Partial<Record<Rule, number>>> {
  const byRule = Map.groupBy(violations, ({ rule }) => rule);
  return Object.fromEntries([...byRule].map(([rule, found]) => [rule, found.length] as const));
}

function mapped<K extends string, V, R>(record: Readonly<Record<K, V>>, to: (value: V) => R): Record<K, R> {
  const entries = Object.entries<V>(record).map(([key, value]) => [key, to(value)] as const);
  return Object.fromEntries(entries) as Record<K, R>;
}
