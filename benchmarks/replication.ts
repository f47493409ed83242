/**
 * What replication costs: three nodes, acks 0, 1 and all on three replicas, beside acks 1 on one, in one run:
 *
 *     node benchmarks/replication.ts [rounds] [seconds] [MiB a measurement]
 *
 * All brokers and the client share this machine. Batches of 16 KiB, 16 in flight on one connection to one partition, records
 * of 100 B and of 1 KiB, from page cache and with an fdatasync before the answer (leader and followers), interleaved. Then
 * single records on the idle cluster. Prints tables and a JSON line.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { median } from './broker/set-up.ts';
import { type Acks, idleLatency, type LoadResult, produce, roundTrip } from './replication/load.ts';
import { durabilities, type Durability, ThreeNodes } from './replication/three-nodes.ts';

interface Contender {
  readonly name: string;
  readonly replicas: 1 | 3;
  readonly acks: Acks;
}

export interface LoadReport extends LoadResult {
  readonly contender: string;
  readonly durability: Durability;
  readonly recordBytes: number;
  /** Medians over the rounds of the rate over that of one replica with acks 1. */
  readonly shareOfOneReplica: number;
}

export interface IdleReport {
  readonly durability: Durability;
  readonly roundTripMs: number;
  readonly oneReplicaMs: number;
  readonly acks1Ms: number;
  readonly acksAllMs: number;
  /** Under three is the goal: (acks all - round trip) / acks 1. */
  readonly timesAcks1: number;
}

export interface ReplicationReport {
  readonly benchmark: 'replication';
  readonly node: string;
  readonly rounds: number;
  readonly loads: readonly LoadReport[];
  readonly idle: readonly IdleReport[];
}

const DEFAULT_ROUNDS = 3;
const DEFAULT_SECONDS = 2;
/** Little enough that the kernel does not slow writers down. */
const DEFAULT_MIB = 64;
const RECORD_SIZES = [100, 1024] as const;
const ONE_REPLICA: Contender = { name: 'RF 1, acks=1', replicas: 1, acks: 1 };
const CONTENDERS: readonly Contender[] = [
  ONE_REPLICA,
  { name: 'RF 3, acks=0', replicas: 3, acks: 0 },
  { name: 'RF 3, acks=1', replicas: 3, acks: 1 },
  { name: 'RF 3, acks=all', replicas: 3, acks: -1 },
];

export async function run(rounds: number, seconds: number, mebibytes: number): Promise<ReplicationReport> {
  const directory = mkdtempSync(`${tmpdir()}/seatlog-replication-benchmark-`);
  try {
    await using nodes = await ThreeNodes.start(directory);
    const loads: LoadReport[] = [];
    for (const durability of durabilities) {
      for (const recordBytes of RECORD_SIZES) {
        const limits = { seconds, mebibytes };
        loads.push(...(await compareLoads(nodes, durability, recordBytes, rounds, limits)));
      }
    }
    const idle: IdleReport[] = [];
    for (const durability of durabilities) idle.push(await compareIdle(nodes, durability, rounds));
    return { benchmark: 'replication', node: process.version, rounds, loads, idle };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function compareLoads(
  nodes: ThreeNodes,
  durability: Durability,
  recordBytes: number,
  rounds: number,
  limits: { readonly seconds: number; readonly mebibytes: number },
): Promise<LoadReport[]> {
  const measured: Map<string, LoadResult>[] = [];
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    const results = new Map<string, LoadResult>();
    for (const { name, replicas, acks } of CONTENDERS) {
      const topic = await nodes.createTopic(replicas, durability);
      results.set(name, await produce(nodes, topic, acks, recordBytes, limits));
      await nodes.deleteTopic(topic);
    }
    if (round > 0) measured.push(results);
  }
  return CONTENDERS.map(({ name }): LoadReport => {
    const of = (pick: (result: LoadResult) => number | null): number =>
      median(measured.flatMap((results) => pick(resultOf(results, name)) ?? []));
    const answered = resultOf(measured[0], name).p50Ms !== null;
    return {
      contender: name,
      durability,
      recordBytes,
      recordsPerSecond: of(({ recordsPerSecond }) => recordsPerSecond),
      mebibytesPerSecond: of(({ mebibytesPerSecond }) => mebibytesPerSecond),
      p50Ms: answered ? of(({ p50Ms }) => p50Ms) : null,
      p99Ms: answered ? of(({ p99Ms }) => p99Ms) : null,
      cpuMicrosPerMib: of(({ cpuMicrosPerMib }) => cpuMicrosPerMib),
      shareOfOneReplica: median(
        measured.map(
          (results) =>
            resultOf(results, name).recordsPerSecond / resultOf(results, ONE_REPLICA.name).recordsPerSecond,
        ),
      ),
    };
  });
}

function resultOf(results: ReadonlyMap<string, LoadResult> | undefined, name: string): LoadResult {
  const result = results?.get(name);
  if (result === undefined) throw new Error(`${name} was not measured`);
  return result;
}

async function compareIdle(nodes: ThreeNodes, durability: Durability, rounds: number): Promise<IdleReport> {
  const [one, three] = [await nodes.createTopic(1, durability), await nodes.createTopic(3, durability)];
  const measured: Omit<IdleReport, 'durability' | 'timesAcks1'>[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const results = {
      roundTripMs: await roundTrip(nodes),
      oneReplicaMs: await idleLatency(nodes, one, 1, RECORD_SIZES[0]),
      acks1Ms: await idleLatency(nodes, three, 1, RECORD_SIZES[0]),
      acksAllMs: await idleLatency(nodes, three, -1, RECORD_SIZES[0]),
    };
    if (round > 0) measured.push(results);
  }
  for (const topic of [one, three]) await nodes.deleteTopic(topic);
  return {
    durability,
    roundTripMs: median(measured.map(({ roundTripMs }) => roundTripMs)),
    oneReplicaMs: median(measured.map(({ oneReplicaMs }) => oneReplicaMs)),
    acks1Ms: median(measured.map(({ acks1Ms }) => acks1Ms)),
    acksAllMs: median(measured.map(({ acksAllMs }) => acksAllMs)),
    timesAcks1: median(
      measured.map(({ acksAllMs, roundTripMs, acks1Ms }) => (acksAllMs - roundTripMs) / acks1Ms),
    ),
  };
}

export function formatReport(report: ReplicationReport): string {
  const line = (first: string, ...cells: readonly string[]): string =>
    first.padEnd(42) + cells.map((cell) => cell.padStart(13)).join('');
  const ms = (value: number | null): string => (value === null ? '-' : value.toFixed(2));
  return [
    `Three nodes, 16 KiB batches, 16 in flight; CPU of all brokers; medians of ${report.rounds} rounds`,
    line('', 'records/s', 'MiB/s', 'p50 ms', 'p99 ms', 'CPU µs/MiB', 'of RF 1'),
    ...report.loads.map((load) =>
      line(
        `${load.contender}, ${load.recordBytes} B, ${load.durability}`,
        Math.round(load.recordsPerSecond).toLocaleString('en'),
        load.mebibytesPerSecond.toFixed(0),
        ms(load.p50Ms),
        ms(load.p99Ms),
        load.cpuMicrosPerMib.toFixed(0),
        load.shareOfOneReplica.toFixed(2),
      ),
    ),
    '',
    'One record at a time on the idle cluster, p50 in ms',
    line('', 'round trip', 'RF 1 acks=1', 'RF 3 acks=1', 'acks=all', 'times acks=1'),
    ...report.idle.map((idle) =>
      line(
        idle.durability,
        ms(idle.roundTripMs),
        ms(idle.oneReplicaMs),
        ms(idle.acks1Ms),
        ms(idle.acksAllMs),
        idle.timesAcks1.toFixed(2),
      ),
    ),
  ].join('\n');
}

if (import.meta.main) {
  const [rounds = DEFAULT_ROUNDS, seconds = DEFAULT_SECONDS, mebibytes = DEFAULT_MIB] = process.argv
    .slice(2)
    .map(Number);
  const report = await run(rounds, seconds, mebibytes);
  process.stdout.write(`${formatReport(report)}\n${JSON.stringify(report)}\n`);
}
