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
import { appendComparison, type AppendShape, type PreparedComparison } from './log/append-comparison.ts';
import { closeLog } from './log/log-under-test.ts';
import { compare, type ComparisonResult, type Row } from './log/measured-rounds.ts';
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
      comparisons.push(await compare(comparison, rounds));
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
      await recoveryComparison(directory, 256, KIB, rounds, true),
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

/** Median rate with slowest and fastest round, processor time, and how the log's own stand to them. */
export function formatReport({ comparisons, recoveries, cleanOpens }: LogReport): string {
  const lines = comparisons.flatMap(({ title, rows }) => [title, ...rows.map(formatRow)]);
  for (const { title, recovery, bareLoop, rateOfBareLoop, cpuOfBareLoop } of recoveries) {
    lines.push(
      `${title}, unclean start (page cache): ${recovery.wall.toFixed(0)} ms, CPU ${recovery.cpu.toFixed(0)} ms`,
      `  read and CRC alone (page cache): ${bareLoop.wall.toFixed(0)} ms, CPU ${bareLoop.cpu.toFixed(0)} ms`,
      `  the log recovers at ${percent(rateOfBareLoop)} of its rate, ${percent(cpuOfBareLoop)} by CPU (page cache)`,
    );
  }
  for (const { title, segments, medianMs, worstMs } of cleanOpens) {
    const figures = `median ${medianMs.toFixed(1)} ms, worst ${worstMs.toFixed(1)} ms`;
    lines.push(`${title}, ${segments} segments (page cache): ${figures}`);
  }
  return lines.join('\n');
}

function formatRow(row: Row): string {
  return [
    `  ${`${row.subject} (${row.durability})`.padEnd(56)}`,
    `${rounded(row.rate)} MB/s`.padStart(14),
    `[${rounded(row.spread[0])} - ${rounded(row.spread[1])}]`.padEnd(20),
    `${row.cpuMicrosecondsPerMebibyte.toFixed(0)} us CPU/MiB`.padStart(18),
    `log: rate ${row.rateOfFirst.toFixed(2)}x, CPU ${row.cpuOfFirst.toFixed(2)}x`,
  ].join(' ');
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

function rounded(rate: number): string {
  return Math.round(rate).toLocaleString('en');
}

if (import.meta.main) {
  const report = await run(Number(process.argv[2] ?? DEFAULT_ROUNDS));
  process.stdout.write(`${formatReport(report)}\n${JSON.stringify(report)}\n`);
}
