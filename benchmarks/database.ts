/**
 * The worker's insert beside COPY and single-row INSERTs of the same rows, in one run:
 *
 *     node benchmarks/database.ts [rounds] [rows a measurement]
 *
 * A PostgreSQL of its own, syncing at each commit as by default. Every contender has one connection and inserts the same
 * reservations into the same, emptied table in transactions of 100 and of 1,000 rows, interleaved. CPU is that of the
 * server's process and this one together. Prints a table and a JSON line.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { migrate, openDatabase, writeLedger } from '@seatlog/booking-database';
import { startPostgres, wipeDataDirectory } from '@seatlog/local-stack';
import pg from 'pg';
import { cpuNanoseconds } from './broker/process-cpu.ts';
import { median } from './broker/set-up.ts';
import { type Contender, type ContenderName, copy, singles, unnest } from './database/contenders.ts';
import { changesOf, makeRows, type ReservationRow } from './database/rows.ts';

export interface BatchReport {
  readonly rowsPerTransaction: number;
  readonly rowsPerSecond: Readonly<Record<ContenderName, number>>;
  readonly cpuMicrosPerRow: Readonly<Record<ContenderName, number>>;
  /** Medians over the rounds: the rate of UNNEST over that of COPY, and the CPU of COPY over that of UNNEST. */
  readonly shareOfCopy: number;
  readonly shareOfCopyByCpu: number;
}

export interface DatabaseReport {
  readonly benchmark: 'database';
  readonly node: string;
  readonly server: string;
  readonly durability: string;
  readonly rounds: number;
  readonly batches: readonly BatchReport[];
}

interface Measure {
  readonly rowsPerSecond: number;
  readonly cpuMicrosPerRow: number;
}

const DEFAULT_ROUNDS = 7;
const DEFAULT_ROWS = 10_000;
const BATCHES = [100, 1000] as const;

export async function run(rounds: number, rowCount: number): Promise<DatabaseReport> {
  const dataDirectory = mkdtempSync(`${tmpdir()}/seatlog-database-benchmark-`);
  try {
    await using postgres = await startPostgres({ dataDirectory });
    const { url } = postgres;
    await migrate(url);
    const { orders, rows } = makeRows(rowCount);
    const database = openDatabase({ url, applicationName: 'benchmark-set-up' });
    await database
      .transaction()
      .execute((transaction) => writeLedger(transaction, changesOf({ insertedOrders: orders }), 'seat'));
    await database.destroy();
    const table = new Table(url);
    const contenders = await Promise.all([unnest(url), copy(url), singles(url)]);
    try {
      const batches: BatchReport[] = [];
      for (const size of BATCHES) batches.push(await compare(table, contenders, rows, size, rounds));
      const server = await table.serverVersion();
      const durability = 'synced at each commit';
      return { benchmark: 'database', node: process.version, server, durability, rounds, batches };
    } finally {
      for (const contender of contenders) await contender.close();
    }
  } finally {
    wipeDataDirectory(dataDirectory);
  }
}

async function compare(
  table: Table,
  contenders: readonly Contender[],
  rows: readonly ReservationRow[],
  size: number,
  rounds: number,
): Promise<BatchReport> {
  const measured: Record<ContenderName, Measure>[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const results: Partial<Record<ContenderName, Measure>> = {};
    for (const contender of contenders) {
      await table.empty();
      results[contender.name] = await measure(contender, rows, size);
      await table.expect(rows.length);
    }
    // The first round warms up. Every contender has measured by here.
    if (round > 0) measured.push(results as Record<ContenderName, Measure>);
  }
  const of = (pick: (round: Record<ContenderName, Measure>) => number): number => median(measured.map(pick));
  const forEach = (pick: (measure: Measure) => number): Record<ContenderName, number> => ({
    unnest: of(({ unnest: one }) => pick(one)),
    copy: of(({ copy: one }) => pick(one)),
    singles: of(({ singles: one }) => pick(one)),
  });
  return {
    rowsPerTransaction: size,
    rowsPerSecond: forEach(({ rowsPerSecond }) => rowsPerSecond),
    cpuMicrosPerRow: forEach(({ cpuMicrosPerRow }) => cpuMicrosPerRow),
    shareOfCopy: of((round) => round.unnest.rowsPerSecond / round.copy.rowsPerSecond),
    shareOfCopyByCpu: of((round) => round.copy.cpuMicrosPerRow / round.unnest.cpuMicrosPerRow),
  };
}

async function measure(
  contender: Contender,
  rows: readonly ReservationRow[],
  size: number,
): Promise<Measure> {
  const cpu = (): number => cpuNanoseconds(contender.serverProcessId) + cpuNanoseconds(process.pid);
  const before = cpu();
  const start = performance.now();
  for (let at = 0; at < rows.length; at += size) await contender.insert(rows.slice(at, at + size));
  const seconds = (performance.now() - start) / 1000;
  return {
    rowsPerSecond: rows.length / seconds,
    cpuMicrosPerRow: (cpu() - before) / 1000 / rows.length,
  };
}

/** The table under test, seen from a connection that measures nothing. */
class Table {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async empty(): Promise<void> {
    await this.#ask('TRUNCATE reservations');
  }

  async expect(count: number): Promise<void> {
    const found = Number(await this.#ask('SELECT count(*) AS answer FROM reservations'));
    if (found !== count) throw new Error(`${found} rows are there where ${count} were inserted`);
  }

  async serverVersion(): Promise<string> {
    return `PostgreSQL ${String(await this.#ask("SELECT current_setting('server_version') AS answer"))}`;
  }

  async #ask(text: string): Promise<unknown> {
    const client = new pg.Client({ connectionString: this.#url });
    await client.connect();
    try {
      const { rows } = await client.query<{ answer: unknown }>(text);
      return rows[0]?.answer;
    } finally {
      await client.end();
    }
  }
}

export function formatReport(report: DatabaseReport): string {
  const cells = (...texts: readonly string[]): string => texts.map((text) => text.padStart(16)).join('');
  return [
    `${report.server}, ${report.durability}; medians of ${report.rounds} rounds`,
    cells('rows a commit', 'UNNEST rows/s', 'COPY rows/s', 'singles rows/s', 'of COPY', 'of COPY by CPU'),
    ...report.batches.map(({ rowsPerTransaction, rowsPerSecond, shareOfCopy, shareOfCopyByCpu }) =>
      cells(
        String(rowsPerTransaction),
        ...(['unnest', 'copy', 'singles'] as const).map((name) =>
          Math.round(rowsPerSecond[name]).toLocaleString('en'),
        ),
        `${(shareOfCopy * 100).toFixed(0)} %`,
        `${(shareOfCopyByCpu * 100).toFixed(0)} %`,
      ),
    ),
  ].join('\n');
}

if (import.meta.main) {
  const [rounds = DEFAULT_ROUNDS, rows = DEFAULT_ROWS] = process.argv.slice(2).map(Number);
  const report = await run(rounds, rows);
  process.stdout.write(`${formatReport(report)}\n${JSON.stringify(report)}\n`);
}
