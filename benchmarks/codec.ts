/**
 * How fast batches are encoded, decoded and checked, beside two clients and a bare loop, in one run:
 *
 *     node benchmarks/codec.ts [rounds]
 *
 * Prints a table for people and one JSON line for machines.
 */
import { decodeComparison, encodeComparison } from './codec/batches.ts';
import { checksumComparison } from './codec/checksums.ts';
import { compare, type Comparison, type ComparisonResult, type Effort } from './codec/interleaved.ts';

export interface CodecReport {
  readonly benchmark: 'codec';
  readonly node: string;
  readonly rounds: number;
  readonly results: readonly ComparisonResult[];
}

const DEFAULT_EFFORT: Effort = { rounds: 11, millisecondsPerTurn: 100 };

export async function run(effort: Effort = DEFAULT_EFFORT): Promise<CodecReport> {
  const comparisons: Comparison[] = [
    await encodeComparison(1024),
    await encodeComparison(100),
    await decodeComparison(1024),
    await decodeComparison(100),
    checksumComparison(1024),
    checksumComparison(16_384),
    checksumComparison(1_048_576),
  ];
  const results: ComparisonResult[] = [];
  for (const comparison of comparisons) results.push(await compare(comparison, effort));
  return { benchmark: 'codec', node: process.version, rounds: effort.rounds, results };
}

/** One line a subject: median rate, slowest and fastest round, and how many times faster the first one is. */
export function formatReport(report: CodecReport): string {
  const lines = report.results.flatMap(({ title, unit, rows }) => [
    `${title} (${unit})`,
    ...rows.map(({ subject, rate, spread, firstIsTimesFaster }) =>
      [
        `  ${subject.padEnd(30)}`,
        rounded(rate).padStart(12),
        `[${rounded(spread[0])} - ${rounded(spread[1])}]`.padEnd(28),
        `${firstIsTimesFaster.toFixed(2)}x`.padStart(8),
      ].join(' '),
    ),
  ]);
  return lines.join('\n');
}

function rounded(rate: number): string {
  return Math.round(rate).toLocaleString('en');
}

if (import.meta.main) {
  const rounds = Number(process.argv[2] ?? DEFAULT_EFFORT.rounds);
  const report = await run({ ...DEFAULT_EFFORT, rounds });
  process.stdout.write(`${formatReport(report)}\n${JSON.stringify(report)}\n`);
}
