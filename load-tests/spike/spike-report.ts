/** A result as text: the verdict first, then what it stands on. Pure. */
import { rules } from '../audit/violation.ts';
import { sumOf } from './live-figures.ts';
import { latencyNames, type LatencyName, type SpikeResult } from './spike-result.ts';

const latencyLabels: Readonly<Record<LatencyName, string>> = {
  accept: 'accept (202)',
  refuse: 'refuse',
  confirm: '202 → row CONFIRMED',
  confirmSeen: '202 → CONFIRMED seen',
  lateness: 'generator lateness',
  startDelay: 'wait for a start',
};

export function spikeReport(result: SpikeResult): string {
  return [
    ...verdict(result),
    '',
    ...answers(result),
    '',
    ...latencies(result),
    '',
    ...processes(result),
    ...hints(result),
    '',
    ...environment(result),
  ].join('\n');
}

function verdict({ ok, audit, counts, atRest }: SpikeResult): readonly string[] {
  const { confirmed, orders } = audit.figures;
  const found = Object.entries(audit.byRule) as [keyof typeof rules, number][];
  return [
    ok
      ? `✓ sound: ${orders} orders, ${confirmed} seats sold, none twice, no accepted order lost`
      : `✗ not sound: ${audit.ok ? 'no order was accepted, so nothing was shown' : 'see below'}`,
    ...found.map(([rule, count]) => `  ✗ ${rule} × ${count}: ${rules[rule]}`),
    ...audit.violations.map(({ message }) => `    ${message}`),
    ...(atRest ? [] : ['  ✗ the system did not come to rest in time']),
    counts.dropped === 0
      ? '✓ no arrival was dropped'
      : `✗ DROPPED ${counts.dropped} of ${counts.offered} arrivals: the load that was asked for was not offered`,
  ];
}

function answers(result: SpikeResult): readonly string[] {
  const { counts, offeredPerSecond, achievedPerSecond, acceptedPerSecond, wallSeconds } = result;
  const share = (count: number): string => `${((100 * count) / Math.max(1, counts.offered)).toFixed(1)} %`;
  const row = (what: string, count: number): string =>
    `  ${what.padEnd(34)}${right(count, 9)}  ${right(share(count), 8)}`;
  const listed = (kinds: Readonly<Record<string, number>>): readonly string[] =>
    Object.entries(kinds)
      .toSorted(([, a], [, b]) => b - a)
      .map(([kind, count]) => row(`  ${kind}`, count));
  return [
    `offered ${offeredPerSecond.toFixed(1)}/s, started ${achievedPerSecond.toFixed(1)}/s, accepted ${acceptedPerSecond.toFixed(1)}/s, in ${wallSeconds.toFixed(1)} s`,
    row('arrivals', counts.offered),
    row(`202, ${counts.seats} seats`, counts.accepted),
    row('refused', sumOf(counts.refused)),
    ...listed(counts.refused),
    row('no answer', sumOf(counts.unanswered)),
    ...listed(counts.unanswered),
    row('dropped', counts.dropped),
  ];
}

function latencies({ latencyMs, confirmedEarly, samplesSkipped }: SpikeResult): readonly string[] {
  const columns = ['p50', 'p95', 'p99', 'p999', 'max'] as const;
  const notes = [
    ...(confirmedEarly > 0
      ? [`  ${confirmedEarly} rows were there before the buyer had the answer (0 ms)`]
      : []),
    ...(samplesSkipped > 0 ? [`  ${samplesSkipped} orders were not sampled: too many were waited for`] : []),
  ];
  return [
    `  ${'ms'.padEnd(24)}${right('count', 9)}${columns.map((column) => right(column, 10)).join('')}`,
    ...latencyNames.map((name) => {
      const figures = latencyMs[name];
      const cells = columns.map((column) => right(figures[column].toFixed(1), 10)).join('');
      return `  ${latencyLabels[name].padEnd(24)}${right(figures.count, 9)}${figures.count === 0 ? '' : cells}`;
    }),
    ...notes,
  ];
}

function processes({ saturation }: SpikeResult): readonly string[] {
  const { cpuSeconds, cpuMsPerRequest, worstEventLoopP99Ms, worstBacklog, backlogAtEnd, drainMs } =
    saturation;
  const names = Object.keys({ ...cpuSeconds, ...worstEventLoopP99Ms });
  const cell = (value: number | undefined, digits: number): string => value?.toFixed(digits) ?? '';
  return [
    `  ${'process'.padEnd(24)}${right('CPU s', 9)}${right('ms/request', 12)}${right('loop lag p99, worst second', 28)}`,
    ...names.map(
      (name) =>
        `  ${name.padEnd(24)}${right(cell(cpuSeconds?.[name], 2), 9)}${right(cell(cpuMsPerRequest?.[name], 3), 12)}${right(cell(worstEventLoopP99Ms[name], 1), 28)}`,
    ),
    `  lag of the worker: at most ${worstBacklog ?? '?'} records, ${backlogAtEnd ?? '?'} when arrivals ended; the last order was confirmed ${drainMs === null ? '?' : `${drainMs} ms`} after the last start`,
  ];
}

function hints({ hints }: SpikeResult): readonly string[] {
  return hints.map((hint) => `  ! ${hint}`);
}

function environment({ fingerprint, settings, runId }: SpikeResult): readonly string[] {
  const { commit, changed, node, cpu, cores, durability } = fingerprint;
  const { partitions, acks, brokers, workers, seats, seed, connections, keepAlive, profile, mix, kills } =
    settings;
  const shares = Object.entries(mix)
    .map(([name, share]) => `${name} ${share}`)
    .join(', ');
  return [
    `  commit ${commit?.slice(0, 12) ?? 'unknown'}${changed === true ? ' with changes' : ''}, Node ${node}, ${cores} × ${cpu}`,
    `  profile ${profile}, partitions ${partitions}, acks ${acks}, brokers ${brokers}, workers ${workers}, seats ${seats}, connections ${connections}${keepAlive ? '' : ' for one request each'}, seed ${seed}, ${shares}`,
    ...kills.map(({ process, atSeconds }) => `  ${process} was killed in second ${atSeconds}`),
    `  broker: ${durability.broker}; PostgreSQL: ${durability.postgres}; Redis: ${durability.redis}`,
    `  run ${runId}; the generator and the system shared this machine`,
  ];
}

function right(value: string | number, width: number): string {
  return String(value).padStart(width);
}
