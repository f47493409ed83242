/**
 * What a broker takes to start and to hold, beside the least that Node.js takes, in one run:
 *
 *     node benchmarks/footprint.ts [rounds]
 *
 * A round starts the broker empty, with many partitions, with one large partition after a clean stop, and after SIGKILL
 * right behind the load; recovery stands beside a bare loop that reads the same file and checks each CRC. Files are in the
 * page cache. Needs about 2 GB of disk in the temporary directory. Prints tables and a JSON line.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import {
  type Footprint,
  LARGE_BYTES,
  measureRound,
  PARTITIONS,
  preparePartitions,
  type Resident,
  type Started,
  type StartTime,
} from './footprint/footprint-round.ts';
import { RECORDS_PER_BATCH } from './footprint/produce-load.ts';
import { startBareNode } from './footprint/ready-process.ts';
import { median } from './log/measured-rounds.ts';

interface Recovery {
  /** Start after SIGKILL without what an empty start takes, median of the rounds. */
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly megabytesPerSecond: number;
  readonly bareLoopMegabytesPerSecond: number;
  /** Bare loop's time over recovery's, median of the rounds. */
  readonly rateOfBareLoop: number;
  readonly cpuOfBareLoop: number;
}

export interface FootprintReport extends Footprint {
  readonly benchmark: 'footprint';
  readonly node: string;
  readonly rounds: number;
  readonly durability: string;
  readonly acks: 1;
  readonly recordsPerBatch: number;
  readonly partitions: number;
  readonly largeBytes: number;
  /** The slowest of the rounds. */
  readonly slowestLargeStoppedMs: number;
  readonly recovery: Recovery;
}

const DEFAULT_ROUNDS = 3;
const MIB = 1024 * 1024;

const STARTS: Readonly<Record<Started, string>> = {
  bareNode: 'bare node -e that answers /healthz',
  empty: 'broker, empty',
  partitions: `broker, ${PARTITIONS} partitions`,
  largeStopped: 'broker, one partition of 1 GB, clean stop',
  largeKilled: 'broker, one partition of 1 GB, SIGKILL',
  bareLoop: 'read and CRC of that GB alone',
};

const RESIDENTS: Readonly<Record<Resident, string>> = {
  bareNode: 'bare node -e that answers /healthz',
  idle: 'broker, empty, idle',
  partitions: `broker, ${PARTITIONS} partitions, idle`,
  largeStopped: 'broker, 1 GB, idle after a clean stop',
  largeKilled: 'broker, 1 GB, idle after recovery',
  bareServerUnderLoad: 'bare server: receive, CRC, write (most)',
  underLoad: 'broker, the same load (most)',
  afterLoad: 'broker, after the load',
};

export async function run(rounds: number): Promise<FootprintReport> {
  const directory = mkdtempSync(`${tmpdir()}/seatlog-footprint-benchmark-`);
  try {
    // Programs and sources come into the page cache.
    const warm = await startBareNode();
    await warm.stop();
    await preparePartitions(directory);
    const taken: Footprint[] = [];
    for (let round = 0; round < rounds; round += 1) taken.push(await measureRound(directory));
    return {
      benchmark: 'footprint',
      node: process.version,
      rounds,
      durability: 'page cache (log.flush.interval.messages unlimited)',
      acks: 1,
      recordsPerBatch: RECORDS_PER_BATCH,
      partitions: PARTITIONS,
      largeBytes: LARGE_BYTES,
      start: mediansOf(
        STARTS,
        taken.map(({ start }) => start),
        medianStart,
      ),
      resident: mediansOf(
        RESIDENTS,
        taken.map(({ resident }) => resident),
        median,
      ),
      slowestLargeStoppedMs: Math.max(...taken.map(({ start }) => start.largeStopped.wallMs)),
      recovery: recoveryOf(taken),
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function recoveryOf(rounds: readonly Footprint[]): Recovery {
  const spent = rounds.map(({ start: { largeKilled, empty, bareLoop } }) => ({
    wall: largeKilled.wallMs - empty.wallMs,
    cpu: largeKilled.cpuMs - empty.cpuMs,
    loop: bareLoop,
  }));
  const of = (pick: (round: (typeof spent)[number]) => number): number => median(spent.map(pick));
  const megabytesPerSecond = (milliseconds: number): number => LARGE_BYTES / 1000 / milliseconds;
  return {
    wallMs: of(({ wall }) => wall),
    cpuMs: of(({ cpu }) => cpu),
    megabytesPerSecond: of(({ wall }) => megabytesPerSecond(wall)),
    bareLoopMegabytesPerSecond: of(({ loop }) => megabytesPerSecond(loop.wallMs)),
    rateOfBareLoop: of(({ wall, loop }) => loop.wallMs / wall),
    cpuOfBareLoop: of(({ cpu, loop }) => loop.cpuMs / cpu),
  };
}

function mediansOf<Name extends string, Figure>(
  labels: Readonly<Record<Name, string>>,
  rounds: readonly Readonly<Record<Name, Figure>>[],
  medianOf: (figures: Figure[]) => Figure,
): Record<Name, Figure> {
  // Object.keys forgets which keys the labels have.
  const names = Object.keys(labels) as Name[];
  const entries = names.map((name) => [name, medianOf(rounds.map((round) => round[name]))] as const);
  return Object.fromEntries(entries) as Record<Name, Figure>;
}

function medianStart(starts: readonly StartTime[]): StartTime {
  return {
    wallMs: median(starts.map(({ wallMs }) => wallMs)),
    cpuMs: median(starts.map(({ cpuMs }) => cpuMs)),
  };
}

export function formatReport(report: FootprintReport): string {
  const { start, resident, recovery } = report;
  const startRow = (name: Started): string =>
    row(STARTS[name], [
      start[name].wallMs.toFixed(0),
      start[name].cpuMs.toFixed(0),
      times(start[name].wallMs / start.bareNode.wallMs),
    ]);
  const residentRow = (name: Resident): string =>
    row(RESIDENTS[name], [
      (resident[name] / MIB).toFixed(0),
      times(resident[name] / resident.bareNode),
      times(resident[name] / resident.bareServerUnderLoad),
    ]);
  const load = `${report.largeBytes / 1e6} MB in batches of ${report.recordsPerBatch} x 1 KiB, acks=${report.acks}`;
  return [
    `Load: ${load}, ${report.durability}; medians of ${report.rounds} rounds`,
    '',
    row('From spawn to the first 200 of /healthz', ['ms', 'CPU ms', 'of bare node']),
    ...(Object.keys(STARTS) as Started[]).map(startRow),
    `  slowest start with 1 GB after a clean stop: ${report.slowestLargeStoppedMs.toFixed(0)} ms`,
    `  recovery, less an empty start: ${recovery.wallMs.toFixed(0)} ms, ${recovery.megabytesPerSecond.toFixed(0)} MB/s; ` +
      `bare loop ${recovery.bareLoopMegabytesPerSecond.toFixed(0)} MB/s: ` +
      `${percent(recovery.rateOfBareLoop)} of its rate, ${percent(recovery.cpuOfBareLoop)} by CPU`,
    '',
    row('Resident memory', ['MiB', 'of bare node', 'of bare server']),
    ...(Object.keys(RESIDENTS) as Resident[]).map(residentRow),
  ].join('\n');
}

function row(label: string, cells: readonly string[]): string {
  return label.padEnd(46) + cells.map((text) => text.padStart(16)).join('');
}

function times(ratio: number): string {
  return `${ratio.toFixed(2)}x`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

if (import.meta.main) {
  const report = await run(Number(process.argv[2] ?? DEFAULT_ROUNDS));
  process.stdout.write(`${formatReport(report)}\n${JSON.stringify(report)}\n`);
}
