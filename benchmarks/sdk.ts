/**
 * This client beside its peers, in one run: each client a process of its own, interleaved, medians and ratios.
 *
 *     node benchmarks/sdk.ts [rounds] [seconds] [shape,shape,...] [answering|<host:port>]
 *
 * Against a broker that only answers, so that the clients are compared, or against a real one that creates topics by itself
 * (what is produced only). acks 1 for all, as in the
 * table of peers; `seatlog-idempotent` is this client with its defaults (acks all, idempotent). Prints a table and a JSON line.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startChild, type Child } from './broker/child.ts';
import type { RunResult } from './sdk/measured-run.ts';
import { CLIENTS, SHAPES, type ClientName, type ShapeName } from './sdk/shapes.ts';

type Contender = ClientName | 'seatlog-idempotent';

/** How many times as much as a peer. */
export interface Ratios {
  readonly toBestPeer: number;
  readonly toKafkajs: number;
  readonly toPlatformatic: number;
}

export interface ShapeReport {
  readonly shape: ShapeName;
  /** Records a second, the median of all rounds. */
  readonly rates: Readonly<Partial<Record<Contender, number>>>;
  /** CPU of the client's process, microseconds a record. */
  readonly cpuMicros: Readonly<Partial<Record<Contender, number>>>;
  /** Of one send among those one after another, microseconds; of other shapes nothing. */
  readonly p50Micros: Readonly<Partial<Record<Contender, number>>>;
  readonly ratios: Ratios;
  /** The same by CPU time a record, which holds on a busy machine too. */
  readonly cpuRatios: Ratios;
}

export interface SdkReport {
  readonly benchmark: 'sdk';
  readonly node: string;
  readonly broker: string;
  readonly rounds: number;
  readonly seconds: number;
  readonly shapes: readonly ShapeReport[];
  /** K16: records of 100 B in batches of a thousand against one at a time, beside what the article tells. */
  readonly batching: {
    readonly batched: number;
    readonly singles: number;
    readonly ratio: number;
    readonly article: 61;
  } | null;
}

const DEFAULT_ROUNDS = 3;
const DEFAULT_SECONDS = 2;
const RUN_TIMEOUT_MS = 120_000;
const MEASURED_RUN = fileURLToPath(new URL('sdk/measured-run.ts', import.meta.url));
const ANSWERING_BROKER = fileURLToPath(new URL('sdk/answering-broker.ts', import.meta.url));
const execute = promisify(execFile);

export async function run(
  rounds: number,
  seconds: number,
  shapes: readonly ShapeName[],
  brokers: string,
): Promise<SdkReport> {
  const answering = brokers === 'answering' ? await startAnsweringBroker() : null;
  const address = answering === null ? brokers : `127.0.0.1:${answering.port}`;
  try {
    const results = new Map<string, RunResult[]>();
    for (let round = 0; round < rounds; round++) {
      for (const shape of shapes) {
        for (const contender of contendersFor(shape)) {
          const key = `${shape} ${contender}`;
          results.set(key, [...(results.get(key) ?? []), await measure(contender, shape, address, seconds)]);
        }
      }
    }
    const reports = shapes.map((shape) =>
      report(shape, (contender) => results.get(`${shape} ${contender}`) ?? []),
    );
    return {
      benchmark: 'sdk',
      node: process.version,
      broker: brokers,
      rounds,
      seconds,
      shapes: reports,
      batching: batching(reports),
    };
  } finally {
    await answering?.stop();
  }
}

function contendersFor(shape: ShapeName): readonly Contender[] {
  return SHAPES[shape].kind === 'produce'
    ? ['seatlog', 'seatlog-idempotent', 'platformatic', 'kafkajs']
    : CLIENTS;
}

async function measure(
  contender: Contender,
  shape: ShapeName,
  brokers: string,
  seconds: number,
): Promise<RunResult> {
  const idempotent = contender === 'seatlog-idempotent';
  const args = [
    MEASURED_RUN,
    idempotent ? 'seatlog' : contender,
    shape,
    brokers,
    String(seconds),
    idempotent ? '-1' : '1',
  ];
  const { stdout } = await execute(process.execPath, args, {
    timeout: RUN_TIMEOUT_MS,
    env: { ...process.env, KAFKAJS_NO_PARTITIONER_WARNING: '1' },
  });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as RunResult;
}

function report(shape: ShapeName, of: (contender: Contender) => readonly RunResult[]): ShapeReport {
  const rates: Partial<Record<Contender, number>> = {};
  const cpuMicros: Partial<Record<Contender, number>> = {};
  const p50Micros: Partial<Record<Contender, number>> = {};
  for (const contender of contendersFor(shape)) {
    rates[contender] = Math.round(median(of(contender).map(({ records, ms }) => (records / ms) * 1000)));
    cpuMicros[contender] = rounded(
      median(of(contender).map(({ records, cpuMs }) => (cpuMs / records) * 1000)),
    );
    const p50s = of(contender).flatMap((result) => result.p50Micros ?? []);
    if (p50s.length > 0) p50Micros[contender] = rounded(median(p50s));
  }
  const perCpu = Object.fromEntries(
    Object.entries(cpuMicros).map(([contender, micros]) => [contender, 1 / micros]),
  );
  return { shape, rates, cpuMicros, p50Micros, ratios: ratiosOf(rates), cpuRatios: ratiosOf(perCpu) };
}

function ratiosOf({
  seatlog = 0,
  kafkajs = 1,
  platformatic = 1,
}: Partial<Record<Contender, number>>): Ratios {
  return {
    toBestPeer: rounded(seatlog / Math.max(kafkajs, platformatic)),
    toKafkajs: rounded(seatlog / kafkajs),
    toPlatformatic: rounded(seatlog / platformatic),
  };
}

/** A high ratio from slow singles would be no merit: both rates are shown. */
function batching(reports: readonly ShapeReport[]): SdkReport['batching'] {
  const rateOf = (name: ShapeName): number | undefined =>
    reports.find(({ shape }) => shape === name)?.rates.seatlog;
  const batched = rateOf('produce-1000x100');
  const singles = rateOf('sequential-100');
  if (batched === undefined || singles === undefined) return null;
  return { batched, singles, ratio: rounded(batched / singles), article: 61 };
}

async function startAnsweringBroker(): Promise<Child> {
  return startChild([ANSWERING_BROKER], ({ port }) => (typeof port === 'number' ? port : null));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

export function formatReport(sdk: SdkReport): string {
  const columns: Contender[] = ['seatlog', 'seatlog-idempotent', 'platformatic', 'kafkajs'];
  const thousands = (value: number | undefined): string =>
    value === undefined ? '-' : `${Math.round(value / 1000)}k`;
  const rows = sdk.shapes.map(({ shape, rates, ratios, cpuRatios }) => [
    shape,
    ...columns.map((contender) => thousands(rates[contender])),
    `${ratios.toPlatformatic}x (${cpuRatios.toPlatformatic}x)`,
    `${ratios.toKafkajs}x (${cpuRatios.toKafkajs}x)`,
  ]);
  const p50s = sdk.shapes
    .filter(({ p50Micros }) => Object.keys(p50Micros).length > 0)
    .map(({ shape, p50Micros }) => [
      `${shape}: p50, µs`,
      ...columns.map((contender) => (p50Micros[contender] ?? Number.NaN).toFixed(0)),
    ]);
  const header = ['records/s', ...columns, 'to platformatic (CPU)', 'to kafkajs (CPU)'];
  return [header, ...rows, ...p50s]
    .map((cells) =>
      cells.map((cell, index) => cell.padEnd(index === 0 ? 28 : index > columns.length ? 24 : 20)).join(''),
    )
    .join('\n');
}

if (import.meta.main) {
  const [rounds, seconds, shapes, brokers = 'answering'] = process.argv.slice(2);
  const asked = shapes === undefined || shapes === 'all' ? Object.keys(SHAPES) : shapes.split(',');
  // Only the answering broker has topics without an end to consume.
  const names = (asked as ShapeName[]).filter(
    (name) => brokers === 'answering' || SHAPES[name].kind === 'produce',
  );
  const sdk = await run(Number(rounds ?? DEFAULT_ROUNDS), Number(seconds ?? DEFAULT_SECONDS), names, brokers);
  console.log(formatReport(sdk));
  if (sdk.batching !== null) {
    const { batched, singles, ratio } = sdk.batching;
    console.log(
      `batches of 1000 x 100 B: ${batched} records/s, one at a time: ${singles} records/s: ${ratio}x (article: 61x)`,
    );
  }
  console.log(JSON.stringify(sdk));
}
