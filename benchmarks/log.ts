/**
 * What a partition log costs beside the bare system calls under it, in one run:
 *
 *     node benchmarks/log.ts [rounds]
 *
 * Files lie in the temporary directory and in the page cache: reads and recovery measure the processor, not the disk.
 * Prints a table for people and one JSON line for machines.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { compare, type ComparisonResult } from './codec/interleaved.ts';
import { appendComparison, type AppendShape, type PreparedComparison } from './log/append-comparison.ts';
import { closeLog } from './log/log-under-test.ts';
import { readComparison } from './log/read-comparison.ts';
import {
  cleanOpen,
  type CleanOpenResult,
  recoveryComparison,
  type RecoveryResult,
} from './log/start-comparison.ts';

export interface LogReport {
  readonly benchmark: 'log';
  readonly node: string;
  readonly rounds: number;
  readonly comparisons: readonly ComparisonResult[];
  readonly recoveries: readonly RecoveryResult[];
  readonly cleanOpens: readonly CleanOpenResult[];
}

const KIB = 1024;
const MIB = 1024 * KIB;
const DEFAULT_ROUNDS = 9;
const MILLISECONDS_PER_TURN = 100;

const APPENDS: readonly AppendShape[] = [
  { batchBytes: KIB, batchesPerTurn: 1, durability: 'page cache' },
  { batchBytes: KIB, batchesPerTurn: 64, durability: 'page cache' },
  { batchBytes: 16 * KIB, batchesPerTurn: 16, durability: 'page cache' },
  { batchBytes: 256 * KIB, batchesPerTurn: 1, durability: 'page cache' },
  { batchBytes: 256 * KIB, batchesPerTurn: 4, durability: 'page cache' },
  { batchBytes: KIB, batchesPerTurn: 64, durability: 'fdatasync before ack' },
  { batchBytes: 16 * KIB, batchesPerTurn: 16, durability: 'fdatasync before ack' },
];

export async function run(rounds: number): Promise<LogReport> {
  const directory = mkdtempSync(`${tmpdir()}/seatlog-log-benchmark-`);
  try {
    const comparisons: ComparisonResult[] = [];
    const measure = async ({ comparison, log, dispose }: PreparedComparison): Promise<void> => {
      comparisons.push(await compare(comparison, { rounds, millisecondsPerTurn: MILLISECONDS_PER_TURN }));
      await closeLog(log);
      dispose();
      rmSync(log.directory.path, { recursive: true });
    };
    for (const shape of APPENDS) await measure(appendComparison(directory, shape));
    for (const batchBytes of [KIB, 16 * KIB, 256 * KIB]) {
      await measure(await readComparison(directory, batchBytes, 'memory'));
      await measure(await readComparison(directory, batchBytes, 'files'));
    }
    const recoveries = [
      await recoveryComparison(directory, 256, KIB, rounds),
      await recoveryComparison(directory, 256, 16 * KIB, rounds),
    ];
    const cleanOpens = [
      await cleanOpen(directory, 1024, 1024 * MIB, rounds),
      await cleanOpen(directory, 1024, 16 * MIB, rounds),
    ];
    return { benchmark: 'log', node: process.version, rounds, comparisons, recoveries, cleanOpens };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Median rate, slowest and fastest round, and the log's rate over this one's. */
export function formatReport({ comparisons, recoveries, cleanOpens }: LogReport): string {
  const lines = comparisons.flatMap(({ title, unit, rows }) => [
    `${title} (${unit})`,
    ...rows.map(({ subject, rate, spread, firstIsTimesFaster }) =>
      [
        `  ${subject.padEnd(32)}`,
        rounded(rate).padStart(12),
        `[${rounded(spread[0])} - ${rounded(spread[1])}]`.padEnd(28),
        `log is ${firstIsTimesFaster.toFixed(2)}x`.padStart(14),
      ].join(' '),
    ),
  ]);
  for (const { title, recoveryMs, bareLoopMs, shareOfBareLoop } of recoveries) {
    lines.push(`${title}, unclean start, page cache`);
    lines.push(`  log ${recoveryMs.toFixed(0)} ms, read and CRC alone ${bareLoopMs.toFixed(0)} ms`);
    lines.push(`  ${(100 * shareOfBareLoop).toFixed(0)} % of the bare loop's rate`);
  }
  for (const { title, segments, medianMs, worstMs } of cleanOpens) {
    lines.push(
      `${title}, ${segments} segments: median ${medianMs.toFixed(1)} ms, worst ${worstMs.toFixed(1)} ms`,
    );
  }
  return lines.join('\n');
}

function rounded(rate: number): string {
  return Math.round(rate).toLocaleString('en');
}

if (import.meta.main) {
  const report = await run(Number(process.argv[2] ?? DEFAULT_ROUNDS));
  process.stdout.write(`${formatReport(report)}\n${JSON.stringify(report)}\n`);
}
