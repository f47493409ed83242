/** What a spike found, as it is kept: plain data, milliseconds unless a name says otherwise. */
import type { AuditFigures } from '../audit/audit.ts';
import type { Rule, Violation } from '../audit/violation.ts';
import type { Fingerprint } from './fingerprint.ts';
import type { TallyFigures } from './generator-messages.ts';
import type { LatencyFigures } from './latency-histogram.ts';
import type { SpikeSettings } from './spike-options.ts';

export const latencyNames = ['accept', 'refuse', 'confirm', 'confirmSeen', 'lateness', 'startDelay'] as const;
/**
 * `accept` and `refuse`: from the scheduled moment to the answer. `confirm`: from the 202 to the row, of all orders.
 * `confirmSeen`: from the 202 to the CONFIRMED that a sampled buyer saw. `lateness`: of the generator. `startDelay`: from the
 * scheduled moment to the request, so lateness and the wait for a connection.
 */
export type LatencyName = (typeof latencyNames)[number];

/** One second of the measurement. */
export interface TimelinePoint {
  readonly elapsedMs: number;
  readonly offered: number;
  readonly accepted: number;
  readonly refused: number;
  readonly dropped: number;
  readonly underWay: number;
  readonly acceptP99Ms: number;
  readonly backlog: number | null;
  readonly eventLoopP99Ms: Readonly<Record<string, number>>;
}

export interface SaturationFigures {
  readonly worstEventLoopP99Ms: Readonly<Record<string, number>>;
  readonly backlogAtEnd: number | null;
  readonly worstBacklog: number | null;
  /** From the last start to the last confirmation. */
  readonly drainMs: number | null;
  /** CPU time by process during the measurement, the generator's among them; null where the system does not tell. */
  readonly cpuSeconds: Readonly<Record<string, number>> | null;
  readonly cpuMsPerRequest: Readonly<Record<string, number>> | null;
  readonly loadAverage: number | null;
}

export interface SpikeResult {
  readonly scenario: 'spike';
  /** The audit found nothing, and there was something to audit. */
  readonly ok: boolean;
  readonly runId: string;
  readonly startedAt: string;
  readonly settings: SpikeSettings;
  readonly fingerprint: Fingerprint;
  readonly counts: TallyFigures;
  readonly wallSeconds: number;
  readonly offeredPerSecond: number;
  /** Requests that were started. */
  readonly achievedPerSecond: number;
  readonly acceptedPerSecond: number;
  readonly latencyMs: Readonly<Record<LatencyName, LatencyFigures>>;
  /** Confirmed before their buyers had the answer; they count as 0 in `confirm`. */
  readonly confirmedEarly: number;
  readonly samplesSkipped: number;
  readonly saturation: SaturationFigures;
  readonly hints: readonly string[];
  readonly atRest: boolean;
  readonly audit: {
    readonly ok: boolean;
    readonly figures: AuditFigures;
    readonly byRule: Readonly<Partial<Record<Rule, number>>>;
    readonly violations: readonly Violation[];
  };
}

/** What stands in the file beside the summary. */
export interface SpikeRecord extends SpikeResult {
  readonly timeline: readonly TimelinePoint[];
  /** Compressed HDR histograms, in microseconds. */
  readonly histograms: Readonly<Record<LatencyName, string>>;
}
